import { comparableScalar } from "./field-meaning.ts";
import type { Change, Fields, Live, Resource } from "./types.ts";
import { isScalar } from "./values.ts";

/** The fields of a change that determine whether it removes the resource. */
export type Visible = Pick<Change, "kind" | "key" | "action" | "before" | "after">;

export function isRemoval({ action }: Pick<Change, "action">): boolean {
  return action === "disable" || action === "delete";
}

/** The fields that show that a resource is disabled, before and after. */
export const turnedOff = { before: { active: true }, after: { active: false } } as const;

/**
 * True if a change disables or deletes an enabled resource, even to create it again: a removal, a replacement, or an
 * update with the same effect. Guards treat them alike (docs/safety.md).
 */
export function turnsOff(change: Visible): boolean {
  const { before, after } = turnedOff;
  return (
    isRemoval(change) ||
    change.action === "replace" ||
    (holdsAll(change.before, before) && holdsAll(change.after, after))
  );
}

/** True if a change removes a resource, or people whom it lets in: guards, `protected` and approvals count both. */
export function removes(change: Visible): boolean {
  return turnsOff(change) || removesPeople(change);
}

/** Matches a level in the text of a kind that lists people, groups or deploy keys beside it. */
const besideLevel = /(?:^|, )(?:user|group|deploy key) \d+(?:,|$)/;

function removesPeople({ action, before, after }: Visible): boolean {
  return Object.entries(before ?? {}).some(
    ([name, value]) =>
      action === "update" &&
      name.endsWith("_access_level") &&
      typeof value === "string" &&
      besideLevel.test(value) &&
      after?.[name] !== undefined,
  );
}

/** The declared fields that disable a live resource; empty if it stays enabled, or was disabled already. */
export function switchedOff(desired: Resource, live: Live): readonly string[] {
  const { after } = turnedOff;
  return live.active && holdsAll(desired.fields, after) ? Object.keys(after) : [];
}

/** True if fields have all of these values, by meaning. */
function holdsAll(fields: Fields | null, values: Fields): boolean {
  return Object.entries(values).every(([name, expected]) => {
    const value = fields?.[name];
    return isScalar(value) && comparableScalar({ type: "boolean" }, value) === expected;
  });
}
