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

test.each([
  ["row.url.replace('a', 'b')", "unknown function replace"],
  ["row.url.spilt('@')", "unknown function spilt; did you mean split?"],
  ["'a'.startsWith(1)", "found no matching overload for 'string.startsWith(int)'"],
  ["row.url == '' or row.url == '/'", "CEL writes || for or"],
])("a mistake is named: %s", (text, fault) => {
  expect(compileKindExpression(text, ["row"], "any")).toEqual({ fault });
});
