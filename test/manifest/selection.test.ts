import fc from "fast-check";
import { expect, test } from "vitest";
import type { Policy } from "../../src/manifest/policies.ts";
import { compareLayers, isMatch, isSelected, type Layer, matchingLayers } from "../../src/manifest/selection.ts";
import { selectorOf } from "../../src/manifest/selector.ts";
import type { Project } from "../../src/model/types.ts";

const names = ["a", "A", "b", "a/b", "a/B/c", "ab/c", "a/b/c/d"];
const lines = fc.constantFrom<string | number>(
  ...names.flatMap((name) => [name, `${name}/**`, `${name}/*`, `${name}*`]),
  ...["**", "*", "*/b", "**/c", "{a,b}/**", "a/[bc]/**", 1, 2],
);
const selectors = fc.array(
  fc.tuple(lines, fc.constantFrom("project", "project", "project", "group")).map(([line, owner]) => {
    return selectorOf(line, owner as "project" | "group");
  }),
  { maxLength: 3 },
);
const policies = fc
  .array(fc.record({ projects: selectors, except: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, selectors) }), {
    maxLength: 4,
  })
  .map((all) => all.map((each, at) => ({ ...each, name: `p${at}`, priority: at % 2 }) as unknown as Policy));
const projects = fc.array(
  fc.record({
    id: fc.constantFrom(undefined, 1, 2, 3),
    path: fc.constantFrom(undefined, ...names, "a/", "a/b/", "b/z"),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Matching layers without the index. */
function oneByOne(all: readonly Policy[], project: Project): readonly Layer[] {
  const layers = all.flatMap((policy): Layer[] => {
    const matching = policy.projects.filter((selector) => isMatch(selector, project));
    if (matching.length === 0 || policy.except.some((selector) => isMatch(selector, project))) return [];
    const literals = matching.map((each) => (each.form === "glob" ? each.literal : Number.POSITIVE_INFINITY));
    return [{ policy, literal: Math.max(...literals) }];
  });
  return layers.sort(compareLayers);
}

test("finds the same layers through the index as line by line", () => {
  fc.assert(
    fc.property(policies, projects, (all, asked) => {
      for (const { id, path } of asked) {
        const project = { name: path ?? String(id), ...(id && { id }), ...(path && { path }) } as Project;
        const layers = oneByOne(all, project);
        expect(matchingLayers(all, project)).toEqual(layers);
        expect(isSelected(all, project)).toBe(layers.length > 0);
      }
    }),
    { numRuns: 200 },
  );
});
