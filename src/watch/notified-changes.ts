import { counted } from "../base/text-format.ts";
import type { Value } from "../model/types.ts";
import { inlineText, isReference } from "../model/values.ts";
import { fieldNamesOf, type PlannedGroup, plannedGroups, type Sides, subjectOf } from "../plan/groups.ts";
import { namesCounted } from "../plan/heading.ts";
import { directions } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";

/** A difference, as a notification contains it. */
export interface NotifiedChange {
  readonly address: string;
  readonly cause: string;
  /** `looser than declared`, where that is known. */
  readonly direction?: string;
  /** What differs: the live value, and the declared one. Null: not set. */
  readonly fields: readonly { readonly name: string; readonly before: Value | null; readonly after: Value | null }[];
}

/** Fields of a change, and characters of a value, that a notification contains. */
const [mostFields, longest] = [10, 200];

/** The differences of a plan at these addresses. */
export function changesAt({ resource_changes: changes }: Plan, addresses: readonly string[]): readonly PlannedChange[] {
  const wanted = new Set(addresses);
  return changes.filter(({ address }) => wanted.has(address));
}

export function notifiedChange(planned: PlannedChange): NotifiedChange {
  const { address, cause = "drift", policy_effect: effect, change } = planned;
  const { before, after } = change;
  const fields = fieldNamesOf({ before, after })
    .slice(0, mostFields)
    .map((name) => ({ name, before: cut(before?.[name]), after: cut(after?.[name]) }));
  return { address, cause, ...(effect && { direction: directions[effect] }), fields };
}

function cut(value: Value | undefined): Value | null {
  if (value === undefined) return null;
  const text = isReference(value) ? "" : inlineText(value);
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : value;
}

/** Equal differences, a line each: `license/AGPL-3.0 in 19 projects: approval_status is allowed, declared denied (looser than declared)`. */
export function changeLines(changes: readonly PlannedChange[]): readonly string[] {
  return plannedGroups(changes).map(groupText);
}

function groupText({ members, projects, shared }: PlannedGroup): string {
  const [first] = members;
  const what = members.length === 1 ? first.address : `${subjectOf(first)} in ${namesCounted(projects)}`;
  const direction = first.policy_effect ? ` (${directions[first.policy_effect]})` : "";
  return `${what}: ${stateOf(first, shared)}${direction}`;
}

const states: Readonly<Partial<Record<ReturnType<typeof actionOf>, string>>> = {
  create: "is missing",
  delete: "exists, and is not declared",
  disable: "is on, declared off",
};

function stateOf(change: PlannedChange, sides: Sides): string {
  const state = states[actionOf(change)];
  if (state !== undefined) return state;
  const [name, ...others] = fieldNamesOf(sides);
  if (name === undefined) return change.action_reason;
  const more = others.length > 0 ? `, and ${counted(others.length, "more field")}` : "";
  return `${name} is ${shown(sides.before?.[name])}, declared ${shown(sides.after?.[name])}${more}`;
}

/** Characters of a value in a line. */
const longestInLine = 80;

function shown(value: Value | undefined): string {
  if (value === undefined) return "not set";
  const text = isReference(value) ? `secret ${value.secret}` : inlineText(value);
  return text.length > longestInLine ? `${text.slice(0, longestInLine).toWellFormed()}…` : text;
}
