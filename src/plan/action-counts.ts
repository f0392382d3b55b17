import { thousands } from "../base/text-format.ts";
import type { Action, CallAction } from "../model/types.ts";

/** How many changes there are of each action; of replacements, only where there are any. */
export type ActionCounts = Readonly<Record<CallAction, number>> & { readonly replace?: number };

/** How many changes there are of each action. */
export function countsOf(actions: readonly Action[]): ActionCounts {
  const count = (action: Action) => actions.filter((each) => each === action).length;
  const replaced = count("replace");
  return {
    create: count("create"),
    update: count("update"),
    ...(replaced > 0 && { replace: replaced }),
    disable: count("disable"),
    delete: count("delete"),
  };
}

/** How many changes there are in all. */
export function changeCount(counts: ActionCounts): number {
  return inOrder.reduce((sum, action) => sum + (counts[action] ?? 0), 0);
}

const inOrder: readonly Action[] = ["create", "update", "replace", "disable", "delete"];

/** The counts in words: `1 to create`. */
export function actionCountWords(counts: ActionCounts): readonly string[] {
  return inOrder.flatMap((action) => {
    const count = counts[action];
    return count === undefined ? [] : [`${thousands(count)} to ${action}`];
  });
}
