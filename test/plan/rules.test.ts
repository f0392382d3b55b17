import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import { readRules } from "../../src/manifest/rules.ts";
import { addressMatcher } from "../../src/model/address.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { projectNamed } from "../../src/model/identity.ts";
import { planOf } from "../../src/plan/make-plan.ts";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import { type CompiledRule, compileRules, evaluateRules, withRuleFindings } from "../../src/plan/rules/evaluate.ts";
import { differenceOf, type PlanCase } from "./case.ts";

/** A case of test/cases/rules; see the README there. */
interface RuleCase {
  readonly name: string;
  readonly today?: string;
  readonly rules: string;
  readonly projects: PlanCase["projects"];
  readonly expect: readonly string[];
}

const folder = join(import.meta.dirname, "../cases/rules");
const cases = readdirSync(folder).map((file): RuleCase => parse(readFileSync(join(folder, file), "utf8")));

function planned(projects: PlanCase["projects"]): Plan {
  return planOf({
    version: "1.2.3",
    createdAt: "2026-01-02T12:00:00.000Z",
    url: "https://code.example.com",
    manifests: { digest: "", commit: null },
    differences: Object.entries(projects).map(differenceOf),
    objections: [],
    problems: [],
    reads: 0,
  });
}

async function compiled(text: string): Promise<readonly CompiledRule[]> {
  const read = readRules(parseManifest("rules.yaml", text).documents);
  const { rules, problems } = compileRules(read.rules);
  expect([...read.problems, ...problems]).toEqual([]);
  return rules;
}

const on = (today = "2026-01-01") => ({
  today,
  means: addressMatcher,
  projectOf: projectNamed,
  catalogue: catalogueOf(),
});

function told({ objections, warnings }: Pick<Plan, "objections" | "warnings">): readonly string[] {
  return [
    ...objections.map(({ message }) => `error ${message}`),
    ...warnings.map(({ message }) => `warning ${message}`),
  ];
}

test.each([
  ["no message", "name: r\nwhen: change.kee", "there is no kee; did you mean key?"],
  ["a message of the wrong type", "name: r\nmessage: []\nwhen: change.kee", "there is no kee; did you mean key?"],
  ["no name", "message: m\nwhen: change.kee", "there is no kee; did you mean key?"],
  ["a name of the wrong type", "name: 5\nmessage: m\nwhen: change.kee", "there is no kee; did you mean key?"],
  [
    "an unknown severity",
    "name: r\nmessage: m\nseverity: fatal\nwhen: change.kee",
    "there is no kee; did you mean key?",
  ],
  ["an unknown scope, whose names nobody knows", "name: r\nmessage: m\non: plans\nwhen: plan.summary.kee", undefined],
])("the expression of a rule is checked with %s", async (_, lines, fault) => {
  const read = readRules(parseManifest("rules.yaml", `apiVersion: evenkeel/v1\nkind: Rule\n${lines}\n`).documents);
  const { problems } = compileRules(read.rules);
  expect(read.problems).toHaveLength(1);
  expect(problems.map(({ message }) => message)).toEqual(fault === undefined ? [] : [fault]);
});

test.each(cases)("$name", async ({ rules, projects, today, expect: lines }) => {
  const plan = planned(projects);
  expect(told(withRuleFindings(plan, evaluateRules(plan, await compiled(rules), on(today))))).toEqual(lines);
});

test("the order of rules decides nothing, and rules change nothing of a plan but what is said of it", async () => {
  const rules = (await Promise.all(cases.map((each) => compiled(each.rules)))).flat();
  const plans = cases.map(({ projects }) => planned(projects));
  fc.assert(
    fc.property(
      fc.constantFrom(...plans),
      fc.shuffledSubarray([...rules]),
      fc.constantFrom("2026-01-01", "2099-01-01"),
      (plan, some, today) => {
        const before = structuredClone(plan);
        const done = withRuleFindings(plan, evaluateRules(plan, some, on(today)));
        expect(withRuleFindings(plan, evaluateRules(plan, some.toReversed(), on(today)))).toEqual(done);
        expect(plan).toEqual(before);
        const { objections: _, warnings: __, digest, ...rest } = done;
        expect(rest).toEqual((({ objections: _, warnings: __, digest: ___, ...same }) => same)(plan));
        expect(digest).toBe(planDigest(done));
        expect(withRuleFindings(done, evaluateRules(done, some, on(today)))).toEqual(done);
      },
    ),
  );
});

describe("what comes from anybody's merge request", () => {
  const rule = (when: string, where = "change") =>
    `apiVersion: evenkeel/v1\nkind: Rule\nname: hostile\non: ${where}\nwhen: ${JSON.stringify(when)}\nmessage: m\n`;
  const fleet = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`p${i}`, { desired: { "license/MIT": { approval_status: "denied" } } }]),
  );

  test("a pattern that would backtrack takes linear time, and a syntax that needs it is a problem", async () => {
    const long = { p: { desired: { "integration/irc-gateway": { recipients: `${"a".repeat(50_000)}!` } } } };
    const plan = planned(long);
    const rules = await compiled(
      rule('change.after.recipients.matches( // matches\n "^(a+)+$") || change.address.matches("x")'),
    );
    expect(evaluateRules(plan, rules, on()).objections).toEqual([]);
  });

  test.each([
    ['change.key.matches("(?=a)")', "not a regular expression of RE2: invalid or unsupported Perl syntax: `(?=`"],
    ['change.key.matches("((a{100}){100}){100}")', "not a regular expression of RE2: invalid repeat count: `{100}`"],
    ['change.key.matches("(a|b|c|d|e|f){300}")', expect.stringContaining("this pattern is too large")],
    ["change.key.matches(change.project)", "matches needs its pattern written out here"],
    ['change.key . matches /* */ ("a")', expect.any(String)],
    [`change.key.matches("${"a".repeat(501)}")`, "a pattern may have up to 500 characters"],
    [`${"(".repeat(1000)}true${")".repeat(1000)}`, expect.any(String)],
    [`[${"1,".repeat(900)}1].exists(x, x == 2)`, expect.any(String)],
    [
      Array.from({ length: 400 }, () => 'change.key == "a"')
        .join(" || ")
        .slice(0, 3999),
      expect.any(String),
    ],
  ])("%.60s is a problem of its place", async (when, message) => {
    const { problems } = compileRules(readRules(parseManifest("rules.yaml", rule(when)).documents).rules);
    expect(problems).toEqual([
      expect.objectContaining({ rule: "rule-expression", message, place: expect.objectContaining({ line: 5 }) }),
    ]);
  });

  test("a loop inside a loop runs on a plan of 300 changes", async () => {
    const some = Object.fromEntries(Object.entries(fleet).slice(0, 300));
    const when = "plan.changes.exists(a, plan.changes.filter(b, b.project == a.project).size() > 1)";
    expect(evaluateRules(planned(some), await compiled(rule(when, "plan")), on()).objections).toEqual([]);
  });
});
