import { describe, expect, test } from "vitest";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import type { ChaosRule } from "../../src/server/chaos.ts";
import { objections, outcomes, type Runs, runs } from "./runs.ts";

const licenses = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`L-${i}`, "allowed"]));
const keeping = (count: number) => ({ licenses: licenses(count), exclusive: ["licenses"] });

/** Projects p0, p1, … with so many licenses each, of which the policies keep so many. */
function fleet(
  live: readonly number[],
  kept: readonly number[],
  workspace: object = {},
  chaos: readonly ChaosRule[] = [],
) {
  const policies = kept.map((count, i) => [`policy-${i}`, { projects: [`p${i}`], ...keeping(count) }]);
  const projects = live.map((count, i) => ({ path: `p${i}`, licenses: licenses(count) }));
  return runs({ projects, policies: Object.fromEntries(policies), workspace, chaos });
}

type Forge = (plan: Plan) => object;

/** Saves the plan of now, forged, with a digest to match. */
async function save(run: Runs, forge: Forge = (plan) => plan): Promise<{ readonly saved: string }> {
  const forged = forge((await run.plan()).plan) as Plan;
  run.write("plan.json", JSON.stringify({ ...forged, digest: planDigest(forged) }));
  run.asked();
  return { saved: `${run.root}/plan.json` };
}

const summary =
  (more: Partial<Plan["summary"]>): Forge =>
  (plan) => ({ ...plan, objections: [], summary: { ...plan.summary, ...more } });

const journal = (run: Runs) => Object.entries(run.files()).filter(([name]) => name.includes("journal/"));

test("a plan that says it writes nothing is journalled by what it writes, and its summary told as it is", async () => {
  const run = await fleet([3], [1]);
  const saved = await save(run, summary({ writes: 0, delete: 0, live: 0 }));
  const applied = await run.apply(saved);
  expect(outcomes(applied)).toEqual(["applied p0:license/L-1", "applied p0:license/L-2"]);
  expect(applied.plan.summary).toMatchObject({ writes: 2, delete: 2 });
  expect(journal(run)).toHaveLength(1);
  expect(journal(run)[0]?.[1].match(/"intent"/g)).toHaveLength(2);
});

describe("shares are judged by what is live now", () => {
  test("of one project, whatever the file says", async () => {
    const run = await fleet([12, 90], [0, 90]);
    const saved = await save(run, summary({ live: 100_000, projects: 1, delete: 0 }));
    const { refused = [] } = await run.apply(saved);
    expect(refused.map(({ message }) => message)).toEqual([expect.stringMatching(/^12 of 12 live .* of p0 \(100 %\)/)]);
    expect(run.asked()).toEqual(["GET /projects/p0/managed_licenses", "GET /projects/p1/managed_licenses"]);
    const waivers = { deletes: 11, protected: new Set<string>() };
    expect((await run.apply({ ...saved, waivers })).refused).toHaveLength(1);
    expect((await run.apply({ ...saved, waivers: { ...waivers, deletes: 12 } })).outcomes?.size).toBe(12);
  });

  test("of the fleet, counted where it hangs on it", async () => {
    const run = await fleet([10, 10, 10], [4, 4, 10], { guards: { deletePercent: 30, deleteMinimum: 7 } });
    const forged = await run.apply(await save(run, summary({ live: 100_000 })));
    expect(objections(forged)).toEqual([expect.stringMatching(/^12 of 30 live .* of the fleet \(40 %\)/)]);
    const honest = await run.apply(await save(run));
    expect(objections(honest)).toEqual([expect.stringMatching(/^12 of 30 live .* of the fleet/)]);
    expect(run.asked()).toEqual(["GET /projects/p0/managed_licenses", "GET /projects/p1/managed_licenses"]);
    expect(run.server.requests.writes).toBe(0);
  });

  test("and nothing is read for it where too little goes to matter", async () => {
    const run = await fleet([12], [3]);
    expect(outcomes(await run.apply(await save(run)))).toHaveLength(9);
    expect(run.asked().filter((request) => request.startsWith("GET"))).toEqual(["GET /projects/p0/managed_licenses"]);
  });

  test("a project that cannot be read for it gets no request, and the others theirs", async () => {
    const chaos = [{ match: "/projects/p0/*", status: 403, skip: 1 }];
    const run = await fleet([12, 40], [0, 30], {}, chaos);
    const applied = await run.apply(await save(run, summary({})));
    expect(applied.refused).toBeUndefined();
    expect(new Set(outcomes(applied).map((line) => line.split(":")[0]))).toEqual(new Set(["failed p0", "applied p1"]));
  });
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

describe("a plan that is not whole is refused before anything is sent", () => {
  const without =
    (...keys: string[]): Forge =>
    (plan) =>
      Object.fromEntries(Object.entries(plan).filter(([key]) => !keys.includes(key)));
  const [change, of] = [(plan: Plan) => plan.resource_changes[0], (more: object) => more];
  test.each<[string, Forge, string]>([
    ["no problems", without("problems"), "plan: missing problems;"],
    ["neither problems nor warnings", without("problems", "warnings"), "missing problems, warnings"],
    ["no changes", without("resource_changes"), "missing resource_changes"],
    ["no counts", (plan) => ({ ...plan, summary: {} }), "summary.projects, summary.changed_projects"],
    [
      "changes that are none",
      (plan) => ({ ...plan, resource_changes: [of({ address: "p" })] }),
      "resource_changes.0.project",
    ],
    ["problems that are none", (plan) => ({ ...plan, problems: "none" }), "problems expected a list, got a string"],
    [
      "a change twice",
      (plan) => ({ ...plan, resource_changes: [change(plan), change(plan)] }),
      "p0:license/L-1 is listed twice",
    ],
  ])("%s", async (_, forge, words) => {
    const run = await fleet([3], [1]);
    const { plan, outcomes } = await run.apply(await save(run, forge));
    expect(plan.problems).toHaveLength(1);
    expect(plan.problems[0]?.message).toMatch(/plan\.json is not a complete plan: .*; plan again$/);
    expect(plan.problems[0]?.message).toContain(words);
    expect([outcomes, run.asked()]).toEqual([undefined, []]);
  });
});
