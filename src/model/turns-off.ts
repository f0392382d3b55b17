import { kinds } from "./kinds.ts";
import { isReference } from "./normalise.ts";
import { toBoolean } from "./parameter-value.ts";
import type { Change, Fields, Live, Resource } from "./types.ts";

/** A change, as far as it says what becomes of the thing itself. */
export type Visible = Pick<Change, "kind" | "key" | "action" | "before" | "after">;

/** Whether a change takes a thing away: a disable or a delete. */
export function isRemoval({ kind, action }: Pick<Change, "kind" | "action">): boolean {
  return action === kinds[kind].removal;
}

/**
 * Whether a thing is off after the change and was on before: a removal, or an update that comes to the same. Guards
 * make no difference between the two (docs/running.md).
 */
export function turnsOff(change: Visible): boolean {
  const { before, after } = kinds[change.kind].removed;
  return isRemoval(change) || (after !== null && says(change.before, before) && says(change.after, after));
}

/** The fields by which declared values turn off what is live; none where it stays on, or was off. */
export function switchedOff(desired: Resource, live: Live): readonly string[] {
  const { after } = kinds[desired.kind].removed;
  return live.active && after !== null && says(desired.fields, after) ? Object.keys(after) : [];
}

/** Whether fields hold all of these values, by meaning; nobody says anything with no values. */
function says(fields: Fields | null, values: Fields): boolean {
  const names = Object.keys(values);
  return (
    names.length > 0 &&
    names.every((name) => {
      const value = fields?.[name];
      return value !== undefined && !isReference(value) && toBoolean(value) === values[name];
    })
  );
}
