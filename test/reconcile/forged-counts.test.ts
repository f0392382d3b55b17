import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import { readPlan, readReport } from "../../src/run/saved-plan.ts";
import { folder } from "../support/folder.ts";
import { type Runs, runs } from "./runs.ts";

const hook = "chat-webhook-a";
const projects = [
  { path: "a", licenses: { MIT: "denied", GPL: "denied" } },
  { path: "b", licenses: { MIT: "denied" } },
  { path: "c", licenses: { MIT: "allowed" } },
];
const declared = { licenses: { MIT: "allowed" }, integrations: { [hook]: { webhook: { secret: "env:HOOK" } } } };
const policy = { projects: ["a", "b", "c"], ...declared };

const ruled = (when: string, on: string) => ({
  "rules.yaml": `apiVersion: evenkeel/v1\nkind: Rule\nname: r\non: ${on}\nwhen: ${JSON.stringify(when)}\nmessage: no\n`,
});

const stage = () => runs({ projects, policy, secrets: { HOOK: "https://chat.example.com/hooks/a" } });

function save(run: Pick<Runs, "write" | "root">, plan: object): string {
  run.write("plan.json", JSON.stringify({ ...plan, digest: planDigest(plan as Plan) }));
  return `${run.root}/plan.json`;
}

async function applied(run: Runs, plan: object, when: string, on = "plan") {
  const rules = folder(ruled(when, on)).root;
  const env = { ...run.environment, EVENKEEL_RULES: rules };
  run.server.requests.reset();
  const { refused = [] } = await run.apply({ saved: save(run, plan), env });
  return [refused.map(({ guard }) => guard), run.server.requests.writes];
}

const claims: readonly (readonly [string, object])[] = [
  ["plan.summary.changed_projects * 2 > plan.summary.projects", { projects: 1000 }],
  ["plan.summary.live < 100", { live: 100_000 }],
  ["plan.summary.unmanaged > 0", { unmanaged: 0 }],
  ["plan.summary.unverified >= 0 && plan.summary.projects < 4", { projects: 4 }],
];
const scopes: readonly (readonly [string, object])[] = [
  ["a scope that nothing is in", { scope: { targets: ["nothing/*"] } }],
  ["a shard that does not exist", { scope: { shards: ["9/9", "0/0"] } }],
];

describe("rules count what is there, whatever a forged plan says", () => {
  for (const [when, claim] of claims) {
    test.each(scopes)(`${when}: %s`, async (_, scope) => {
      const run = await stage();
      const { plan } = await run.plan();
      expect(await applied(run, { ...plan, ...scope, summary: { ...plan.summary, ...claim } }, when)).toEqual([
        ["rule"],
        0,
      ]);
    });
  }

  test("an honest plan of a part is counted as that part", async () => {
    const run = await stage();
    const { plan } = await run.plan({ targets: ["b"] });
    const when = "plan.summary.unmanaged > 0 || plan.summary.projects != 1 || plan.summary.live != 1";
    expect(await applied(run, plan, when)).toEqual([[], plan.summary.writes]);
  });

  test("nothing more is read where no rule asks", async () => {
    const run = await stage();
    const { plan } = await run.plan({ targets: ["b:license/MIT"] });
    expect(await applied(run, plan, "plan.summary.changed_projects > 20")).toEqual([[], 1]);
    expect(run.asked().filter((request) => /^GET \/projects\/[ac]\//.test(request))).toEqual([]);
  });
});

describe("rules see lost notifications, whatever a forged plan says", () => {
  const losing = () =>
    runs({
      projects: [{ path: "a", integrations: { "emails-on-push": { recipients: "x", push_events: true } } }],
      policy: { projects: ["a"], disabled: ["emails-on-push"] },
    });
  const hidden = ({ resource_changes, ...plan }: Plan) => ({
    ...plan,
    resource_changes: resource_changes.map(({ notes: _, lost_notifications: __, ...change }) => change),
  });

  test.each([
    ["plan", "plan.summary.lost_notifications > 0"],
    ["plan", "plan.changes.exists(c, c.lost_notifications.size() > 0)"],
    ["change", "size(change.lost_notifications) > 0"],
  ])("on a %s: %s", async (on, when) => {
    const run = await losing();
    const { plan } = await run.plan();
    expect(plan.summary.lost_notifications).toBe(1);
    expect(await applied(run, hidden(plan), when, on)).toEqual([["rule"], 0]);
    expect(await applied(run, plan, when, on)).toEqual([["rule"], 0]);
  });
});

describe("what nobody can know before an apply is in no plan", () => {
  const outcome = { status: "applied" };
  const outcomes = { applied: 9, failed: 0, skipped: 0, stale: 0, unknown: 0 };
  const waves = [{ wave: 1, projects: 3, changes: 9, status: "applied" }];
  const claimed: readonly (readonly [string, (plan: Plan) => object])[] = [
    ["counts of outcomes", ({ summary }) => ({ summary: { ...summary, outcomes } })],
    ["waves", ({ summary }) => ({ summary: { ...summary, waves } })],
    [
      "an outcome",
      ({ resource_changes: [first, ...rest] }) => ({ resource_changes: [{ ...first, outcome }, ...rest] }),
    ],
    ["a wave", ({ resource_changes: [first, ...rest] }) => ({ resource_changes: [{ ...first, wave: 2 }, ...rest] })],
    ["requests", () => ({ requests: [] })],
  ];

  test.each(claimed)("%s", async (_, forge) => {
    const run = await stage();
    const { plan } = await run.plan();
    const saved = save(run, { ...plan, ...forge(plan) });
    await expect(readPlan(saved, catalogueOf())).rejects.toThrow("is the report of an apply, not a plan");
    expect((await readReport(saved, catalogueOf())).resource_changes).toHaveLength(plan.resource_changes.length);
    const { plan: refused } = await run.apply({ saved });
    expect([refused.problems.length, run.server.requests.writes]).toEqual([1, 0]);
  });

  test("and a time is no place for words, since no digest covers it", async () => {
    const run = await stage();
    const { plan } = await run.plan();
    for (const created of ["", "2026-11-22 21:06 UTC, approved by security", "2026-11-22T21:06:00Z\napproved"]) {
      const saved = save(run, { ...plan, created_at: created });
      await expect(readPlan(saved, catalogueOf())).rejects.toThrow("created_at");
    }
  });

  test("counts of what a plan lists are those of what it lists", async () => {
    const run = await stage();
    const { plan } = await run.plan();
    const saved = save(run, { ...plan, summary: { ...plan.summary, changed_projects: 0, unverified: 0, writes: 0 } });
    expect((await readPlan(saved, catalogueOf())).summary).toEqual(plan.summary);
  });
});
