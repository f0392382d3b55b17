import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { type GlobRules, globFault, globFolder, globMatcher } from "../../src/base/glob.ts";

const ofProjects: GlobRules = { crossing: false, cased: false, dots: true };
const ofAddresses: GlobRules = { crossing: true, cased: false, dots: true };
const ofFiles: GlobRules = { crossing: false, cased: true, dots: false };

const kinds: readonly (readonly [string, GlobRules, (glob: string) => (text: string) => boolean])[] = [
  ["projects", ofProjects, (glob) => picomatch(glob, { nocase: true, dot: true, noextglob: true, nonegate: true })],
  ["addresses", ofAddresses, (glob) => picomatch(glob, { nocase: true, bash: true, dot: true, noextglob: true })],
  ["files", ofFiles, (glob) => picomatch(glob)],
];

const choice = fc.array(fc.constantFrom("a", "b", "ab", "?", "[ab]"), { minLength: 2, maxLength: 3 });
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("a", "b", "B", "-", "*", "**", "?") },
  { weight: 2, arbitrary: fc.constantFrom("[ab]", "[^a]", "[a-b]", "{a..b}", "\\*", "\\?", "{a}", "{a,}b", "{,-}a") },
  { weight: 1, arbitrary: choice.map((parts) => `{${parts.join(",")}}`) },
);
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")) },
  { weight: 1, arbitrary: fc.constant("**") },
);
const globs = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"))
  // Three stars are one star; and the library lets `a/**/*` take `a` in one of the three.
  .filter((glob) => !/\*{3}|\/\*\*\/\*$/.test(glob));
const name = fc.array(fc.constantFrom("a", "b", "A", "-"), { minLength: 1, maxLength: 4 }).map((it) => it.join(""));
const paths = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

describe("globs say what they said when a library read them", () => {
  test.each(kinds)("of %s", (_, rules, theirs) => {
    const law = (glob: string, path: string) => {
      expect([glob, path, globMatcher(glob, rules)(path)]).toEqual([glob, path, theirs(glob)(path)]);
    };
    fc.assert(fc.property(globs, paths, law), { numRuns: 5_000 });
  });
});

describe("a glob costs its length times the text's, whatever it holds", () => {
  const text = `${"a".repeat(200)}!`;
  test.each(["*a".repeat(200), `(a|a)*${"(a|a)*".repeat(100)}`, "{a,aa}".repeat(100), "{a*,*a,{*a*,a}}".repeat(100)])(
    "%s",
    (glob) => {
      for (const [, rules] of kinds) expect(globMatcher(`${glob}b`, rules)(text)).toBe(false);
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
