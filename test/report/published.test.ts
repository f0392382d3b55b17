import { createRequire } from "node:module";
import AjvDraft04 from "ajv-draft-04";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { sarif } from "../../src/report/formats.ts";
import { prometheus } from "../../src/report/prometheus.ts";
import { changeWith, hostileAndPlain, plainWords } from "../support/hostile.ts";
import { planWith, reportOf } from "../support/plans.ts";
import { parsePrometheus } from "../support/prometheus.ts";

const require = createRequire(import.meta.url);
const none = () => undefined;

const sarifSchema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const ajv = new AjvDraft04.default({
  strict: false,
  unicodeRegExp: false,
  logger: false,
  formats: { uri: true, "uri-reference": true, "date-time": true },
});
const isSarif = ajv.compile(sarifSchema);

function check(plan: Plan): void {
  const report = reportOf(plan);
  isSarif(JSON.parse(sarif(report, none)));
  expect(isSarif.errors ?? []).toEqual([]);
  const metrics = parsePrometheus(`${prometheus(report, none)}\n`);
  expect(metrics.map(({ name }) => name)).toContain("evenkeel_build_info");
}

describe("what others publish takes our reports: the SARIF 2.1.0 schema, a Prometheus parser", () => {
  test("of a plan of every action", () => {
    check(planWith({ changes: [0, 1, 2, 3].map((index) => changeWith(plainWords, index)) }));
  });

  test("of a plan with nothing to say", () => {
    check(planWith({}));
  });

  test("of hostile plans", () => {
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => check(evil)),
      { numRuns: 50 },
    );
  });
});
