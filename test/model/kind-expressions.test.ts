import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileKindExpression, type KindExpression } from "../../src/model/kind-expressions.ts";

function compiled(text: string, ...names: string[]): KindExpression {
  const made = compileKindExpression(text, names, "any");
  if ("fault" in made) throw new RangeError(made.fault);
  return made;
}

describe("what a row lacks is no value", () => {
  test.each<[string, object]>([
    ["row.flag", {}],
    ["row.levels[0].level", { levels: [] }],
    ["row.levels.map(l, l.level)", { levels: [{ id: 1 }] }],
    ["row.?flag.value()", {}],
  ])("%s of %j", (text, row) => {
    expect(compiled(text, "row").valueOf({ row })).toBeUndefined();
  });

  test.each<[string, object | null]>([
    ["row.users.map(u, u.id)", { users: null }],
    ["row.ref.startsWith('refs/')", { ref: 7 }],
    ["row.a - 1", { a: "x" }],
  ])("but %s of %j is an error", (text, row) => {
    expect(() => compiled(text, "row").valueOf({ row })).toThrow("it cannot be evaluated: ");
  });
});

test("matches takes linear time", () => {
  const expression = compiled("row.name.matches('^(a+)+$')", "row");
  // Were it not, this would never end.
  expect(expression.valueOf({ row: { name: `${"a".repeat(5000)}!` } })).toBe(false);
});

describe("bounds", () => {
  const nested = (depth: number): string =>
    depth === 0 ? "row.list.size() > 0" : `row.list.exists(x${depth}, !(${nested(depth - 1)}))`;

  test("loops within loops over a long list are refused, and over a short one they are not", () => {
    const expression = compiled(nested(4), "row");
    expect(() => expression.valueOf({ row: { list: Array(1000).fill(1) } })).toThrow("it could take too long");
    expect(typeof expression.valueOf({ row: { list: [1, 2] } })).toBe("boolean");
  });

  test("a list that grows is bounded by what it grows to", () => {
    const doubled = (depth: number, name: string): string =>
      depth === 0
        ? `${name}.all(x, x == 1)`
        : `cel.bind(y${depth}, ${name} + ${name}, ${doubled(depth - 1, `y${depth}`)})`;
    const expression = compiled(doubled(20, "row.list"), "row");
    expect(() => expression.valueOf({ row: { list: Array(100).fill(1) } })).toThrow("it could take too long");
  });

  test("whatever is evaluated ends, with a value or since it could take too long", () => {
    const shapes = fc.record({
      list: fc.array(fc.oneof(fc.nat(), fc.string(), fc.array(fc.nat(9), { maxLength: 50 })), { maxLength: 300 }),
      text: fc.string({ maxLength: 2000 }),
    });
    const expressions = [1, 2, 3, 4].map((depth) => compiled(nested(depth), "row"));
    expressions.push(compiled("row.text.split('').map(a, row.text.split('').filter(b, a == b).size())", "row"));
    fc.assert(
      fc.property(shapes, fc.constantFrom(...expressions), (row, expression) => {
        try {
          expression.valueOf({ row });
        } catch (error) {
          expect((error as Error).message).toContain("it could take too long");
        }
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  ["row.url.replace('a', 'b')", "unknown function replace"],
  ["row.url.spilt('@')", "unknown function spilt; did you mean split?"],
  ["'a'.startsWith(1)", "found no matching overload for 'string.startsWith(int)'"],
  ["row.url == '' or row.url == '/'", "CEL writes || for or"],
])("a mistake is named: %s", (text, fault) => {
  expect(compileKindExpression(text, ["row"], "any")).toEqual({ fault });
});
