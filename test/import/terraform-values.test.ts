import { describe, expect, test } from "vitest";
import { evaluate, type Names } from "../../src/author/import/from/terraform/expression.ts";
import { hclReader } from "../../src/author/import/from/terraform/hcl.ts";

const values: Readonly<Record<string, unknown>> = {
  list: ["b", "a"],
  teams: { web: { room: "#web", on: true }, api: { room: "#api", on: false } },
  one: 1,
  nothing: null,
  many: Array.from({ length: 200 }, (_, index) => index),
};
const resolve: Names["resolve"] = (first, second) =>
  first === "local" && Object.hasOwn(values, second) ? { known: values[second] } : undefined;

const read = await hclReader();

function evaluated(text: string) {
  const root = read({ name: "a.tf", text: `a = ${text}\n` });
  const attribute = "attributes" in root ? root.attributes.get("a") : undefined;
  if (!attribute) throw new Error(`${text} cannot be read`);
  return evaluate(attribute.value, { resolve, effort: { depth: 0, steps: 0 } });
}

describe("values that files determine", () => {
  test.each<[string, unknown]>([
    ['"${local.one}"', 1],
    ['"a${local.one}"', "a1"],
    ['local.one == 1 ? "x" : var.lost', "x"],
    ["local.nothing == null ? [] : [1]", []],
    ["local.nothing != null && true ? 1 : 2", 2],
    ["!(local.one > 1) || false", true],
    ["[for each in local.list : upper(each)]", ["B", "A"]],
    ["[for team in local.teams : team.room if team.on]", ["#web"]],
    ['{ for name, team in local.teams : "${name}-x" => team["room"] }', { "api-x": "#api", "web-x": "#web" }],
    [
      '[for a in local.list : [for b in local.list : "${a}${b}"]]',
      [
        ["bb", "ba"],
        ["ab", "aa"],
      ],
    ],
    ["flatten([for a in local.list : [a, a]])", ["b", "b", "a", "a"]],
    ["concat([[1], [2]]...)", [1, 2]],
    ["merge({ a = 1 }, { b = 2 })", { a: 1, b: 2 }],
    ['lookup(local.teams, "none", "x")', "x"],
    ["length(local.teams) + 0 == 2 ? 1 : 2", undefined],
    ["length(local.teams)", 2],
    ["keys(local.teams)", ["api", "web"]],
    ['contains(local.list, "a")', true],
    ["toset(concat(local.list, local.list))", ["a", "b"]],
    ['compact(["a", "", null])', ["a"]],
    ["can(local.teams.web.room)", true],
    ["can(local.teams.web.lost)", false],
    ['yamldecode("a: [1, yes]\\nb: { c: null }")', { a: [1, "yes"], b: { c: null } }],
    ['jsondecode("{\\"a\\": [true]}")', { a: [true] }],
  ])("%s", (text, value) => {
    expect(evaluated(text)).toEqual(value === undefined ? { unknown: "an operation" } : { known: value });
  });
});

describe("values that would take for ever are none", () => {
  const loops = (count: number, inner: string): string =>
    count === 0 ? inner : `[for v${count} in local.many : ${loops(count - 1, inner)}]`;
  const doubled = (count: number): string =>
    Array.from({ length: count }).reduce<string>(
      (inner, _, index) => `[for v${index} in [concat(v${index + 1}, v${index + 1})] : ${inner}]`,
      "v0",
    );
  test.each([
    ["loops in loops", loops(5, "1")],
    ["lists that double", `[for v20 in [local.many] : ${doubled(20)}]`],
  ])("%s", (_, text) => {
    expect(evaluated(text)).toEqual({ unknown: "a value that takes too long to work out" });
  });
});

describe("values that files do not determine are none", () => {
  test.each([
    ["local.lost", "local.lost"],
    ["var.lost ? 1 : 2", "var.lost"],
    ["true ? var.lost : 2", "var.lost"],
    ['"true" ? 1 : 2', "a condition"],
    ["[for each in local.list : each.lost]", "each.lost"],
    ["[for key, each in toset(local.list) : key]", "a for expression"],
    ["{ for each in local.list : each => each... }", "a for expression"],
    ["[for each in local.one : each]", "a for expression"],
    ["[for each in local.list : each if var.lost]", "var.lost"],
    ["{ for each in [[1]] : each => 1 }", "a mapping with another key"],
    ["local.list == local.list", "an operation"],
    ['local.one == "1"', "an operation"],
    ["false && var.lost", "var.lost"],
    ["1 + 2", "an operation"],
    ["concat(local.list, 1)", "concat(…)"],
    ['lookup(local.teams, "none")', "lookup(…)"],
    ["merge(local.teams...)", "merge(…)"],
    ["local.list[*].id", "an expression"],
    ["each", "each"],
    ['"${local.list}-"', "a text with something else in it"],
    ['file("x")', 'file("x")'],
  ])("%s", (text, unknown) => {
    expect(evaluated(text)).toEqual({ unknown });
  });
});
