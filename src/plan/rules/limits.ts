import { type Bound, costOf } from "../../base/cel/cost.ts";
import type { ExpressionFault } from "../../base/cel/patterns.ts";
import { memoized } from "../../base/memoize.ts";
import type { Expression } from "./language.ts";
import type { ChangeView } from "./view.ts";

/** Of a change: how many fields it has, and how long its longest text is. */
type Sizes = Readonly<Record<"fields" | "text", number>>;

/** Some seconds, whichever rule it is. */
const mostSteps = 50_000_000;

/** Why a rule on changes is not asked of so many and so large ones; undefined where it is. */
export function tooLongOnChanges(expression: Expression, changes: readonly ChangeView[]): ExpressionFault | undefined {
  const costs = memoized((key: string) => {
    const [fields = 1, text = 1] = key.split(" ").map(Number);
    return stepsOf(expression, "change", boundOfChange({ fields, text }));
  });
  return faultBeyond(
    expression,
    changes.reduce((sum, change) => sum + costs(roughSizeOf(change)), 0),
  );
}

/** The same for a rule on plans, of a plan with these changes. */
export function tooLongOnPlan(expression: Expression, changes: readonly ChangeView[]): ExpressionFault | undefined {
  const sizes = changes.map(sizesOf);
  const most = (key: keyof Sizes) => sizes.reduce((max, size) => Math.max(max, size[key]), 1);
  const change = boundOfChange({ fields: most("fields"), text: most("text") });
  const plan: Bound = { size: 1, fields: { changes: { size: changes.length, item: change } }, item: { size: 20 } };
  return faultBeyond(expression, stepsOf(expression, "plan", plan));
}

function stepsOf({ tree, patternSize }: Expression, root: string, bound: Bound): number {
  return costOf(tree, { variables: new Map([[root, bound]]), patternSize });
}

function faultBeyond({ tree }: Expression, steps: number): ExpressionFault | undefined {
  if (steps <= mostSteps) return undefined;
  const message = "the expression could take too long on a plan of this size; nest fewer loops";
  return { message, offset: tree.start };
}

/** Rounded up to a power of two, so that many changes are of one size. */
function roughSizeOf(change: ChangeView): string {
  const { fields, text } = sizesOf(change);
  return [fields, text].map((size) => 2 ** Math.ceil(Math.log2(size))).join(" ");
}

const sizesOf = memoized(({ before, after, ...texts }: ChangeView): Sizes => {
  const entries = [...Object.entries(before), ...Object.entries(after)];
  const lengths = [...Object.values(texts).map((each) => String(each).length), ...entries.map(lengthOf)];
  return { fields: Math.max(1, entries.length), text: Math.max(...lengths) };
}, new WeakMap());

function lengthOf([name, value]: readonly [string, unknown]): number {
  return Math.max(name.length, JSON.stringify(value, withoutBigInt)?.length ?? 0);
}

function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function boundOfChange({ fields, text }: Sizes): Bound {
  const map: Bound = { size: fields, item: { size: text } };
  return { size: 1, fields: { before: map, after: map }, item: { size: text } };
}
