import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { listFindings, reviewFindings } from "../../src/report/findings.ts";
import { codequality, github, sarif } from "../../src/report/formats.ts";
import type { Report } from "../../src/report/report.ts";
import { changeWith, hostileAndPlain, plainWords } from "../support/hostile.ts";
import { planned, planWith, reportOf } from "../support/plans.ts";

const none = () => undefined;
const mixed = planWith({
  changes: [0, 1, 2, 3].map((index) => changeWith(plainWords, index)),
  problems: [{ rule: "unreadable", message: "gone", project: "p" }],
  warnings: [{ rule: "deprecated", message: "old word", file: "a.yaml", line: 2, column: 3, path: "licenses.MIT" }],
  objections: [{ guard: "protected", message: "x is protected", addresses: ["x"] }],
});

describe("findings", () => {
  test("are everything to act on, the worst first, changes by their action", () => {
    expect(listFindings(mixed, reportOf(mixed)).map(({ level, rule }) => `${level} ${rule}`)).toEqual([
      ...["error unreadable", "warning guard-protected", "warning planned-disable", "warning planned-delete"],
      ...["warning deprecated", "note planned-create", "note planned-update"],
    ]);
  });

  test("put what loosens a policy and what costs events on top, a loosening as a warning", () => {
    const lost_notifications = ["#ci will no longer receive pushes (chat)"];
    const plan = planWith({
      changes: [
        planned("p", "mail", "create"),
        planned("p", "chat", "update", { lost_notifications, notes: lost_notifications }),
        planned("p", "MIT", "update", { kind: "license", policy_effect: "loosened" }),
        planned("q", "MIT", "update", { kind: "license", policy_effect: "tightened" }),
      ],
    });
    const told = reviewFindings(plan, reportOf(plan)).map(({ level, rule }) => `${level} ${rule}`);
    expect(told).toEqual([
      ...["warning review-loosened", "warning review-lost-notifications", "warning planned-update"],
      ...["note planned-update", "note planned-create", "note planned-update"],
    ]);
  });

  test("name places as the repository does, and evenkeel.yaml where there is none", () => {
    const places = listFindings(mixed, reportOf(mixed, { folder: "ops/keel/" })).map(({ place }) => place);
    expect(places[0]).toEqual({ file: "ops/keel/evenkeel.yaml", line: 1, column: 1 });
    expect(places[4]).toEqual({ file: "ops/keel/a.yaml", line: 2, column: 3 });
  });

  test("leave out what was applied, and tell what was not; a guard's refusal is an error", () => {
    const statuses = ["applied", "failed", "skipped", "stale", "unknown"] as const;
    const plan = planWith({
      changes: statuses.map((status, index) => changeWith(plainWords, index, status)),
      objections: mixed.objections,
    });
    expect(listFindings(plan, reportOf(plan, { exitCode: 3 })).map(({ level, rule }) => `${level} ${rule}`)).toEqual([
      "error guard-protected",
      "error apply-failed",
      "error apply-unknown",
      "warning apply-skipped",
      "warning apply-stale",
    ]);
  });

  test("keep their fingerprints when lines move, and share none", () => {
    const problem = (line: number) => ({
      rule: "tie",
      message: `the same as in b.yaml:${line}:1`,
      file: "a.yaml",
      line,
      column: 1,
    });
    const prints = (plan: Plan) => listFindings(plan, reportOf(plan)).map(({ fingerprint }) => fingerprint);
    const before = prints(planWith({ changes: mixed.resource_changes, problems: [problem(3), problem(8)] }));
    const moved = mixed.resource_changes.map((change) => ({ ...change, source: { ...change.source, line: 99 } }));
    expect(prints(planWith({ changes: moved, problems: [problem(30), problem(80)] }))).toEqual(before);
    expect(new Set(before).size).toBe(6);
  });

  test("share no fingerprint and stay on one line whatever they are about", () => {
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => {
        const findings = listFindings(evil, reportOf(evil));
        expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
        for (const { message } of findings) expect(message).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
      }),
    );
  });
});

describe("SARIF", () => {
  const read = (plan: Plan, more: Partial<Report> = {}) => {
    return JSON.parse(sarif(reportOf(plan, more), none)).runs[0];
  };

  test("has a result a finding, and a rule for each", () => {
    const run = read(mixed, { command: "drift", exitCode: 1, folder: "ops keel/" });
    expect([run.results.length, run.automationDetails.id]).toEqual([7, "evenkeel/drift/"]);
    expect(run.invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 1 });
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    const { physicalLocation, logicalLocations } = run.results[2].locations[0];
    expect(physicalLocation.artifactLocation.uri).toBe("ops%20keel/policies/a.yaml");
    expect(logicalLocations).toEqual([{ fullyQualifiedName: "pay/core2:integration/irc-gateway" }]);
  });

  test("stops where code scanning does, the worst kept, and says so", () => {
    const problems = [{ rule: "unreadable", message: "gone" }];
    const warnings = Array.from({ length: 25_001 }, () => ({ rule: "w", message: "x" }));
    const run = read(planWith({ problems, warnings }));
    expect([run.results.length, run.results[0].level]).toEqual([25_000, "error"]);
    expect(run.invocations[0].toolExecutionNotifications[0].message.text).toMatch(/^2 more results are left out/);
  });
});

describe("code quality", () => {
  const isReport = new Ajv({ strict: false }).compile({
    type: "array",
    items: {
      type: "object",
      required: ["description", "check_name", "fingerprint", "severity", "location"],
      properties: {
        description: { type: "string" },
        check_name: { type: "string" },
        fingerprint: { type: "string", pattern: "^[0-9a-f]{40}$" },
        severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
        location: {
          type: "object",
          required: ["path", "lines"],
          properties: {
            path: { type: "string", pattern: "^[^/]" },
            lines: { type: "object", required: ["begin"], properties: { begin: { type: "integer" } } },
          },
        },
      },
    },
  });
  const read = (plan: Plan) => {
    const entries = JSON.parse(codequality(reportOf(plan), none));
    expect(isReport(entries), JSON.stringify(isReport.errors)).toBe(true);
    return entries;
  };

  test("has an entry a finding, and is an empty list without", () => {
    expect(read(planWith({}))).toEqual([]);
    expect(read(mixed)[0]).toMatchObject({ severity: "critical", location: { path: "evenkeel.yaml" } });
    expect(read(mixed).map((entry: { check_name: string }) => entry.check_name)).toEqual([
      "unreadable",
      "review-disabled",
      "review-deleted",
      ...["guard-protected", "planned-disable", "planned-delete", "deprecated", "planned-create", "planned-update"],
    ]);
  });
});

describe("workflow commands", () => {
  const lines = (plan: Plan, more: Partial<Report> = {}) => github(reportOf(plan, more), none).split("\n");
  const command = /^::(?:error|warning|notice) file=[^:,\r\n]*,line=\d+,col=\d+,title=[^:,\r\n]*::[^\r\n]*$/;

  test("annotate the worst first, and count what is found", () => {
    const told = lines(mixed, { folder: "ops/" });
    expect(told[0]).toBe("::error file=ops/evenkeel.yaml,line=1,col=1,title=Evenkeel%3A unreadable::p: gone");
    expect(told.at(-1)).toBe("Evenkeel: 9 findings.");
    expect(told.slice(0, -1).every((line) => command.test(line))).toBe(true);
  });

  test("are ten of each level at most, and the rest is counted", () => {
    const many = (rule: string) => Array.from({ length: 12 }, (_, n) => ({ rule, message: `m${n}` }));
    const changes = Array.from({ length: 30 }, (_, index) => changeWith(plainWords, index * 4));
    const told = lines(planWith({ problems: many("p"), warnings: many("w"), changes }));
    for (const level of ["error", "warning", "notice"]) {
      expect(told.filter((line) => line.startsWith(`::${level} `))).toHaveLength(10);
    }
    expect(told.at(-1)).toContain("54 findings; 24 of them are not annotated");
  });

  test("are what we mean and nothing else, whatever they tell", () => {
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => {
        const told = lines(evil);
        const expected = reviewFindings(evil, reportOf(evil));
        const shown = ["error", "warning", "note"].map(
          (level) => expected.filter((each) => each.level === level).length,
        );
        expect(told).toHaveLength(shown.reduce((sum, count) => sum + Math.min(10, count), 1));
        for (const line of told.slice(0, -1)) expect(line).toMatch(command);
      }),
    );
  });
});
