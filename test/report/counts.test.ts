import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { terraform } from "../../src/report/formats.ts";
import { prometheus } from "../../src/report/prometheus.ts";
import type { Report } from "../../src/report/report.ts";
import { changeWith, plainWords } from "../support/hostile.ts";
import { planned, planWith, reportOf } from "../support/plans.ts";
import { parsePrometheus } from "../support/prometheus.ts";

const none = () => undefined;
const changes = [0, 1, 2, 3, 6].map((index) => changeWith(plainWords, index));

describe("the merge request widget", () => {
  test("has its three counts: disabled is deleted", () => {
    expect(JSON.parse(terraform(reportOf(planWith({ changes })), none))).toEqual({ create: 1, update: 1, delete: 3 });
    expect(JSON.parse(terraform(reportOf(planWith({})), none))).toEqual({ create: 0, update: 0, delete: 0 });
  });

  test("has no number above what it can show", () => {
    const { summary, ...plan } = planWith({});
    const huge = { ...plan, summary: { ...summary, create: 1_000_000, disable: 999_999, delete: 999_999 } };
    expect(JSON.parse(terraform(reportOf(huge), none))).toEqual({ create: 999_999, update: 0, delete: 999_999 });
  });
});

function parseMetrics(text: string): Map<string, number> {
  const samples = parsePrometheus(`${text}\n`).flatMap(({ name, metrics }) =>
    metrics.map(({ labels = {}, value }) => {
      const written = Object.entries(labels).map(([label, word]) => `${label}="${word}"`);
      return [`${name}{${written.join()}}`, Number(value)] as const;
    }),
  );
  expect(new Set(samples.map(([name]) => name)).size).toBe(samples.length);
  return new Map(samples);
}

describe("the textfile for Prometheus", () => {
  const common = 'command="drift",server="https://code.example.com"';
  const text = (plan: Plan, more: Partial<Report> = {}, before = none as () => string | undefined) =>
    prometheus(reportOf(plan, { command: "drift", ...more }), before);
  const read = (...args: Parameters<typeof text>) => parseMetrics(text(...args));
  const lastSuccess = `evenkeel_last_success_timestamp_seconds{${common}}`;

  test("counts drift by kind and action, zeros too", () => {
    const samples = read(planWith({ changes }), { exitCode: 2 });
    const drift = (kind: string, action: string) =>
      samples.get(`evenkeel_drift_resources{${common},kind="${kind}",action="${action}"}`);
    expect([drift("integration", "disable"), drift("integration", "create")]).toEqual([2, 1]);
    expect(drift("license", "delete")).toBe(0);
    expect(samples.get(`evenkeel_run_duration_seconds{${common}}`)).toBe(1.25);
    expect(samples.get(lastSuccess)).toBe(Date.parse("2026-11-21T07:23:15Z") / 1000);
    expect([...samples.keys()].some((key) => /^evenkeel_build_info\{.*version="\d/.test(key))).toBe(true);
  });

  test("counts loosening and tightening changes of every kind", () => {
    const effects = [
      planned("p", "MIT", "update", { kind: "license", policy_effect: "loosened" }),
      planned("p", "main", "update", { kind: "protected_branch", policy_effect: "loosened" }),
      planned("q", "main", "update", { kind: "protected_branch", policy_effect: "tightened" }),
    ];
    const samples = read(planWith({ changes: effects }));
    expect(samples.get(`evenkeel_loosened{${common}}`)).toBe(2);
    expect(samples.get(`evenkeel_loosened_licenses{${common}}`)).toBe(2);
    expect(samples.get(`evenkeel_tightened{${common}}`)).toBe(1);
  });

  test("keeps the time of the last success while runs fail", () => {
    const success = text(planWith({}));
    const at = new Date("2026-11-22T00:00:00Z");
    const failed = read(planWith({}), { exitCode: 1, finishedAt: at }, () => success);
    expect(failed.get(lastSuccess)).toBe(Date.parse("2026-11-21T07:23:15Z") / 1000);
    expect(failed.get(`evenkeel_last_run_timestamp_seconds{${common}}`)).toBe(at.getTime() / 1000);
    expect(read(planWith({}), { exitCode: 1 }).has(lastSuccess)).toBe(false);
    expect(read(planWith({}), { exitCode: 1 }, () => `${lastSuccess} soon`).has(lastSuccess)).toBe(false);
  });

  test("says nothing of drift where nothing was compared, and of what was applied", () => {
    const names = [...read(planWith({}), { compared: false, exitCode: 1 }).keys()].join();
    expect(names).not.toContain("drift_resources");
    expect(names).toContain("evenkeel_problems");
    const applied = planWith({ changes: [changeWith(plainWords, 1, "applied"), changeWith(plainWords, 5, "failed")] });
    const updates = `evenkeel_drift_resources{${common},kind="integration",action="update"}`;
    expect(read(applied, { exitCode: 1 }).get(updates)).toBe(1);
  });
});
