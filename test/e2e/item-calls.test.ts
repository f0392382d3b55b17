import { describe, expect, test } from "vitest";
import { changeOf, type Scene, scene } from "./workspace.ts";

const latest = { release: "19.4", tier: "ultimate" } as const;
const site = { dialect: "gitlab", ...latest };
const hook = "https://hooks.example.com/ci";
const address = "p:pipeline_schedule/Nightly";

async function settled(sections: object): Promise<Scene> {
  const secrets = { TOKEN: "token-1-secret", OTHER: "other-1-secret" };
  const made = await scene({ ...latest, projects: [{ path: "p" }], policy: policyOf(sections), site, secrets });
  const ran = await made.evenkeel("apply", "--yes");
  expect(ran.stdout + ran.stderr).toContain("applied");
  expect((await made.evenkeel("plan")).stdout).toContain("No changes");
  made.asked();
  return made;
}

const policyOf = (sections: object) => ({ projects: ["p"], ...sections });
const scheduleOf = (...variables: readonly object[]) => ({
  pipeline_schedules: { Nightly: { ref: "main", cron: "0 1 * * *", variables } },
});
const reference = { key: "TOKEN", value: { secret: "env:TOKEN" } };
const written = (requests: readonly string[]) => requests.filter((line) => !line.startsWith("GET"));

describe("variables of a schedule", () => {
  const declared = scheduleOf({ key: "REGION", value: "eu" }, { key: "OLD", value: "1" }, reference);

  test("are one change of the schedule, in calls of their own, and the plan lists them", async () => {
    const { evenkeel, policy, ask, asked } = await settled(declared);
    policy(policyOf(scheduleOf({ key: "REGION", value: "us" }, { key: "NEW", value: "2" }, reference)));
    const { stdout } = await evenkeel("plan");
    expect(stdout).toContain("REGION");
    const planned = await evenkeel("plan", "--out", "plan.json", "--report", "json");
    const change = changeOf(planned.plan(), address);
    const base = "/projects/p/pipeline_schedules/1/variables";
    expect(change.item_calls).toEqual([
      { method: "DELETE", path: `${base}/OLD` },
      { method: "POST", path: base },
      { method: "PUT", path: `${base}/REGION` },
      { method: "PUT", path: `${base}/TOKEN` },
    ]);
    expect(planned.plan().summary.writes).toBe(6);
    expect(planned.stdout + stdout).not.toContain("token-1");
    asked();
    expect((await evenkeel("apply", "plan.json")).code).toBe(0);
    expect(written(asked())).toHaveLength(6);
    const { json } = await ask("GET", "/projects/p/pipeline_schedules/1");
    expect(json.variables).toEqual([
      { key: "REGION", variable_type: "env_var", value: "us" },
      { key: "TOKEN", variable_type: "env_var", value: "token-1-secret" },
      { key: "NEW", variable_type: "env_var", value: "2" },
    ]);
    expect((await evenkeel("plan")).stdout).toContain("No changes");
  });

  test("are compared by what the server returns: literals, and references whose value is at hand", async () => {
    const { evenkeel, evenkeelWith, ask } = await settled(declared);
    const at = (key: string) => `/projects/p/pipeline_schedules/1/variables/${key}`;
    await ask("PUT", at("TOKEN"), { json: { value: "by-hand-9c1e" } });
    const plan = await evenkeel("plan");
    expect(plan.stdout).toContain("variables:");
    expect(plan.stdout).not.toMatch(/by-hand|token-1/);
    const unset = await evenkeelWith({ TOKEN: undefined }, "plan");
    expect(unset.stdout).toContain("not compared: TOKEN is not set");
    await ask("PUT", at("REGION"), { json: { value: "by-hand" } });
    expect((await evenkeelWith({ TOKEN: undefined }, "plan")).stdout).toContain("by-hand");
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect((await evenkeel("plan")).stdout).toContain("No changes");
  });

  test("left out of a policy, they are left alone", async () => {
    const { evenkeel, policy } = await settled(declared);
    policy(policyOf({ pipeline_schedules: { Nightly: { ref: "main", cron: "0 1 * * *" } } }));
    expect((await evenkeel("plan")).stdout).toContain("No changes");
  });

  test("are imported with the schedule: plainly public values as they are", async () => {
    const { evenkeel, files } = await settled(declared);
    const ran = await evenkeel("import", "p", "--kinds", "pipeline_schedules", "--out", "imported");
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
    const text = Object.entries(files())
      .flatMap(([name, each]) => (name.startsWith("imported/") ? each : []))
      .join();
    expect(text).toMatch(/key: REGION, value: eu/);
    expect(text).toContain("key: TOKEN");
    expect(text).not.toContain("token-1");
  });
});

test("a header that is taken out of a policy is taken from the server, and a value is never shown", async () => {
  const headers = (...names: readonly string[]) => ({
    webhooks: { [hook]: { custom_headers: names.map((key) => ({ key, value: { secret: "env:TOKEN" } })) } },
  });
  const { evenkeel, policy, ask, asked } = await settled(headers("X-One", "X-Two"));
  policy(policyOf(headers("X-Two", "X-Three")));
  const planned = await evenkeel("plan", "--report", "json");
  expect(changeOf(planned.plan(), `p:webhook/${hook}`)).toMatchObject({
    change: { before: { custom_headers: [{ key: "X-One" }, { key: "X-Two" }] } },
    item_calls: [{ method: "DELETE", path: "/projects/p/hooks/1/custom_headers/X-One" }],
  });
  asked();
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
  expect(written(asked())).toEqual(["PUT /projects/p/hooks/1", "DELETE /projects/p/hooks/1/custom_headers/X-One"]);
  const { json } = await ask("GET", "/projects/p/hooks/1");
  expect(json.custom_headers).toEqual([{ key: "X-Two" }, { key: "X-Three" }]);
  policy(policyOf(headers()));
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
  expect((await ask("GET", "/projects/p/hooks/1")).json.custom_headers).toEqual([]);
  expect((await evenkeel("plan")).stdout).toContain("No changes");
});
