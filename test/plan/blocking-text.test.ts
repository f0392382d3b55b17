import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/types.ts";
import type { Objection } from "../../src/plan/guards.ts";
import { blockingText } from "../../src/plan/guards.ts";
import { runReasons } from "../../src/plan/run-end.ts";

const objection = (guard: Objection["guard"], rest: Partial<Objection> = {}): Objection => ({
  ...{ guard, message: "why", addresses: [] },
  ...rest,
});

describe("what keeps a plan from being applied, in a few words", () => {
  test.each<readonly [string, readonly Objection[], string]>([
    ["nothing", [], ""],
    ["what was waived", [objection("protected", { waived: true })], ""],
    ["a guard, however often it objects", [objection("protected"), objection("protected")], "Blocked by protected"],
    [
      "guards by the names of their settings, and rules by theirs",
      [objection("delete-percent"), objection("protected"), objection("rule", { name: "no-friday" })],
      "Blocked by deletePercent, protected and rule no-friday",
    ],
    ["a rule of a plan of an older version", [objection("rule")], "Blocked by a rule"],
    ["a rule whose name is more than a name", [objection("rule", { name: "x](http://a)" })], "Blocked by a rule"],
    ["approvals", [objection("approvals", { approvals: { needed: 2, given: 1 } })], "Needs 2 approvals, has 1"],
    [
      "approvals that nobody has given, after what blocks",
      [objection("approvals", { approvals: { needed: 1, given: 0 } }), objection("storage")],
      "Blocked by the storage guard; Needs 1 approval, has none",
    ],
    ["approvals of a plan of an older version", [objection("approvals")], "Lacks approvals"],
  ])("%s", (_, objections, expected) => {
    expect(blockingText({ objections })).toBe(expected);
  });
});

test("writes that one requirement refused have a headline in words, before each cause", () => {
  const refused = (address: string, path: string): [string, Outcome] => [
    address,
    { status: "failed", error: `PUT https://x.test${path} answered 403 Forbidden; the token needs the scope api` },
  ];
  const outcomes = new Map<string, Outcome>([
    refused("g/a:webhook/x", "/projects/g%2Fa/hooks/1"),
    refused("g/b:label/y", "/projects/g%2Fb/labels/y"),
    ["g/c:label/y", { status: "applied" }],
  ]);
  const [headline, ...causes] = runReasons({ problems: [], outcomes });
  expect([headline, causes.length]).toEqual(["2 of 3 writes refused: the token needs the scope api", 2]);
  const one = new Map([refused("g/a:webhook/x", "/projects/g%2Fa/hooks/1")]);
  expect(runReasons({ problems: [], outcomes: one })).toHaveLength(1);
});
