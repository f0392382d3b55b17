import { toBoolean } from "./parameter-value.ts";
import type { Change, Fields, Live, Resource } from "./types.ts";
import { isScalar } from "./values.ts";

/** The fields of a change that show what becomes of the resource. */
export type Visible = Pick<Change, "kind" | "key" | "action" | "before" | "after">;

/** Whether a change removes a resource: disables or deletes it. */
export function isRemoval({ action }: Pick<Change, "action">): boolean {
  return action === "disable" || action === "delete";
}

/** What turning a resource off shows, before and after. */
export const turnedOff = { before: { active: true }, after: { active: false } } as const;

/**
 * Whether a resource is on before the change and off after it: a removal, or an update with the same effect. Guards
 * treat both alike (docs/running.md).
 */
export function turnsOff(change: Visible): boolean {
  const { before, after } = turnedOff;
  return isRemoval(change) || (holdsAll(change.before, before) && holdsAll(change.after, after));
}

/** The declared fields that turn off a live resource; none if it stays on, or was off. */
export function switchedOff(desired: Resource, live: Live): readonly string[] {
  const { after } = turnedOff;
  return live.active && holdsAll(desired.fields, after) ? Object.keys(after) : [];
}

/** Whether fields hold all of these values, by meaning; false for no values. */
function holdsAll(fields: Fields | null, values: Fields): boolean {
  const names = Object.keys(values);
  return (
    names.length > 0 &&
    names.every((name) => {
      const value = fields?.[name];
      return isScalar(value) && toBoolean(value) === values[name];
    })
  );
}
