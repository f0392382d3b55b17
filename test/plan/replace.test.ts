import { describe, expect, test } from "vitest";
import { addressMatcher } from "../../src/model/address.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Change } from "../../src/model/types.ts";
import { verifyApprovals } from "../../src/plan/approvals/verify.ts";
import type { Difference } from "../../src/plan/diff/diff.ts";
import { checkGuards, unwaivedObjections } from "../../src/plan/guards.ts";
import { plannedChange } from "../../src/plan/make-plan.ts";
import { mergePlans } from "../../src/plan/merge.ts";
import { removalsOf } from "../../src/plan/plan.ts";
import { planRenderers } from "../../src/report/formats.ts";
import type { PlanKind } from "../../src/report/report.ts";
import { touchedBy } from "../../src/state/run-summary.ts";
import { fieldsOf, planned, planWith, reportOf } from "../support/plans.ts";

const origin = { place: () => ({ file: "policies/base.yaml", line: 12, column: 5 }) };

const change: Change = {
  address: "shop/api:license/MIT",
  project: "shop/api",
  kind: "license",
  key: "MIT",
  action: "replace",
  before: { approval_status: "denied" },
  after: { approval_status: "allowed" },
  declared: { approval_status: "allowed" },
  live: { kind: "license", key: "MIT", id: 7, fields: { approval_status: "denied" }, active: true },
  liveDigest: `sha256:${"5a".repeat(32)}`,
  reason: "field differs",
  cause: "drift",
  origin,
};

const replaced = (project: string) =>
  planned(project, "MIT", "replace", {
    kind: "license",
    change: fieldsOf("replace", { approval_status: "allowed" }, { approval_status: "denied" }),
    call: { method: "DELETE", path: "/projects/7/managed_licenses/1" },
    next_call: { method: "POST", path: "/projects/7/managed_licenses" },
  });

const plan = planWith({ changes: [replaced("shop/api"), replaced("shop/web"), planned("shop/web", "irc", "update")] });

describe("a replacement in a plan", () => {
  test("names the fields that get the server's defaults, which are no lost notification", () => {
    const listed = plannedChange({ ...change, resets: ["merge_access_level", "protected"] }, catalogueOf());
    expect(listed.notes?.at(-1)).toBe(
      "what no policy declares gets the server's defaults: merge_access_level, protected",
    );
    expect(listed).not.toHaveProperty("lost_notifications");
  });

  test("is counted apart, in a merged plan too; a plan without any has no such count", () => {
    const counts = { create: 0, update: 1, replace: 2, disable: 0, delete: 0, writes: 5 };
    expect(plan.summary).toMatchObject(counts);
    const other = planWith({ changes: [replaced("shop/cart")], scope: { shards: ["2/2"] } });
    const first = { ...plan, scope: { shards: ["1/2"] } };
    const parts = [
      { name: "a", plan: first },
      { name: "b", plan: other },
    ] as const;
    expect(mergePlans([...parts]).summary).toMatchObject({ replace: 3, writes: 7 });
    expect(planWith({ changes: [planned("p", "irc", "update")] }).summary).not.toHaveProperty("replace");
  });
});

describe("a replacement counts as a deletion", () => {
  const difference = (count: number): Difference => ({
    ...{ project: "shop/api", live: 20, unmanaged: 0, unverified: [], settled: [], absent: [], problems: [] },
    changes: Array.from({ length: count }, (_, index) => ({ ...change, address: `shop/api:license/MIT-${index}` })),
  });
  const guards = { deletePercent: 30, deleteMinimum: 5 };

  test("for the share that may go, and for its waiver", () => {
    const rules = { guards, isProtected: () => false };
    expect(checkGuards([difference(6)], rules)).toEqual([]);
    const objections = checkGuards([difference(7)], rules);
    expect(objections).toMatchObject([{ guard: "delete-percent" }]);
    expect(unwaivedObjections(objections, 7, { deletes: 7, protected: new Set() })).toEqual([]);
    expect(removalsOf(plan)).toHaveLength(2);
  });

  test("for what is protected", () => {
    const isProtected = addressMatcher("*/*:license/*");
    expect(checkGuards([difference(1)], { guards, isProtected })).toMatchObject([
      { message: "shop/api:license/MIT-0 is protected and would be replaced" },
    ]);
  });

  test("for approvals of removals", () => {
    const policy = { rules: [{ when: "removals", count: 1 } as const], signers: [], expire: undefined };
    const context = { policy, signed: undefined, isProtected: () => false, now: new Date() };
    expect(verifyApprovals(plan, context)).toMatchObject([{ guard: "approvals" }]);
  });
});

describe("reports show a replacement", () => {
  const words: Readonly<Partial<Record<PlanKind, string>>> = {
    markdown: "**replace**",
    sarif: "planned-replace",
    junit: "would replace shop/api:license/MIT",
    codequality: "planned-replace",
    github: "would replace shop/api:license/MIT",
    html: 'data-word="replace"',
    terraform: '"create":2,"update":1,"delete":2',
    dotenv: "EVENKEEL_PLAN_REPLACE=2",
  };

  test.each(Object.entries(words))("in %s", async (kind, word) => {
    const renderers = await planRenderers([kind]);
    const render = renderers[kind as keyof typeof renderers];
    expect(render?.(reportOf(plan), () => undefined)).toContain(word);
  });

  test("in the summary of a run", () => {
    const touched = touchedBy([{ address: "shop/api:license/MIT", action: "replace", status: "applied" }]);
    expect(touched).toEqual({ touched: { "shop/api": { "license/MIT": "ra" } } });
  });
});
