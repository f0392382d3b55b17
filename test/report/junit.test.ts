import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable } from "../../src/base/printable.ts";
import { junit } from "../../src/report/junit.ts";
import { changeWith, hostileAndPlain, plainWords } from "../support/hostile.ts";
import { fieldsOf, planned, planWith, reportOf } from "../support/plans.ts";
import { type Element, parseXml } from "./xml.ts";

const read = (...args: Parameters<typeof reportOf>) => parseXml(junit(reportOf(...args), () => undefined));
/** The suite with its test cases alone. */
const suiteOf = (root: Element) => {
  const suite = root.children[0] ?? root;
  return { ...suite, children: suite.children.filter(({ name }) => name !== "properties") };
};
const propertiesOf = (root: Element) => {
  const { name, children } = root.children[0]?.children[0] ?? root;
  expect(name).toBe("properties");
  return children.map(({ attributes }) => `${attributes.name}: ${attributes.value}`);
};
const verdictOf = ({ children: [verdict] }: Element) => verdict?.name ?? "passed";

/** What readers of JUnit ask for: the shape that the schema of Jenkins' plugin describes. */
function check(root: Element): void {
  expect(root.name).toBe("testsuites");
  const suite = suiteOf(root);
  expect(Object.keys(suite.attributes).sort()).toEqual(
    ["errors", "failures", "name", "skipped", "tests", "time", "timestamp"].sort(),
  );
  expect(suite.attributes.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  for (const each of suite.children) {
    expect(each.name).toBe("testcase");
    expect(Object.keys(each.attributes)).toEqual(expect.arrayContaining(["classname", "name", "time"]));
    for (const { name, attributes } of each.children) {
      expect(["failure", "error", "skipped"]).toContain(name);
      expect(Object.keys(attributes)).toEqual(["message", "type"]);
    }
  }
  for (const element of [root, suite]) {
    const count = (verdict: string) => suite.children.filter((each) => verdictOf(each) === verdict).length;
    const { tests, failures, errors, skipped } = element.attributes;
    expect([tests, failures, errors, skipped].map(Number)).toEqual([
      suite.children.length,
      count("failure"),
      count("error"),
      count("skipped"),
    ]);
  }
  const names = suite.children.map(({ attributes: { classname, name } }) => `${classname}\0${name}`);
  expect(new Set(names).size).toBe(names.length);
}

describe("JUnit XML", () => {
  test("has a failed test for each pending change, one in error a problem, a skipped one a warning", () => {
    const root = read(
      planWith({
        changes: [changeWith(plainWords, 1)],
        problems: [{ rule: "unreadable", message: "gone", project: "p" }],
        warnings: [{ rule: "deprecated", message: "old word", file: "a.yaml", line: 2, column: 3 }],
        objections: [{ guard: "protected", message: "x is protected", addresses: ["x"] }],
      }),
      { seconds: 2, exitCode: 1 },
    );
    check(root);
    const cases = suiteOf(root).children.map((each) => `${verdictOf(each)} ${each.attributes.name}`);
    expect(cases).toEqual([
      "error unreadable: p: gone",
      "failure guard-protected: x is protected",
      "skipped deprecated: old word",
      "failure planned-update: pay/core1:integration/irc-gateway",
    ]);
    expect(suiteOf(root).children[3]?.children[0]?.text).toContain("(policies/a.yaml:15:3)");
  });

  test("begins with what to look at first, and what the plan is of", () => {
    const loosened = { kind: "license", policy_effect: "loosened" } as const;
    const changes = ["p", "q"].map((project) => {
      return planned(project, "MIT", "create", {
        ...loosened,
        change: fieldsOf("create", {}, { approval_status: "allowed" }),
      });
    });
    expect(propertiesOf(read({ ...planWith({ changes }), scope: { shards: ["1/2"] } }))).toEqual([
      "loosened: 2 changes loosen the policy: license/MIT becomes allowed in 2 projects",
      "made: 2026-11-21T07:23:14.000Z",
      "only: shard 1/2",
    ]);
  });

  test("passes where there is nothing to act on, and for what was applied", () => {
    const [one] = suiteOf(read(planWith({}), { command: "drift" })).children;
    expect(one).toMatchObject({ children: [], attributes: { name: "drift: nothing to act on" } });
    const statuses = ["applied", "failed", "skipped", "stale", "unknown"] as const;
    const root = read(planWith({ changes: statuses.map((status, index) => changeWith(plainWords, index, status)) }));
    check(root);
    expect(suiteOf(root).children.map(verdictOf).sort()).toEqual([
      "failure",
      "failure",
      "failure",
      "passed",
      "skipped",
    ]);
  });

  test("names no test twice, whatever is in the names", () => {
    const problem = (message: string) => ({ rule: "r", message, file: "a" });
    check(read(planWith({ problems: ["x", "x (2)", "x", "x"].map(problem) })));
  });

  test("is well-formed whatever it tells, and says it in full", () => {
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => {
        const root = read(evil);
        check(root);
        const told = suiteOf(root)
          .children.map(({ children: [verdict] }) => verdict?.text ?? "")
          .join("\n");
        for (const { message } of evil.problems) {
          expect(told).toContain(printable(message.toWellFormed()));
        }
      }),
    );
  });
});
