import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { matchingLayers } from "../../src/manifest/selection.ts";
import { validate } from "../../src/manifest/validate.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import type { Project } from "../../src/model/types.ts";
import {
  compareRevisions,
  hasDesiredChange,
  type RevisionSide,
  touchedPolicies,
} from "../../src/plan/revision/revision.ts";

const fleet: readonly Project[] = ["a/one", "a/two", "b/one", "b/deep/one"].map((path, index) => {
  return { name: path, path, id: index + 1 };
});

const policy = fc.record({
  projects: fc.uniqueArray(fc.constantFrom<string | number>(1, 2, "a/one", "b/one", "a/*", "b/**", "**"), {
    minLength: 1,
  }),
  except: fc.uniqueArray(fc.constantFrom<string | number>(3, "a/two", "b/*"), { maxLength: 1 }),
  vars: fc.record({ word: fc.constantFrom("x", "y") }),
  licenses: fc.dictionary(fc.constantFrom("MIT", "GPL", "L-${vars.word}"), fc.constantFrom("allowed", "denied")),
  integrations: fc.constantFrom(
    {},
    { "external-wiki": { external_wiki_url: "https://w/${vars.word}/${project.path}" } },
  ),
  exclusive: fc.constantFrom([], ["licenses"]),
});

/** Some policies, and the same with some of them replaced or gone. */
const revisions = fc
  .array(fc.record({ before: fc.option(policy), after: fc.option(policy), stays: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pairs) =>
    pairs.map(({ before, after, stays }, index) => {
      const head = { apiVersion: "evenkeel/v1", kind: "Policy", name: `p${index}`, priority: index };
      const text = (body: object | null) => body && JSON.stringify({ ...head, ...body });
      return { was: text(before), is: text(stays ? before : after) };
    }),
  );

type Known = Map<string, ReturnType<typeof parseManifest>>;

/** `known`: what was parsed before. */
function sideOf(texts: readonly (string | null)[], known: Known, workspace = defaultWorkspace): RevisionSide {
  const documents = texts.flatMap((text) => {
    if (text === null) return [];
    const parsed = known.get(text) ?? parseManifest("p.yaml", text);
    known.set(text, parsed);
    return parsed.documents;
  });
  const { policies, plaintext } = validate({ documents, workspace, problems: [] });
  return { workspace, policies, plaintext, migrations: [], rules: [], kinds: [] };
}

describe("two revisions", () => {
  test("want nothing otherwise of a project that no changed policy selects, and the way back is the same way", () => {
    fc.assert(
      fc.property(revisions, (pairs) => {
        const known: Known = new Map();
        const was = pairs.map((pair) => pair.was);
        const [before, after] = [
          sideOf(was, known),
          sideOf(
            pairs.map(({ is }) => is),
            known,
          ),
        ];
        const touched = touchedPolicies(before, after);
        const wanted = fleet.filter((project) => hasDesiredChange(before, after, project));
        for (const project of wanted) expect(matchingLayers(touched, project).length).toBeGreaterThan(0);
        const named = (changes: readonly { address: string }[]) => changes.map(({ address }) => address);
        const there = compareRevisions(before, after, fleet);
        expect([...new Set(there.changes.map(({ project }) => project))].sort()).toEqual(
          wanted.map(({ name }) => name).sort(),
        );
        expect(named(compareRevisions(after, before, fleet).changes)).toEqual(named(there.changes));
        // Sharing what two revisions have in common is a shortcut, and no more.
        const apart = sideOf(was, new Map());
        expect(named(compareRevisions(apart, after, fleet).changes)).toEqual(named(there.changes));
        const elsewhere = sideOf(was, new Map(), { ...defaultWorkspace });
        expect(compareRevisions(elsewhere, after, fleet).changes).toEqual(there.changes);
      }),
      { numRuns: 200 },
    );
  });
});
