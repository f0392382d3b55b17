import type { Catalogue } from "../../model/catalogue.ts";
import { catalogueEntry, kindOf, sectionNameOf } from "../../model/kinds.ts";
import { compareReleases } from "../../model/releases.ts";
import { keyFieldsOf, keyValuesOf } from "../../model/resource-kind.ts";
import type { Change, Desired, Live, Problem } from "../../model/types.ts";
import type { FullDiffOptions } from "./options.ts";
import { explainImpossible } from "./replacement.ts";

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
