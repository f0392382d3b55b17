import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomes, type Setting, scene, told } from "./workspace.ts";

const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed" } as const;
const site = { dialect: "gitlab", release: "17.9" };
const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const seed: NonNullable<Setting["seed"]> = {
  projects: [
    { id: 1, path: "payments/api" },
    { id: 2, path: "payments/services/ledger", integrations: wiki("https://own") },
    { id: 3, path: "left/alone" },
  ],
  groups: [{ id: 1, path: "payments", integrations: { irker: { recipients: "#old" } } }, { path: "empty" }],
  tokens: [
    { token: "maintains", role: "maintainer" },
    { token: "develops", role: "developer" },
  ],
};
const policies = {
  groups: {
    groups: [1, "payments/**"],
    integrations: wiki("https://wiki/${group.path}"),
  },
  old: { groups: ["payments"], disabled: ["irker"] },
};

function git(root: string): void {
  const run = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "ignore" });
  run("init", "-q");
  run("add", ".");
  run("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first");
}

test("show names the group whose path was given as that of a project", async () => {
  const { evenkeel } = await scene({ ...observed, site, seed, policies });
  const shown = await evenkeel("show", "payments");
  expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining("; did you mean the group payments/?") });
});

describe("integrations of groups", () => {
  test("are planned, applied, and then in sync", async () => {
    const { evenkeel, ask } = await scene({ ...observed, site, seed, policies });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.stderr).toBe("");
    expect(told(planned.plan())).toEqual([
      "create payments/:integration/external-wiki",
      "disable payments/:integration/irker",
      "create payments/services/:integration/external-wiki",
    ]);
    expect(planned.plan().resource_changes[0]).toMatchObject({
      project: "payments/",
      project_id: 1,
      kind: "integration",
    });
    expect(planned.requests).toEqual([
      "GET /groups?per_page=100&order_by=id&sort=asc",
      "GET /groups/payments/integrations",
      "GET /groups/payments/services/integrations",
    ]);
    const applied = await evenkeel("apply", "--yes", "--allow-deletes", "1", "--report", "json");
    expect(outcomes(applied.plan())).toEqual([
      "applied payments/:integration/external-wiki",
      "applied payments/:integration/irker",
      "applied payments/services/:integration/external-wiki",
    ]);
    const shown = (await ask("GET", "/projects/1/integrations/external-wiki")).json;
    expect([shown.inherited, shown.properties.external_wiki_url]).toEqual([true, "https://wiki/payments"]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });

  test("are protected, targeted and counted by guards under each of their names", async () => {
    for (const glob of ["payments/:integration/*", "1/:integration/irker", "*:integration/irker", "payments/**"]) {
      const workspace = { protected: [glob] };
      const { evenkeel } = await scene({ ...observed, site, seed, policies, workspace });
      const refused = await evenkeel("apply", "--yes", "--allow-deletes", "1", "--report", "json");
      expect([glob, refused.code, refused.writes]).toEqual([glob, 3, 0]);
      expect(refused.plan().objections[0]).toMatchObject({ addresses: ["payments/:integration/irker"] });
      const waived = ["--allow-protected", "payments/:integration/irker", "--allow-deletes", "1"];
      expect((await evenkeel("apply", "--yes", ...waived)).code).toBe(0);
    }
    const { evenkeel } = await scene({ ...observed, site, seed, policies, workspace: { protected: ["payments/*"] } });
    const targets: readonly (readonly [string, readonly string[]])[] = [
      ["payments/", ["payments/"]],
      ["1/", ["payments/"]],
      ["payments/*", ["payments/services/"]],
      ["payments/**", ["payments/", "payments/services/"]],
      ["payments/services/:*", ["payments/services/"]],
      ["payments", []],
      ["1", []],
    ];
    for (const [target, expected] of targets) {
      const ran = await evenkeel("plan", "--target", target, "--report", "json");
      const named = ran.plan().resource_changes.map(({ project }) => project);
      expect([target, [...new Set(named)]]).toEqual([target, expected]);
    }
  });

  test("are applied from a saved plan, by waves, and told by show, blame, runs and the journal", async () => {
    const { evenkeel, ask } = await scene({ ...observed, site, seed, policies });
    await evenkeel("plan", "--out", "plan.json");
    const one = await evenkeel("apply", "plan.json", "--allow-deletes", "1", "--waves", "1,100%");
    expect([one.code, one.stderr]).toEqual([0, ""]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
    const shown = await evenkeel("show", "payments/services/");
    expect(shown.stdout).toContain("external_wiki_url: https://wiki/payments/services");
    const blamed = await evenkeel("blame", "payments/services/:integration/external-wiki");
    expect(blamed.stdout).toContain("payments/**");
    expect((await evenkeel("runs", "--project", "payments/")).stdout).toMatch(/apply/);
    expect((await evenkeel("runs", "--report", "json")).stdout).toContain('"changes": 3');
    await ask("PUT", "/groups/payments/integrations/external-wiki", { form: { external_wiki_url: "https://drifted" } });
    const drift = await evenkeel("drift", "--report", "json");
    expect([drift.code, told(drift.plan())]).toEqual([2, ["update payments/:integration/external-wiki"]]);
    const accepted = await evenkeel("accept", "payments/:integration/external-wiki");
    expect([accepted.stderr, accepted.code]).toEqual(["", 0]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });

  test("that cannot be read are a problem of the group", async () => {
    const more = { ...policies, missing: { groups: ["payment", 99], disabled: ["irker"] } };
    const { evenkeel, evenkeelWith } = await scene({ ...observed, site, seed, policies: more });
    const ran = await evenkeel("plan", "--report", "json");
    expect(ran.plan().problems.map(({ message, line }) => [line, message])).toEqual([
      [4, expect.stringMatching(/^group 99 was not found: /)],
      [4, expect.stringMatching(/^group payment was not found: .*; did you mean payments\?/)],
    ]);
    const refused = await evenkeelWith({ EVENKEEL_TOKEN: "develops" }, "plan", "--report", "json");
    expect(refused.plan().problems[0]?.message).toMatch(/needs the role Maintainer or Owner in this group/);
    expect((await evenkeelWith({ EVENKEEL_TOKEN: "maintains" }, "plan", "--target", "payments/")).code).toBe(0);
  });

  test("are what whoami asks about where policies name no project", async () => {
    const { evenkeelWith } = await scene({ ...observed, site, seed, policies: { old: policies.old } });
    const can = await evenkeelWith({ EVENKEEL_TOKEN: "maintains" }, "whoami");
    expect([can.code, can.requests]).toEqual([0, expect.arrayContaining(["GET /groups/payments/integrations"])]);
    const cannot = await evenkeelWith({ EVENKEEL_TOKEN: "develops" }, "whoami", "--project", "payments/");
    expect([cannot.code, cannot.stdout]).toEqual([1, expect.stringContaining("payments")]);
  });

  test("are compared between revisions, with the groups that the last plan listed and without", async () => {
    const { evenkeel, policy, root } = await scene({ ...observed, site, seed, policies });
    git(root);
    policy({ ...policies.groups, integrations: wiki("https://new/${group.path}") }, "groups");
    const blind = await evenkeel("diff", "HEAD", "--report", "json");
    expect(JSON.parse(blind.stdout).changes.map(({ address }: { address: string }) => address)).toEqual([
      "1/:integration/external-wiki",
      "payments/**/:integration/external-wiki",
      "payments/:integration/external-wiki",
    ]);
    await evenkeel("plan");
    const known = await evenkeel("diff", "HEAD", "--report", "json");
    expect(
      JSON.parse(known.stdout).changes.map(({ address, kind }: { address: string; kind: string }) => [address, kind]),
    ).toEqual([
      ["payments/:integration/external-wiki", "integration"],
      ["payments/services/:integration/external-wiki", "integration"],
    ]);
    const since = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(told(since.plan())).toEqual([
      "create payments/:integration/external-wiki",
      "disable payments/:integration/irker",
      "create payments/services/:integration/external-wiki",
    ]);
  });
});

describe("what a project has from its group", () => {
  const inheriting: Setting = {
    ...observed,
    site,
    seed: { ...seed, groups: [{ id: 1, path: "payments", integrations: wiki("https://group") }] },
  };

  test("is told, and nothing is planned for it", async () => {
    const policy = { projects: ["payments/api"], integrations: wiki("https://group"), exclusive: ["integrations"] };
    const { evenkeel } = await scene({ ...inheriting, policy });
    const ran = await evenkeel("plan", "--report", "json");
    expect([told(ran.plan()), ran.plan().inherited]).toEqual([[], ["payments/api:integration/external-wiki"]]);
    expect((await evenkeel("plan")).stdout).toContain(
      "1 inherited from a group, as declared: payments/api:integration/external-wiki.",
    );
  });

  test("is left alone by exclusive, with a warning", async () => {
    const policy = { projects: ["payments/**"], exclusive: ["integrations"] };
    const { evenkeel } = await scene({ ...inheriting, policy });
    const ran = await evenkeel("plan", "--report", "json");
    expect(told(ran.plan())).toEqual(["disable payments/services/ledger:integration/external-wiki"]);
    expect(ran.plan().warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^external-wiki is inherited from the group, so exclusive leaves it alone/),
    ]);
  });

  test("gives way to what a policy of the project declares, and is in sync then", async () => {
    const policy = { projects: ["payments/**"], integrations: wiki("https://own/${project.path}") };
    const { evenkeel, ask } = await scene({ ...inheriting, policy });
    const ran = await evenkeel("plan", "--report", "json");
    expect(ran.plan().resource_changes.map(({ address, action_reason }) => [address, action_reason])).toEqual([
      ["payments/api:integration/external-wiki", "inherited from the group, which has other settings"],
      ["payments/services/ledger:integration/external-wiki", "field differs"],
    ]);
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
    const shown = (await ask("GET", "/projects/1/integrations/external-wiki")).json;
    expect([shown.inherited, shown.properties.external_wiki_url]).toEqual([false, "https://own/payments/api"]);
  });

  test("may come from a group of the same run: the plan that was saved before still holds", async () => {
    const both = {
      groups: { groups: ["payments"], integrations: wiki("https://new") },
      projects: { projects: ["**"], integrations: wiki("https://own/${project.path}") },
    };
    for (const args of [
      ["apply", "--yes"],
      ["apply", "plan.json"],
      ["apply", "plan.json", "--waves", "1,100%"],
    ]) {
      const { evenkeel } = await scene({ ...observed, site, seed: { projects: seed.projects ?? [] }, policies: both });
      await evenkeel("plan", "--out", "plan.json");
      const applied = await evenkeel(...args);
      expect([args, applied.code, applied.stderr]).toEqual([args, 0, ""]);
      expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
    }
  });
});

describe("groups named by their IDs", () => {
  const server = { dialect: "gitlab", release: "17.9", behaviour: "observed", tier: "ultimate" } as const;
  const site = { dialect: "gitlab", release: "17.9", tier: "ultimate" };
  const seed = {
    groups: [
      { id: 42, path: "payments" },
      { id: 7, path: "42" },
    ],
  };

  const digits = { groups: ["4*"], labels: { bug: { color: "#cc0000" } } };

  test("a group whose path is digits is named by its ID, because the path is the ID of another group", async () => {
    const { evenkeel, ask, root } = await scene({ ...server, site, seed, policy: digits });
    expect(await evenkeel("plan", "--out", "plan.json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("\n7/\n"),
    });
    expect(await evenkeel("apply", "plan.json")).toMatchObject({ code: 0 });
    expect((await ask("GET", "/groups/42/labels")).json).toEqual([]);
    expect((await ask("GET", "/groups/7/labels")).json).toMatchObject([{ name: "bug" }]);
    expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    rmSync(join(root, "all.yaml"));
    const imported = await evenkeel("import", "--group", "4*/", "--kinds", "labels");
    expect(imported).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, "policies/7.yaml"), "utf8")).toContain("groups: [7]");
    expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe("kinds of groups in reports", () => {
  const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed", tier: "ultimate" } as const;
  const site = { dialect: "gitlab", release: "17.9", tier: "ultimate" };

  describe("kinds of groups", () => {
    test("are counted as groups in words", async () => {
      const policies = {
        groups: {
          groups: ["payments", "web"],
          badges: { ci: { link_url: "https://a.test", image_url: "https://b.test" } },
        },
      };
      const groups = [{ path: "payments" }, { path: "web" }];
      const { evenkeel } = await scene({ ...observed, site, seed: { groups }, policies });
      const planned = await evenkeel("plan");
      expect(planned.stdout).toContain("+ 2 groups: badge/ci created");
      expect((await evenkeel("unmanaged")).stdout).toContain("Nothing unmanaged in 2 groups.");
      await evenkeel("apply", "--yes");
      expect((await evenkeel("plan")).stdout).toContain("No changes: 2 groups in sync.");
    });
  });
});
