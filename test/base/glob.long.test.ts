import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher } from "../../src/base/glob.ts";
import { globKinds } from "./globs.ts";

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

test.each(globKinds)("globs say what they said when a library read them of %s", (_, rules, theirs) => {
  const law = (glob: string, path: string) => {
    expect([glob, path, globMatcher(glob, rules)(path)]).toEqual([glob, path, theirs(glob)(path)]);
  };
  fc.assert(fc.property(globs, paths, law), { numRuns: 5_000 });
});
