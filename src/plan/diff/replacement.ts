import { addressOf } from "../../model/address.ts";
import { kindOf } from "../../model/kinds.ts";
import { compareReleases } from "../../model/releases.ts";
import { type CallName, introductionOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Action, Desired, Live, Problem } from "../../model/types.ts";
import type { FullDiffOptions } from "./options.ts";

/** What a live resource needs: the fields to be sent, and whether any of them is known to differ or was asked for. */
interface Needed {
  readonly names: readonly string[];
  readonly isDue: boolean;
}

/**
 * How a live resource gets the fields that are declared: by an update or, where the server cannot change it and the file
 * of its kind says so, by a replacement. Undefined where nothing can or need be sent; otherwise why it cannot be done.
 */
export function wayToChange(
  options: FullDiffOptions,
  project: string,
  desired: Desired,
  needed: Needed,
): Extract<Action, "update" | "replace"> | Problem | undefined {
  const { file } = kindOf(options.catalogue, desired.kind);
  if (file.whole) return "update";
  const obstacle = obstacleIn(options, file, desired, needed);
  if (!obstacle) return "update";
  if (!needed.isDue) return undefined;
  return file.replace ? "replace" : cannotChange(project, desired, needed.names, obstacle);
}

/** Why an update cannot send these fields, and those that are in its way. */
interface Obstacle {
  readonly why: string;
  readonly names: readonly string[];
}

function obstacleIn(
  options: FullDiffOptions,
  file: ResourceKind,
  desired: Desired,
  { names }: Needed,
): Obstacle | undefined {
  const missing = missingCall(options, file, "update");
  if (missing !== undefined) return { why: missing, names };
  const fixed = names.filter((name) => file.fields.properties[name]?.["x-immutable"]);
  if (fixed.length > 0) return { why: "the server takes it at creation only", names: fixed };
  const declared = Object.keys(desired.fields);
  const isFixed = declared.every((name) => file.fields.properties[name]?.["x-immutable"]);
  return isFixed && names.length === 0 ? { why: "the server takes all of it at creation only", names } : undefined;
}

function cannotChange(project: string, desired: Desired, changed: readonly string[], obstacle: Obstacle): Problem {
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

/** Why a declared resource that is not live cannot be created; undefined if it can. */
export function whyNotCreated(options: FullDiffOptions, project: string, desired: Desired): Problem | undefined {
  const why = missingFrom(options, desired.kind, "create");
  if (why === undefined) return undefined;
  const message = `${addressOf(project, desired.kind, desired.key)} is not on the server, and ${why}`;
  return { severity: "error", rule: "cannot-create", message, place: desired.origin.place(), project };
}

/** Why a live resource cannot be removed; undefined if it can. */
export function whyNotRemoved(
  options: FullDiffOptions,
  project: string,
  { kind, key }: Pick<Live, "kind" | "key">,
  origin: Desired["origin"],
): Problem | undefined {
  const { removal } = kindOf(options.catalogue, kind);
  const why = removal === "delete" ? missingFrom(options, kind, "delete") : undefined;
  if (why === undefined) return undefined;
  const message = `${addressOf(project, kind, key)} cannot be removed: ${why}`;
  return { severity: "error", rule: "cannot-delete", message, place: origin.place(), project };
}

function missingFrom(options: FullDiffOptions, kind: string, name: CallName): string | undefined {
  const { file } = kindOf(options.catalogue, kind);
  return missingCall(options, file, name);
}

const verbs: Readonly<Partial<Record<CallName, string>>> = { create: "create", update: "change", delete: "delete" };

/** A sentence on why the server has no such call; undefined if it has, or its release is not known. */
function missingCall({ release }: FullDiffOptions, file: ResourceKind, name: CallName): string | undefined {
  const cannot = `the server cannot ${verbs[name] ?? name} ${file.name}`;
  if (!file.calls[name]) return cannot;
  const since = introductionOf(file, name);
  if (since === undefined || release === undefined || compareReleases(release, since) >= 0) return undefined;
  return `${cannot} before release ${since}; it is ${release}`;
}
