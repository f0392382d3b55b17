import { addressOf } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { catalogueEntry, kindOf, sectionNameOf } from "../../model/kinds.ts";
import { isImmutable } from "../../model/read-field.ts";
import { compareReleases } from "../../model/releases.ts";
import { type CallName, callDetails, keyFieldsOf, keyValuesOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Action, Change, Desired, Live, Problem } from "../../model/types.ts";
import type { FullDiffOptions } from "./options.ts";

/**
 * Chooses how a live resource gets its declared fields: by an update or, if the server cannot do that and the kind's
 * file allows it, by a replacement. Undefined if nothing needs to be sent or can be; a problem if a required change is
 * impossible. `names`: the fields to be sent; `isDue`: any is known to differ, or by `--resend`.
 */
export function chooseAction(
  options: FullDiffOptions,
  project: string,
  desired: Desired,
  live: Live,
  { names, isDue }: { readonly names: readonly string[]; readonly isDue: boolean },
): Extract<Action, "update" | "replace"> | Problem | undefined {
  const { file } = kindOf(options.catalogue, desired.kind);
  if (file.whole) return "update";
  const obstacle = findObstacle(options, desired, live, names);
  if (!obstacle) return "update";
  if (!isDue) return undefined;
  return file.replace ? "replace" : describeImpossible(project, desired, names, obstacle);
}

/** The reason why an update cannot send these fields, and the fields concerned. */
function findObstacle(options: FullDiffOptions, desired: Desired, { row = {} }: Live, names: readonly string[]) {
  const { file } = kindOf(options.catalogue, desired.kind);
  const missing = explainMissingCall(options, file, "update");
  if (missing !== undefined) return { why: missing, names };
  const isFixed = (name: string) => isImmutable(file.fields.properties[name] ?? {}, row, options);
  const fixed = names.filter(isFixed);
  if (fixed.length > 0) return { why: "the server takes it at creation only", names: fixed };
  const declared = Object.keys(desired.fields);
  return declared.every(isFixed) && names.length === 0
    ? { why: "the server takes all of it at creation only", names }
    : undefined;
}

function describeImpossible(
  project: string,
  desired: Desired,
  changed: readonly string[],
  obstacle: NonNullable<ReturnType<typeof findObstacle>>,
): Problem {
  const { kind, key, origin } = desired;
  const { names, why } = obstacle;
  const [first = changed[0]] = names;
  const what = names.length > 0 ? names.join(", ") : addressOf(project, kind, key);
  const place = first === undefined ? undefined : origin.fieldPlace?.(first);
  const message =
    `${what} of ${addressOf(project, kind, key)} cannot be changed: ${why}, and its kind does not say replace: true; ` +
    "declare what the server has, or delete it there to have it created again";
  return { severity: "error", rule: "cannot-change", message, place: place ?? origin.place(), project };
}

/** The problem of a resource that the server can neither create nor, for `delete`, remove; undefined if it can. */
export function explainImpossible(
  options: FullDiffOptions,
  project: string,
  { kind, key }: Pick<Live, "kind" | "key">,
  origin: Desired["origin"],
  name: "create" | "delete",
): Problem | undefined {
  const { file, removal } = kindOf(options.catalogue, kind);
  if (name === "delete" && removal !== "delete") return undefined;
  const why = explainMissingCall(options, file, name);
  if (why === undefined) return undefined;
  const state = name === "create" ? "is not on the server, and" : "cannot be removed:";
  const message = `${addressOf(project, kind, key)} ${state} ${why}`;
  return { severity: "error", rule: `cannot-${name}`, message, place: origin.place(), project };
}

const verbs: Readonly<Partial<Record<CallName, string>>> = { create: "create", update: "change", delete: "delete" };

/** Explains that the server lacks a call; undefined if it has the call, or its release is unknown. */
function explainMissingCall({ release }: FullDiffOptions, file: ResourceKind, name: CallName): string | undefined {
  const cannot = `the server cannot ${verbs[name] ?? name} ${file.name}`;
  if (!file.calls[name]) return cannot;
  const { release: since } = callDetails(file.calls[name]);
  if (since === undefined || release === undefined || compareReleases(release, since) >= 0) return undefined;
  return `${cannot} before release ${since}; it is ${release}`;
}

/** Explains why `exclusive` skips unlisted live resources with one name; undefined if it removes them. */
export function explainSkipped(
  project: string,
  namesakes: readonly Live[],
  origin: Desired["origin"],
  options: FullDiffOptions,
): Problem | undefined {
  const [live] = namesakes;
  if (!live) return undefined;
  const { catalogue } = options;
  const problem = (severity: Problem["severity"], rule: string, message: string) =>
    ({ severity, rule, message, place: origin.place(), project }) as const;
  if (kindOf(catalogue, live.kind).keys && !catalogueEntry(catalogue, live))
    return problem("warning", "unknown-live", `${live.key} is not in the catalogue, so exclusive leaves it alone`);
  const impossible = explainImpossible(options, project, live, origin, "delete");
  if (impossible) return impossible;
  if (namesakes.length > 1)
    return problem(
      "error",
      "ambiguous",
      `${describeNamesakes(catalogue, namesakes)}, so exclusive removes none of them; keep one at most`,
    );
  if (!live.inherited) return undefined;
  const message = `${live.key} is inherited from the group, so exclusive leaves it alone; disable it in the group, or list it under disabled`;
  return problem("warning", "inherited", message);
}

/** Explains why a change is left out, because a server of this release may make it to another resource; undefined if not. */
export function explainMistakable(
  { address, project, kind, key, action, origin }: Change,
  others: readonly Pick<Live, "kind" | "key">[],
  { catalogue, release }: FullDiffOptions,
): Problem | undefined {
  const { file } = kindOf(catalogue, kind);
  const filtered = (name: string) => file.fields.properties[name]?.["x-filtered"];
  const part = keyFieldsOf(file).find((name) => isBefore(release, filtered(name)));
  if (part === undefined || action === "create") return undefined;
  const restOf = (text: string) => JSON.stringify({ ...keyValuesOf(file, text), [part]: "" });
  const other = others.find((each) => each.kind === kind && each.key !== key && restOf(each.key) === restOf(key));
  if (!other) return undefined;
  const message =
    `${address} is left alone: before release ${filtered(part)} the server ignores ${part}, ` +
    `and could take ${other.key} for it; it is ${release}`;
  return { severity: "error", rule: "cannot-request", message, place: origin.place(), project };
}

function isBefore(release: string | undefined, since: string | undefined): boolean {
  return release !== undefined && since !== undefined && compareReleases(release, since) < 0;
}

export function describeCaseNamesakes(namesakes: readonly Live[]): string {
  const names = namesakes.map(({ key, id }) => (id === undefined ? key : `${key} (id ${id})`)).join(" and ");
  return `the server has ${names}, which differ only in case`;
}

export function describeNamesakes(catalogue: Catalogue, namesakes: readonly Live[]): string {
  const [{ kind, key } = { kind: "", key: "" }] = namesakes;
  const ids = namesakes.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const which = ids.length > 0 ? ` (ids ${ids.join(", ")})` : "";
  return `the server has ${namesakes.length} ${sectionNameOf(catalogue, kind)} named ${key}${which}`;
}
