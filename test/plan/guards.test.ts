import { describe, expect, test } from "vitest";
import { addressMatcher } from "../../src/model/address.ts";
import type { Change } from "../../src/model/types.ts";
import type { Difference } from "../../src/plan/diff/diff.ts";
import { checkGuards, type GuardRules, unwaivedObjections } from "../../src/plan/guards.ts";

const origin = { place: () => ({ file: "policy.yaml", line: 1, column: 1 }) };

function removal(project: string, index: number): Change {
  const key = `License-${index}`;
  const address = `${project}:license/${key}`;
  const rest = { before: {}, after: null, declared: {}, live: undefined, liveDigest: undefined, reason: "", origin };
  const cause = "drift";
  return { address, project, kind: "license", key, action: "delete", cause, ...rest };
}

function difference(project: string, live: number, removals: number): Difference {
  const changes = Array.from({ length: removals }, (_, index) => removal(project, index));
  return { project, live, changes, unmanaged: 0, unverified: [], settled: [], absent: [], problems: [] };
}

function rules(more: Partial<GuardRules> = {}): GuardRules {
  return { guards: { deletePercent: 30, deleteMinimum: 10 }, isProtected: () => false, ...more };
}

const scopes = (differences: Difference[], by = rules()) =>
  checkGuards(differences, by).map(({ message }) => message.replace(/ would be.*/, ""));

describe("the share of what is live that may go", () => {
  test("fewer than the minimum pass, whatever their share", () => {
    expect(scopes([difference("a", 9, 9)])).toEqual([]);
  });

  test("exactly the percentage passes; one more is refused, for the project and for the fleet", () => {
    expect(scopes([difference("a", 40, 12)])).toEqual([]);
    expect(scopes([difference("a", 40, 13), difference("b", 1, 0)])).toEqual([
      `13 of 41 live resources of the fleet (32 %)`,
      `13 of 40 live resources of a (33 %)`,
    ]);
  });

  test("a fleet of one project is refused once", () => {
    expect(scopes([difference("a", 40, 13)])).toEqual([`13 of 40 live resources of the fleet (33 %)`]);
  });

  test("one project is refused although the fleet is large", () => {
    expect(scopes([difference("a", 12, 12), difference("b", 1000, 0)])).toEqual([
      `12 of 12 live resources of a (100 %)`,
    ]);
  });

  test("the fleet is refused although no project alone would be", () => {
    const fleet = Array.from({ length: 4 }, (_, index) => difference(`p${index}`, 8, 3));
    expect(scopes(fleet)).toEqual([`12 of 32 live resources of the fleet (38 %)`]);
  });

  test("a waiver counts: up to N pass, N + 1 do not", () => {
    const objections = checkGuards([difference("a", 12, 12), difference("b", 1, 0)], rules());
    expect(unwaivedObjections(objections, 12, { deletes: 12, protected: new Set() })).toEqual([]);
    expect(unwaivedObjections(objections, 12, { deletes: 11, protected: new Set() })).toHaveLength(2);
  });
});

describe("what is protected", () => {
  const protectA = rules({ isProtected: addressMatcher("a:license/*") });

  test("each removal of it is an objection of its own, and nothing else is", () => {
    const objections = checkGuards([difference("a", 50, 2), difference("b", 50, 2)], protectA);
    expect(objections.map(({ addresses }) => addresses)).toEqual([["a:license/License-0"], ["a:license/License-1"]]);
  });

  test("only the named address is let pass, and a number of deletes does not help", () => {
    const objections = checkGuards([difference("a", 50, 2)], protectA);
    const waivers = { deletes: 1000, protected: new Set(["a:license/License-0"]) };
    expect(unwaivedObjections(objections, 2, waivers).map(({ addresses }) => addresses)).toEqual([
      ["a:license/License-1"],
    ]);
  });
});

test("a kind is judged over the fleet, so that many labels make no room for few branches", () => {
  const labels = { ...difference("a", 300, 0), liveByKind: { label: 300 } };
  const licenses = { ...difference("b", 20, 12), liveByKind: { license: 20 } };
  expect(scopes([labels, licenses])).toEqual([
    "12 of 20 live resources of kind license (60 %)",
    "12 of 20 live resources of b (60 %)",
  ]);
});
