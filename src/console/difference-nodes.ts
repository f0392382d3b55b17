import type { Fields, Value } from "../model/types.ts";
import { fieldNamesOf } from "../plan/groups.ts";
import { directions } from "../plan/highlights.ts";
import { badge, type Markup, markup } from "../report/html/markup.ts";
import { clipped, nameNode, valueText } from "../report/html/rows.ts";
import type { DifferenceShape } from "../state/snapshots/summaries.ts";

/** A difference in a line: `license/AGPL-3.0 approval_status allowed, declared denied`. */
export function differenceBrief(shape: DifferenceShape): Markup {
  if (shape.cause === "unreadable") return markup`${clipped(shape.reason, 300)}`;
  return markup`${resourceNode(shape.rest)} ${whatDiffers(shape)}`;
}

/** The address of a resource without its project. */
export function resourceNode(rest: string): Markup {
  return nameNode(clipped(rest, 100));
}

const missing: Readonly<Record<string, Readonly<Record<"drift" | "pending", string>>>> = {
  create: { drift: "is missing", pending: "to create" },
  delete: { drift: "exists, and is not declared", pending: "to delete" },
  disable: { drift: "is on, declared off", pending: "to disable" },
};

function whatDiffers({ action, cause, before, after, reason }: DifferenceShape): Markup {
  const words = missing[action]?.[cause === "pending" ? "pending" : "drift"];
  if (words !== undefined) return markup`${words}`;
  const [name, ...others] = fieldNamesOf({ before, after });
  if (name === undefined) return markup`${clipped(reason, 120)}`;
  const [live, declared] = [short(before, name), short(after, name)];
  const values = cause === "drift" ? markup`${live}, declared ${declared}` : markup`${live} → ${declared}`;
  const more = others.length > 0 ? markup` <span class="soft">+${others.length} more</span>` : "";
  return markup`<span class="field-name">${name}</span> ${values}${more}`;
}

function short(side: Fields | null, name: string): Markup {
  const value: Value | undefined = side?.[name];
  return markup`<code>${value === undefined ? "not set" : clipped(valueText(value), 48)}</code>`;
}

/** What the difference does to the policy, where that is known. */
export function directionNode({ effect, cause }: Pick<DifferenceShape, "effect" | "cause">): Markup {
  if (!effect) return markup``;
  return cause === "pending" ? badge(effect) : badge(directions[effect], effect === "tightened" ? "loosened" : "stale");
}
