import { describe, expect, test } from "vitest";
import { type Plan, type PlannedChange, planDigest } from "../../src/plan/plan.ts";
import { type Runs, runs } from "./runs.ts";

const hook = "chat-webhook-b";
const secrets = { HOOK: "https://chat.example.com/hooks/a", OTHER: "https://chat.example.com/hooks/b" };
const live = { integrations: { [hook]: { webhook: "https://chat.example.com/hooks/before", push_events: true } } };
const wanted = {
  integrations: { [hook]: { webhook: { secret: "env:HOOK" }, push_events: false } },
  licenses: { MIT: "allowed" },
};

/** `a` has nothing yet, `b` other settings, `c` all that is declared. */
async function scene(more: object = {}): Promise<Runs> {
  const settled = {
    integrations: { [hook]: { webhook: secrets.HOOK, push_events: false } },
    licenses: { MIT: "allowed" },
  };
  const projects = [{ path: "a" }, { path: "b", ...live }, { path: "c", ...settled }];
  return runs({ projects, policy: { projects: ["a", "b", "c"], ...wanted }, secrets, ...more });
}

type Forge = (change: PlannedChange) => object;

/** A plan with the change of one address forged, or one more where `as` names another. */
function forgedAt(plan: Plan, address: string, forge: Forge, as = address): Plan {
  const original = plan.resource_changes.find((each) => each.address === address);
  if (!original) throw new Error(`the plan has no ${address}`);
  const others = plan.resource_changes.filter((each) => each !== original || as !== address);
  const changes = [...others, { ...original, ...forge(original) } as PlannedChange];
  return { ...plan, resource_changes: changes.toSorted((one, other) => (one.address < other.address ? -1 : 1)) };
}

async function applied(run: Runs, plan: Plan) {
  run.write("plan.json", JSON.stringify({ ...plan, digest: planDigest(plan) }));
  const result = await run.apply({ saved: `${run.root}/plan.json` });
  const statuses = new Set([...(result.outcomes?.values() ?? [])].map(({ status }) => status));
  return { ...result, statuses: [...statuses], writes: run.server.requests.writes };
}

const webhook = `integration/${hook}`;
const showing =
  (more: object): Forge =>
  ({ change }) => ({ change: { ...change, after: { ...change.after, ...more } } });
const renamed =
  (project: string, kind: string, key: string): Forge =>
  ({ call, ...change }) => ({
    ...{ address: `${project}:${kind}/${key}`, project, kind, key },
    call: { ...call, path: call.path.replace(/^\/projects\/\w+/, `/projects/${project}`).replace(change.key, key) },
  });

describe("a change that shows anything else than what would be sent is stale", () => {
  const foundBefore =
    (more: object): Forge =>
    ({ change }) => ({ change: { ...change, before: { ...change.before, ...more } } });
  test.each<[string, string, Forge, string, string?]>([
    ["another secret", `a:${webhook}`, showing({ webhook: { secret: "env:OTHER" } }), "change.after.webhook.secret"],
    ["another value", "a:license/MIT", showing({ approval_status: "denied" }), "change.after.approval_status"],
    ["another line", `b:${webhook}`, () => ({ source: { file: "all.yaml", line: 1, column: 1 } }), "source.column"],
    ["another request", `b:${webhook}`, ({ call }) => ({ call: { ...call, method: "DELETE" } }), "call.method"],
    ["a removal", `b:${webhook}`, ({ change }) => ({ change: { ...change, actions: ["disable"] } }), "planned action"],
    ["another value before", `b:${webhook}`, foundBefore({ push_events: false }), "change.before.push_events"],
    ["no note", `b:${webhook}`, () => ({ notes: undefined }), "notes"],
    [
      "a change more",
      "a:license/MIT",
      renamed("a", "license", "GPL"),
      "no policy declares a:license/GPL",
      "a:license/GPL",
    ],
    ["a project more", "a:license/MIT", renamed("d", "license", "MIT"), "no policy selects d", "d:license/MIT"],
    ["one that is live", "a:license/MIT", renamed("c", "license", "MIT"), "already as declared", "c:license/MIT"],
  ])("%s", async (_, address, forge, words, as = address) => {
    const run = await scene();
    const { plan } = await run.plan();
    const { outcomes } = await applied(run, forgedAt(plan, address, forge, as));
    expect(outcomes?.get(as)).toEqual({ status: "stale", error: expect.stringContaining(words) });
    const [project = "", rest] = as.split(":");
    const own = run.asked().filter((request) => !request.startsWith("GET") && request.includes(`/${project}/${rest}`));
    expect(own).toEqual([]);
  });

  test("or that hides what would be sent without being compared", async () => {
    const run = await scene();
    const { plan } = await run.plan();
    expect(plan.unverified.map(({ address }) => address)).toContain(`b:${webhook}`);
    const { outcomes } = await applied(run, { ...plan, unverified: [] });
    const error = "webhook cannot be compared and would be sent, which the plan does not show; plan again";
    expect(outcomes?.get(`b:${webhook}`)).toEqual({ status: "stale", error });
  });
});

test("a rotated secret and a ledger of another key leave a plan as it is", async () => {
  const run = await scene({ workspace: { ledger: ".evenkeel/ledger.ndjson" } });
  await run.apply();
  await run.ask("PUT", `/projects/b/integrations/${hook}`, { form: { webhook: secrets.HOOK, push_events: "true" } });
  const { plan } = await run.plan();
  const env = { ...run.environment, HOOK: secrets.OTHER, EVENKEEL_LEDGER_KEY: "another key of another job" };
  run.write("plan.json", JSON.stringify(plan));
  const { outcomes } = await run.apply({ saved: `${run.root}/plan.json`, env });
  expect([...(outcomes ?? [])]).toEqual([[`b:${webhook}`, { status: "applied" }]]);
});

describe("a saved plan is for the projects that it was made for", () => {
  const selections: readonly (readonly [string, unknown])[] = [
    ["by path", "team/a"],
    ["by path in capitals", "Team/A"],
    ["by glob", "team/*"],
  ];
  const says = { integrations: { [hook]: { webhook: { secret: "env:HOOK" } } }, licenses: { MIT: "allowed" } };
  const projects = [
    { id: 7, path: "team/a", licenses: { MIT: "denied" } },
    { id: 8, path: "other/a", licenses: { MIT: "denied" } },
  ];
  const saved = async (selector: unknown) => {
    const run = await runs({ projects, policy: { projects: [selector], ...says }, secrets });
    const { plan } = await run.plan({ outlives: true });
    run.write("plan.json", JSON.stringify(plan));
    return { run, plan, applied: () => run.apply({ saved: `${run.root}/plan.json` }) };
  };

  test.each(selections)("%s: of another one that has its path by then, nothing is written", async (_, selector) => {
    const { run, plan } = await saved(selector);
    expect(plan.resource_changes.map(({ project_id: id }) => id)).toEqual([7, 7]);
    const elsewhere = await runs({
      projects: projects.map((each) => ({ ...each, id: 15 - each.id })),
      policy: { projects: [selector], ...says },
      secrets,
    });
    const moved = { ...plan, server: { url: elsewhere.server.url } };
    elsewhere.write("evenkeel.yaml", run.read("evenkeel.yaml"));
    elsewhere.write("plan.json", JSON.stringify({ ...moved, digest: planDigest(moved) }));
    const env = { ...elsewhere.environment, EVENKEEL_URL: elsewhere.server.url };
    const { outcomes = new Map() } = await elsewhere.apply({ saved: `${elsewhere.root}/plan.json`, env });
    const error = expect.stringMatching(/ with ID 7, and it now has 8; plan again$/);
    expect([...outcomes.values()]).toEqual([
      { status: "stale", error },
      { status: "stale", error },
    ]);
    expect(elsewhere.server.requests.writes).toBe(0);
  });

  test.each(selections)("%s: it is applied where nothing moved", async (_, selector) => {
    const { applied } = await saved(selector);
    expect([...((await applied()).outcomes?.values() ?? [])].map(({ status }) => status)).toEqual([
      "applied",
      "applied",
    ]);
  });

  test("a forged ID or path is stale", async () => {
    for (const more of [{ project_id: 8 }, { project_path: "other/a" }]) {
      const { run, plan } = await saved("team/a");
      const changes = plan.resource_changes.map((change) => ({ ...change, ...more }));
      const { statuses, writes } = await applied(run, { ...plan, resource_changes: changes });
      expect([statuses, writes]).toEqual([["stale"], 0]);
    }
  });

  test("looking IDs up is no planned read", async () => {
    const { run, plan } = await saved("team/a");
    expect((await run.plan()).plan.summary.reads).toBe(plan.summary.reads);
  });
});
