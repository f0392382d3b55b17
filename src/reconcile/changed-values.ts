import { addressParts } from "../model/address.ts";
import type { Fields } from "../model/types.ts";
import { inlineText, isReference } from "../model/values.ts";
import { fieldNamesOf, firstField, generalText } from "../plan/groups.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import type { RunValue } from "../state/run-summary.ts";

/** The values of the changes of a plan, each once with how many projects have it. Changes in which no field tells more than another have none. */
export function runValues(changes: readonly PlannedChange[]): readonly RunValue[] {
  const found = new Map<string, RunValue & { projects: number }>();
  for (const planned of changes) {
    const value = runValueOf(planned);
    if (!value) continue;
    const key = JSON.stringify(value);
    const known = found.get(key);
    if (known) known.projects++;
    else found.set(key, { ...value, projects: 1 });
  }
  return [...found.values()];
}

function runValueOf(planned: PlannedChange): Omit<RunValue, "projects"> | undefined {
  const { address, project, change } = planned;
  const field = firstField(change);
  if (field === undefined) return undefined;
  const [before, after] = [change.before, change.after].map((side) => textOf(side, field, project));
  const more = fieldNamesOf(change).length - 1;
  const [, rest] = addressParts(address);
  const what = { rest, action: actionOf(planned), field, before: before ?? null, after: after ?? null };
  return { ...what, ...(more > 0 && { more }) };
}

function textOf(side: Fields | null, field: string, project: string): string | undefined {
  const value = side?.[field];
  if (value === undefined) return undefined;
  return isReference(value) ? `secret ${value.secret}` : generalText(inlineText(value), project);
}
