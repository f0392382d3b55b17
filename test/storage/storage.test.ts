import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import schema from "../../schemas/plan.schema.json" with { type: "json" };
import { type PlannedChange, planDigest } from "../../src/plan/plan.ts";
import { withOutcomes } from "../../src/plan/run-end.ts";
import type { Applied } from "../../src/run/request.ts";
import { drain, groupMoves, projectMoves, seed, snippetMoves, stage } from "./stage.ts";

const behaviours = ["spec", "observed"] as const;
const everything = { ...drain, repositories: ["projects", "snippets", "groups"] };
const statuses = ({ outcomes }: Applied) => Object.fromEntries([...(outcomes ?? [])].map(([a, o]) => [a, o.status]));
const errorOf = ({ outcomes }: Applied, address: string) => outcomes?.get(address)?.error;
const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);

describe.each(behaviours)("behaviour %s", (behaviour) => {
  test("an apply moves everything with one request a kind, and a plan after it is empty", async () => {
    const { plan, apply, ask, scheduled } = await stage({ behaviour, migrations: [everything] });
    expect((await plan()).plan.digest).toBe((await plan()).plan.digest);
    const applied = await apply();
    expect(statuses(applied)).toEqual({
      "storage:old/groups": "applied",
      "storage:old/projects": "applied",
      "storage:old/snippets": "applied",
    });
    expect(scheduled().toSorted()).toEqual([groupMoves, projectMoves, snippetMoves]);
    expect((await ask("GET", "/projects?repository_storage=old")).json).toEqual([]);
    expect((await plan()).plan).toMatchObject({ resource_changes: [], problems: [], warnings: [] });
    expect([statuses(await apply()), scheduled().length]).toEqual([{}, 3]);
    expect(isValid(withOutcomes(applied.plan, applied.outcomes)), JSON.stringify(isValid.errors)).toBe(true);
  });

  test("failed moves are scheduled again", async () => {
    const [one, two, ...more] = seed.projects ?? [];
    const failing = { ...seed, projects: [{ ...one, id: 1 }, { ...two, fail_moves: 2 }, ...more] } as typeof seed;
    const { apply, scheduled } = await stage({ behaviour, seed: failing });
    expect(statuses(await apply())).toEqual({ "storage:old/projects": "applied" });
    expect(scheduled()).toHaveLength(3);
  });

  test("but not for ever", async () => {
    const [one] = seed.projects ?? [];
    const failing = { ...seed, projects: [{ ...one, fail_moves: 99 }] } as typeof seed;
    const { apply, scheduled } = await stage({ behaviour, seed: failing });
    const applied = await apply();
    expect(statuses(applied)).toEqual({ "storage:old/projects": "failed" });
    expect(errorOf(applied, "storage:old/projects")).toContain(
      "1 project is still on old (a/one) after being scheduled 4 times",
    );
    expect(scheduled()).toHaveLength(4);
  });

  test("a run that is stopped leaves the moves to the server, and the next one schedules nothing that still runs", async () => {
    const { apply, scheduled } = await stage({ behaviour, moveDuration: 700 });
    const control = new AbortController();
    const stopping = { noted: async () => control.abort("the run was interrupted") };
    const applied = await apply({ signal: control.signal }, { watchers: [stopping] });
    expect(applied.outcomes?.get("storage:old/projects")).toMatchObject({
      status: "unknown",
      error: expect.stringMatching(/^the run was interrupted.*apply --storage resumes following them/),
    });
    const again = await apply();
    expect(again.plan.resource_changes[0]?.action_reason).toContain("2 moving already");
    expect(statuses(again)).toEqual({ "storage:old/projects": "applied" });
    expect(scheduled()).toEqual([projectMoves]);
  });

  test("nor one from elsewhere, without a journal", async () => {
    const { apply, ask, scheduled } = await stage({ behaviour, moveDuration: 700 });
    const json = { source_storage_name: "old", destination_storage_name: "new" };
    await ask("POST", projectMoves, { json });
    expect(statuses(await apply())).toEqual({ "storage:old/projects": "applied" });
    expect(scheduled()).toHaveLength(1);
  });

  test("a saved plan is carried out as it is, and stale where what lies on the source changed", async () => {
    const { plan, apply, write, root, ask } = await stage({ behaviour });
    const { plan: planned } = await plan();
    write("plan.json", JSON.stringify(planned));
    const saved = { saved: join(root, "plan.json"), storage: false };
    expect(statuses(await apply(saved))).toEqual({ "storage:old/projects": "applied" });
    expect(statuses(await apply(saved))).toEqual({ "storage:old/projects": "stale" });
    expect((await ask("GET", "/projects?repository_storage=old")).json).toEqual([]);
  });

  test("what moved while a person was asked is stale, and nothing is scheduled for it", async () => {
    const { apply, ask, scheduled } = await stage({ behaviour });
    const json = { source_storage_name: "old", destination_storage_name: "new" };
    const approve = async () => {
      await ask("POST", projectMoves, { json });
      while ((await ask("GET", "/projects?repository_storage=old")).json.length > 0);
      return true;
    };
    expect(statuses(await apply({ recheck: true }, { approve }))).toEqual({ "storage:old/projects": "stale" });
    expect(scheduled()).toHaveLength(1);
  });
});

describe.each(behaviours)("a request that got no answer (%s)", (behaviour) => {
  const lost = { method: "POST", match: projectMoves, times: 1 };

  test("is never sent again where it did not show itself", async () => {
    const { apply, scheduled } = await stage({ behaviour, chaos: [{ ...lost, status: 502 }] });
    const applied = await apply();
    expect(statuses(applied)).toEqual({ "storage:old/projects": "unknown" });
    expect(errorOf(applied, "storage:old/projects")).toMatch(/502.*so the request was not repeated/s);
    expect(scheduled()).toHaveLength(1);
  });

  test("counts where its moves show up", async () => {
    const { apply, scheduled } = await stage({ behaviour, chaos: [{ ...lost, reset: true, acted: true }] });
    expect(statuses(await apply())).toEqual({ "storage:old/projects": "applied" });
    expect(scheduled()).toHaveLength(1);
  });

  test("is unknown for what cannot be counted, unless moves are listed", async () => {
    const chaos = [{ ...lost, match: snippetMoves, reset: true, acted: true }];
    const migrations = [{ ...drain, repositories: ["snippets"] }];
    const { plan, apply, scheduled } = await stage({ behaviour, chaos, migrations });
    const status = behaviour === "spec" ? "unknown" : "applied";
    expect(statuses(await apply())).toEqual({ "storage:old/snippets": status });
    expect(scheduled()).toHaveLength(1);
    const { resource_changes, warnings } = (await plan()).plan;
    expect(resource_changes).toHaveLength(behaviour === "spec" ? 1 : 0);
    const doubts = warnings.map(({ message }) => message).join("\n");
    expect(doubts.includes("got no answer")).toBe(behaviour === "spec");
  });
});

describe("the journal", () => {
  test("remembers what nobody can verify, for this server and this destination alone", async () => {
    const { plan, apply, write, root } = await stage({ migrations: [{ ...drain, repositories: ["snippets"] }] });
    await apply();
    expect((await plan()).plan.resource_changes).toEqual([]);
    const resent = (await plan({ resend: ["storage:old/*"] })).plan;
    expect(resent.resource_changes.map(({ action_reason }) => action_reason)).toEqual([
      "all snippets on old, asked for by --resend",
    ]);
    write("plan.json", JSON.stringify(resent));
    const again = await apply({ saved: join(root, "plan.json"), storage: false });
    expect(statuses(again)).toEqual({ "storage:old/snippets": "applied" });
    write("storage.yaml", readFileSync(join(root, "storage.yaml"), "utf8").replace('"new"', '"newer"'));
    expect((await plan()).plan.resource_changes).toHaveLength(1);
  });

  test("of another server counts for nothing", async () => {
    const first = await stage({ migrations: [{ ...drain, repositories: ["snippets"] }] });
    await first.apply();
    const env = { ...first.environment, EVENKEEL_URL: (await stage()).server.url };
    expect((await first.plan({ env })).plan.resource_changes).toHaveLength(1);
  });
});

describe("guards", () => {
  const clustered = { ...seed, storages: ["old", { name: "new", cluster: true }] };
  const cluster = { ...drain, destinationIsCluster: true };

  test("what is done is not judged any more", async () => {
    const emptied = { ...clustered, projects: (seed.projects ?? []).slice(2) };
    const { plan } = await stage({ seed: emptied, site: { release: "14.2.3" }, migrations: [cluster] });
    expect((await plan()).plan).toMatchObject({ objections: [], resource_changes: [] });
  });

  test("with the defect nothing is scheduled a second time, for it may lie in the cluster by then", async () => {
    const failing = { ...clustered, projects: [{ id: 1, path: "a/one", repository_storage: "old", fail_moves: 1 }] };
    const { apply, scheduled } = await stage({
      seed: { ...failing, features: { direct_fetch_replication: true } },
      site: { release: "14.2.3" },
      migrations: [cluster],
    });
    expect(statuses(await apply())).toEqual({ "storage:old/projects": "failed" });
    expect(scheduled()).toHaveLength(1);
  });

  test("a saved plan is judged by what lies in the destination now", async () => {
    const { plan, apply, write, root, server } = await stage({
      seed: clustered,
      site: { release: "14.2.3" },
      migrations: [cluster],
    });
    const { plan: planned } = await plan();
    const { planDigest } = await import("../../src/plan/plan.ts");
    const forged = { ...planned, objections: [] };
    write("plan.json", JSON.stringify({ ...forged, digest: planDigest(forged) }));
    expect((await apply({ saved: join(root, "plan.json") })).refused).toHaveLength(1);
    expect(server.requests.writes).toBe(0);
  });

  test("where no tier is stated, the server's no is explained", async () => {
    const { apply } = await stage({ tier: "free", migrations: [{ ...drain, repositories: ["groups"] }] });
    const applied = await apply();
    expect(errorOf(applied, "storage:old/groups")).toMatch(/403.*needs? .*tier premium/s);
    expect(statuses(applied)).toEqual({ "storage:old/groups": "failed" });
  });
});

test("progress is told, with an estimate once something has moved", async () => {
  const seen: { done: number; total: number; remaining: number | undefined }[] = [];
  const { apply } = await stage();
  await apply({ moving: (progress) => void seen.push(progress) });
  expect(seen[0]).toEqual({ done: 0, total: 2, remaining: undefined });
  expect(seen.at(-1)).toEqual({ done: 2, total: 2, remaining: 0 });
});

test("a saved plan's move that is not the one of the manifests is stale", async () => {
  const made = await stage({ migrations: [everything] });
  const { plan } = await made.plan();
  const variants: readonly ((change: PlannedChange) => object)[] = [
    ({ change }) => ({ change: { ...change, after: { ...change.after, repository_storage: "other" } } }),
    ({ call }) => ({ call: { ...call, path: "/snippet_repository_storage_moves" } }),
    () => ({ address: "storage:new/projects", key: "new/projects" }),
  ];
  for (const forge of variants) {
    const changes = plan.resource_changes.flatMap((change) =>
      change.key === "old/projects" ? [{ ...change, ...forge(change) }] : [],
    );
    const forged = { ...plan, resource_changes: changes };
    made.write("plan.json", JSON.stringify({ ...forged, digest: planDigest(forged) }));
    const applied = await made.apply({ saved: join(made.root, "plan.json") });
    expect(Object.values(statuses(applied))).toEqual(["stale"]);
  }
  expect(made.scheduled()).toEqual([]);
});
