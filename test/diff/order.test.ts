import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Action, Change } from "../../src/model/types.ts";
import { inApplyOrder, kindOrder } from "../../src/plan/diff/changes.ts";
import { minimal } from "../kinds/kinds.ts";

const bundled = catalogueOf();
const actions: readonly Action[] = ["create", "update", "replace", "disable", "delete"];
const changes = fc.record({
  kind: fc.constantFrom(...bundled.kinds.keys()),
  action: fc.constantFrom(...actions),
  address: fc.stringMatching(/^[a-z]{1,6}$/),
}) as unknown as fc.Arbitrary<Change>;

function ordered(kinds: Readonly<Record<string, readonly string[]>>) {
  const rows = Object.entries(kinds).map(([name, after]) => {
    return [name, kindRowOf({ ...minimal, name, singular: name, after } as unknown as ResourceKind)] as const;
  });
  return kindOrder({ ...bundled, kinds: new Map(rows) });
}

describe("the order of changes of a project", () => {
  test("writes what others refer to first, and deletes it last; deletions come at the end", () => {
    const sorted = inApplyOrder(bundled);
    const before = [...bundled.kinds].flatMap(([kind, { file }]) =>
      (file?.after ?? []).flatMap((name) =>
        [...bundled.kinds].flatMap(([other, { policy }]) => (policy?.section === name ? [[other, kind] as const] : [])),
      ),
    );
    expect(before).toContainEqual(["protected_branch", "approval_rule"]);
    fc.assert(
      fc.property(fc.array(changes), (all) => {
        const order = [...all].sort(sorted);
        const deletions = order.filter(({ action }) => action === "delete");
        expect(order.slice(order.length - deletions.length)).toEqual(deletions);
        for (const [first, later] of before) {
          const places = (part: readonly Change[], kind: string) =>
            part.flatMap((each, index) => (each.kind === kind ? [index] : []));
          const writes = order.slice(0, order.length - deletions.length);
          expect(Math.max(-1, ...places(writes, first))).toBeLessThan(
            Math.min(all.length, ...places(writes, later)) + 0.5,
          );
          expect(Math.max(-1, ...places(deletions, later))).toBeLessThan(
            Math.min(all.length, ...places(deletions, first)) + 0.5,
          );
        }
      }),
    );
  });

  test("is that of the longest way; kinds that name one another are not kept apart", () => {
    expect([...ordered({ a: ["b", "c"], b: ["c"], c: [] })]).toEqual([
      ["a", 2],
      ["b", 1],
      ["c", 0],
    ]);
    expect(new Set(ordered({ a: ["b"], b: ["a"] }).values()).size).toBe(1);
    expect([...ordered({ a: ["a", "unknown"] }).values()]).toEqual([0]);
  });
});
