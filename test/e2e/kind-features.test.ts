import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";
import { changeOf, outcomes, type Scene, type Setting, scene, told } from "./workspace.ts";

const latest = { release: "19.9", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release: "19.9", tier: "ultimate" };
const policyOf = (sections: object) => ({ projects: ["p"], ...sections });

const hook = "https://hooks.example.com/ci";
const headers = (secret: string) => [{ key: "X-Auth", value: { secret } }];
const sections = {
  settings: { merge_method: "ff", topics: ["b", "a"] },
  protected_branches: { main: { push_access_level: "maintainer", allow_force_push: false } },
  webhooks: { [hook]: { push_events: true, token: { secret: "env:HOOK" }, custom_headers: headers("env:HEADER") } },
  variables: { DEPLOY: { value: { secret: "env:DEPLOY" } }, "DEPLOY@production": { value: { secret: "env:OTHER" } } },
  labels: { bug: { color: "#ff0000" } },
};
const secrets = {
  HOOK: "hook-1-secret",
  HEADER: "header-1-secret",
  DEPLOY: "deploy-1-secret",
  OTHER: "other-1-secret",
};

async function settled(setting: Setting = {}): Promise<Scene> {
  const made = await scene({
    ...latest,
    projects: [{ path: "p" }],
    policy: policyOf(sections),
    site,
    secrets,
    ...setting,
  });
  const ran = await made.evenkeel("apply", "--yes");
  expect(ran.stdout + ran.stderr).toContain("applied");
  expect(ran.code).toBe(0);
  return made;
}

const variable = "p:variable/DEPLOY";
const address = {
  hook: `p:webhook/${hook}`,
  branch: "p:protected_branch/main",
  label: "p:label/bug",
  settings: "p:settings",
};

describe("values that servers return, without a ledger", () => {
  const plain = { NODE_ENV: { value: "production" }, TOKEN: { value: { secret: "env:TOKEN" }, masked: true } };
  const variables = { at: (key: string) => `/projects/p/variables/${key}?filter[environment_scope]=*` };
  const drifting = async () => {
    const made = await settled({ policy: policyOf({ variables: plain }), secrets: { TOKEN: "token-1-secret" } });
    await made.ask("PUT", variables.at("TOKEN"), { json: { value: "by-hand-9c1e" } });
    return made;
  };

  test("a literal is shown before and after, and a reference is compared where its value is at hand", async () => {
    const { evenkeel, evenkeelWith, ask } = await drifting();
    await ask("PUT", variables.at("NODE_ENV"), { json: { value: "staging" } });
    const both = await evenkeel("plan");
    expect(both.stdout).toContain('value: "staging" -> "production"');
    expect(both.stdout).toContain("value: (secret) -> (secret env:TOKEN)");
    const json = await evenkeel("plan", "--report", "json");
    expect(both.stdout + json.stdout).not.toMatch(/by-hand|token-1/);
    const unset = await evenkeelWith({ TOKEN: undefined }, "drift");
    expect([unset.code, unset.stdout]).toEqual([2, expect.stringContaining("not compared: TOKEN is not set")]);
    expect(unset.stdout).not.toContain("TOKEN value: (secret");
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect((await evenkeel("drift")).code).toBe(0);
  });

  test("a saved plan is valid with other secrets at hand, and leaves what only then differs to the next", async () => {
    const { evenkeel, evenkeelWith, ask, policy } = await drifting();
    policy(policyOf({ variables: { ...plain, NODE_ENV: { value: "test" } } }));
    await evenkeelWith({ TOKEN: undefined }, "plan", "--out", "blind.json");
    const applied = await evenkeel("apply", "blind.json", "--report", "json");
    expect(outcomes(applied.plan())).toEqual(["applied p:variable/NODE_ENV"]);
    expect(applied.stderr).toContain("p:variable/TOKEN: value on the server is not env:TOKEN");
    await evenkeel("plan", "--out", "seen.json");
    expect((await evenkeelWith({ TOKEN: "by-hand-9c1e" }, "apply", "seen.json")).code).toBe(0);
    await ask("PUT", variables.at("TOKEN"), { json: { value: "token-1-secret", description: "by hand" } });
    expect((await evenkeel("drift")).code).toBe(0);
  });
});

describe("with a ledger", () => {
  const workspace = { ledger: "ledger.ndjson" };

  test("a rotated secret is sent again, at any depth, and what is not changed is not", async () => {
    const { evenkeelWith, asked } = await settled({ workspace });
    expect((await evenkeelWith({}, "drift")).code).toBe(0);
    const rotated = await evenkeelWith({ HEADER: "header-2-secret" }, "plan", "--report", "json");
    expect(told(rotated.plan())).toEqual([`update ${address.hook}`]);
    expect(changeOf(rotated.plan(), address.hook).action_reason).toBe(
      "pending: custom_headers changed since the last apply",
    );
    asked();
    expect((await evenkeelWith({ HEADER: "header-2-secret" }, "apply", "--yes")).code).toBe(0);
    expect((await evenkeelWith({ HEADER: "header-2-secret" }, "drift")).code).toBe(0);
    expect((await evenkeelWith({ HEADER: "header-2-secret", HOOK: "hook-2-secret" }, "drift")).code).toBe(2);
  });

  test("an update that does not send a secret does not forget that it was rotated", async () => {
    const { evenkeelWith, policy } = await settled({ workspace });
    const { token: _, ...rest } = sections.webhooks[hook] ?? {};
    policy(policyOf({ ...sections, webhooks: { [hook]: { ...rest, push_events: false } } }));
    expect((await evenkeelWith({}, "apply", "--yes")).code).toBe(0);
    policy(policyOf({ ...sections, webhooks: { [hook]: { ...sections.webhooks[hook], push_events: false } } }));
    const back = await evenkeelWith({}, "plan", "--report", "json");
    expect(changeOf(back.plan(), address.hook).action_reason).toContain("token changed since the last apply");
  });

  test("a secret that the server returns is compared, and never shown", async () => {
    const { evenkeel, evenkeelWith, ask, read } = await settled({ workspace });
    await ask("PUT", "/projects/p/variables/DEPLOY?filter[environment_scope]=*", { json: { value: "by-hand-9c1e" } });
    const drifted = await evenkeel("plan", "--report", "json");
    expect(told(drifted.plan())).toEqual([`update ${variable}`]);
    expect(changeOf(drifted.plan(), variable)).toMatchObject({
      cause: "drift",
      action_reason: "field differs, drift",
      change: { after: { value: { secret: "env:DEPLOY" } } },
    });
    expect(drifted.stdout).not.toContain("by-hand-9c1e");
    const accepted = await evenkeel("accept", variable);
    expect([accepted.code, accepted.stderr]).toEqual([1, expect.stringContaining("value")]);
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect((await ask("GET", "/projects/p/variables")).json[0].value).toBe(secrets.DEPLOY);
    expect((await evenkeel("drift")).code).toBe(0);
    expect(read("ledger.ndjson")).not.toContain("by-hand-9c1e");
    const rotated = await evenkeelWith({ DEPLOY: "deploy-2-secret" }, "plan", "--report", "json");
    expect(changeOf(rotated.plan(), variable)).toMatchObject({ cause: "pending" });
  });

  test("a secret that the server returns is put right wave by wave, though reading again does not show it", async () => {
    const { evenkeel, ask } = await settled({ workspace });
    await ask("PUT", "/projects/p/variables/DEPLOY?filter[environment_scope]=*", { json: { value: "by-hand-9c1e" } });
    const applied = await evenkeel("apply", "--yes", "--waves", "100%", "--report", "json");
    expect(applied.code).toBe(0);
    expect(changeOf(applied.plan(), variable).outcome).toEqual({ status: "applied" });
  });
});

test("a plan records what look-ups found, and what is known only after a write", async () => {
  const rules = { two: { approvals_required: 2, users: ["anna"], protected_branches: ["main"] } };
  const seed = { projects: [{ path: "p" }], users: [{ id: 51, username: "anna" }] };
  const policy = policyOf({ protected_branches: { main: {} }, approval_rules: rules });
  const { evenkeel, ask } = await scene({ ...latest, seed, site, policy });
  const planned = await evenkeel("plan", "--out", "plan.json", "--report", "json");
  expect(changeOf(planned.plan(), "p:approval_rule/two").looked_up).toEqual({
    protected_branch_ids: { main: "p:protected_branch/main" },
    user_ids: { anna: 51 },
  });
  await ask("POST", "/projects/p/protected_branches", { json: { name: "main" } });
  const late = await evenkeel("apply", "plan.json", "--report", "json");
  expect(outcomes(late.plan())).toEqual(["stale p:approval_rule/two", "stale p:protected_branch/main"]);
  expect(changeOf(late.plan(), "p:approval_rule/two").outcome?.error).toMatch(
    /^protected_branch_ids of "main" was p:protected_branch\/main when the plan was made, and it is \d+ now; plan again$/,
  );
});

test("what refers to a replaced resource has its new ID after the same apply", async () => {
  const rules = { two: { approvals_required: 2, users: ["anna"], protected_branches: ["main"] } };
  const seed = { projects: [{ path: "p" }], users: [{ id: 51, username: "anna" }] };
  const of = (level: string) =>
    policyOf({ approval_rules: rules, protected_branches: { main: { push_access_level: level } } });
  const release = "15.5";
  const { evenkeel, policy, ask } = await settled({
    seed,
    release,
    site: { ...site, release },
    policy: of("maintainer"),
  });
  policy(of("developer"));
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(outcomes(applied.plan())).toEqual(["applied p:approval_rule/two", `applied ${address.branch}`]);
  expect((await evenkeel("plan")).stdout).toContain("No changes");
  const [branch] = (await ask("GET", "/projects/p/protected_branches")).json;
  expect((await ask("GET", "/projects/p/approval_rules")).json[0].protected_branches).toEqual([{ id: branch.id }]);
});

describe("the requests of a plan", () => {
  const latest = { release: "19.9", tier: "ultimate" } as const;
  const projects = Array.from({ length: 6 }, (_, index) => ({ id: index + 1, path: `payments/p${index + 1}` }));

  const five = {
    webhooks: { "https://hooks.example.com/ci": { token: { secret: "env:HOOK" }, push_events: true } },
    variables: { "DEPLOY@production": { value: { secret: "env:HOOK" } } },
    labels: { bug: { color: "#d9534f" } },
    protected_branches: { main: { push_access_level: "no one", allowed_to_merge: [{ user: 51 }] } },
    badges: { ci: { link_url: "https://ci.example.com", image_url: "https://ci.example.com/a.svg" } },
  };

  const kindsStage = (setting: Parameters<typeof stage>[0] = {}) =>
    stage({
      ...latest,
      site: latest,
      seed: { projects, users: [{ id: 51, username: "anna" }] },
      secrets: { HOOK: "CANARY-hook" },
      ...setting,
    });

  test("five kinds cost five lists for each project, and nothing else is read", async () => {
    const { evenkeel } = await kindsStage({ policy: { projects: ["payments/*"], ...five } });
    const { requests, code, stderr } = await evenkeel("plan", "--detailed-exitcode");
    expect([code, stderr]).toEqual([2, expect.any(String)]);
    const lists = ["hooks", "variables", "labels", "protected_branches", "badges"];
    const counted = new Map<string, number>();
    for (const request of requests) {
      const [path = ""] = request.split("?");
      const kind = path.replace(/^GET \/projects\/payments\/p\d+\//, "");
      counted.set(kind, (counted.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(counted)).toEqual({
      ...Object.fromEntries(lists.map((list) => [list, projects.length])),
      "GET /projects": 1,
    });
  });
});
