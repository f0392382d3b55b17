import { describe, expect, test } from "vitest";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import { objections, outcomes, type Runs, runs } from "./runs.ts";

const licenses = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`L-${i}`, "allowed"]));
const keeping = (count: number) => ({ licenses: licenses(count), exclusive: ["licenses"] });

/** Projects p0, p1, … with so many licenses each, of which the policies keep so many. */
function fleet(live: readonly number[], kept: readonly number[]) {
  const policies = kept.map((count, i) => [`policy-${i}`, { projects: [`p${i}`], ...keeping(count) }]);
  const projects = live.map((count, i) => ({ path: `p${i}`, licenses: licenses(count) }));
  return runs({ projects, policies: Object.fromEntries(policies) });
}

type Forge = (plan: Plan) => object;

/** Saves the plan of now, forged, with a digest to match. */
async function save(run: Runs, forge: Forge = (plan) => plan): Promise<{ readonly saved: string }> {
  const forged = forge((await run.plan()).plan) as Plan;
  run.write("plan.json", JSON.stringify({ ...forged, digest: planDigest(forged) }));
  run.asked();
  return { saved: `${run.root}/plan.json` };
}

test("a merged plan of shards with few removals each is judged as a whole", async () => {
  const run = await fleet([6, 6], [0, 0]);
  const unshared = await save(run, (plan) => ({ ...plan, objections: [] }));
  const { refused = [] } = await run.apply(unshared);
  expect(refused.map(({ message }) => message)).toEqual([expect.stringMatching(/^12 of 12 live .* of the fleet/)]);
  const waivers = { deletes: 12, protected: new Set<string>() };
  expect((await run.apply({ ...unshared, waivers })).outcomes?.size).toBe(12);
});

test("an objection of the plan remains, and nothing is read for it", async () => {
  const run = await fleet([12, 90], [0, 90]);
  const saved = await save(run);
  expect(objections(await run.apply(saved))).toEqual([expect.stringMatching(/^12 of 12 live .* of p0 \(100 %\)/)]);
  expect(run.asked()).toEqual([]);
});

test("a switch-off that the file hides is stale, and one under another kind's name is refused as what it is", async () => {
  const slug = "issue-tracker-full";
  const settings = { url: "https://tracker.example.com", username: "bot", password: { secret: "env:TRACKER" } };
  const run = await runs({
    projects: [{ path: "p", integrations: { [slug]: { ...settings, password: "x", active: true } } }],
    policy: { projects: ["p"], integrations: { [slug]: settings }, disabled: ["irc-gateway"] },
    workspace: { protected: ["*"] },
    secrets: { TRACKER: "a password" },
  });
  await run.ask("PUT", "/projects/p/integrations/irc-gateway", { form: { recipients: "#a" } });
  const hiding: Forge = (plan) => ({
    ...plan,
    objections: [],
    resource_changes: plan.resource_changes.flatMap((each) =>
      each.key === slug ? { ...each, change: { ...each.change, before: {}, after: {} } } : [],
    ),
  });
  const renaming: Forge = (plan) => ({
    ...plan,
    objections: [],
    resource_changes: plan.resource_changes.flatMap((each) => (each.key === slug ? [] : { ...each, kind: "license" })),
  });
  const applied = await run.apply(await save(run, hiding));
  expect(applied.refused).toBeUndefined();
  expect(outcomes(applied)).toEqual([`stale p:integration/${slug}`]);
  const renamed = await run.apply(await save(run, renaming));
  expect(renamed.refused).toMatchObject([{ guard: "protected", addresses: ["p:integration/irc-gateway"] }]);
  expect(run.server.requests.writes).toBe(0);
});

describe("a file that is no plan is refused before anything is sent", () => {
  const without =
    (key: string): Forge =>
    (plan) =>
      Object.fromEntries(Object.entries(plan).filter(([name]) => name !== key));
  const outcome = { status: "applied" };
  const report = "is the report of an apply, not a plan";
  test.each<[string, Forge, string]>([
    ["no problems", without("problems"), "is not a complete plan: problems"],
    ["no changes", without("resource_changes"), "is not a complete plan: resource_changes"],
    ["problems that are none", (plan) => ({ ...plan, problems: "none" }), "problems expected a list, got a string"],
    ["words for a time", (plan) => ({ ...plan, created_at: "today, approved by security" }), "created_at"],
    ["requests", (plan) => ({ ...plan, requests: [] }), report],
    [
      "an outcome",
      (plan) => ({ ...plan, resource_changes: plan.resource_changes.map((each) => ({ ...each, outcome })) }),
      report,
    ],
  ])("%s", async (_, forge, words) => {
    const run = await fleet([3], [1]);
    const { plan, outcomes } = await run.apply(await save(run, forge));
    expect(plan.problems).toHaveLength(1);
    expect(plan.problems[0]?.message).toContain(words);
    expect([outcomes, run.asked()]).toEqual([undefined, []]);
  });
});

test("a policy that expires between plan and apply makes the saved plan stale, not wrong", async () => {
  const run = await runs({
    projects: [{ path: "p", licenses: { MIT: "allowed", WTFPL: "allowed" } }, { path: "q" }],
    policies: {
      base: { projects: ["*"], licenses: { MIT: "denied" }, exclusive: ["licenses"] },
      trial: { until: "2027-06-30", projects: ["p"], licenses: { MIT: "allowed", WTFPL: "allowed" } },
    },
  });
  run.write("plan.json", JSON.stringify((await run.plan({ today: "2027-06-30" })).plan));
  const saved = `${run.root}/plan.json`;
  const late = await run.apply({ saved, today: "2027-07-01" });
  expect([late.stale, late.outcomes]).toEqual([true, undefined]);
  expect(run.server.requests.writes).toBe(0);
  expect(outcomes(await run.apply({ saved, today: "2027-06-30" }))).toEqual(["applied q:license/MIT"]);
});

test("a plan that hides what loosens is refused where that is asked for", async () => {
  const run = await runs({
    projects: [{ path: "p", licenses: { WTFPL: "denied" } }],
    policy: { projects: ["p"], licenses: { WTFPL: "allowed" } },
  });
  const saved = await save(run, (plan) => ({
    ...plan,
    resource_changes: plan.resource_changes.map((each) => ({
      ...each,
      change: { ...each.change, after: { approval_status: "denied" } },
    })),
  }));
  const { refused = [] } = await run.apply({ ...saved, failOnLoosening: true });
  expect([refused.map(({ guard }) => guard), run.server.requests.writes]).toEqual([["loosening"], 0]);
});
