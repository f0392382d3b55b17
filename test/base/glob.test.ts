import { describe, expect, test } from "vitest";
import { globFault, globFolder, globMatcher } from "../../src/base/glob.ts";
import { globKinds, ofAddresses, ofProjects } from "./globs.ts";

describe("a glob costs its length times the text's, whatever it holds", () => {
  const text = `${"a".repeat(200)}!`;
  test.each(["*a".repeat(200), `(a|a)*${"(a|a)*".repeat(100)}`, "{a,aa}".repeat(100), "{a*,*a,{*a*,a}}".repeat(100)])(
    "%s",
    (glob) => {
      for (const [, rules] of globKinds) expect(globMatcher(`${glob}b`, rules)(text)).toBe(false);
    },
  );

  test("also where it is nothing but brackets", () => {
    for (const each of ["[", "{", "{[", "[!", "{,", "}", "\\", "{,}"]) {
      expect(globMatcher(each.repeat(5_000), ofProjects)("a/b")).toBe(false);
      globFault(each.repeat(5_000));
    }
  });
});

test.each([
  ["*:license/!(MIT)", "!(…)"],
  ["*:license/@(MIT|BSD)", "!(…)"],
  ["a/(b|c)", "(a|b)"],
  ["a/[[:alpha:]]", "[[:…:]]"],
  ["a/{01..10}", "single characters"],
  [`a/${"{b,".repeat(21)}c${"}".repeat(21)}`, "at most 20 deep"],
  ["a/*".repeat(4_000), "at most 10000 characters"],
])("%s is a fault", (glob, words) => {
  expect(globFault(glob)).toContain(words);
});

test.each(["BSD (3-Clause)", "GPL+(x)", "a\\|b", "(\\|)", "{a..c}", "[^a]{b,{c,d}}**", "C++ [x]", "a(b)|c"])(
  "%s is none",
  (glob) => {
    expect(globFault(glob)).toBeUndefined();
  },
);

test.each([
  ["[!a]", "b", true],
  ["[!a]", "a", false],
  ["license/C++ [x]*", "license/C++ [x] 2", true],
  ["GPL-[23]+*", "GPL-2+", true],
  ["BSD (*)", "BSD (3-Clause)", true],
  ['"*"', '"MIT"', true],
  ["[]a]", "]", true],
])("%s against %s: %s", (glob, text, expected) => {
  expect(globMatcher(glob, ofAddresses)(text)).toBe(expected);
});

test.each([
  ["a/b/*", "a/b"],
  ["a/b*", "a"],
  ["a/b/**", "a/b"],
  ["*", ""],
  ["a/{b,c}/d", "a"],
  ["a\\*/b*", ""],
  ["a}", ""],
])("%s stands below %j", (glob, folder) => {
  expect(globFolder(glob)).toBe(folder);
});
