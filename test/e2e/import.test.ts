import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scene } from "./workspace.ts";

const canary = "CANARY-of-a-hook";

const projects = [
  {
    id: 1,
    path: "payments/api",
    integrations: {
      "chat-notifications-a": { webhook: canary, channel: "#pay ${x}", notify_only_default_branch: true },
      "ci-build-server-a": { ci_url: "https://ci.example.com", build_key: "K", username: "u", password: canary },
      "irc-gateway": { recipients: "#a", server_port: "6697", colorize_messages: "perhaps" },
      alerts: { x: 1 },
    },
    licenses: { MIT: "approved", "AGPL-3.0": "blacklisted" },
  },
  { id: 2, path: "payments/evenkeel", licenses: { MIT: "denied" } },
  { id: 3, path: "web/site" },
];

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  test("init, import, validate, plan: nothing to change, and no secret anywhere", async () => {
    const { evenkeel, files } = await scene({ behaviour, projects });
    const ran = await evenkeel("import", "--all");
    expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
    expect(ran.stdout).toContain("env:PAYMENTS_API_CHAT_NOTIFICATIONS_A_WEBHOOK");
    expect(ran.stdout).toContain("Nothing to import: web/site");
    expect(ran.stdout).toContain("alerts is left out: it is not in the catalogue");

    expect(Object.keys(files()).sort()).toEqual([
      "evenkeel.yaml",
      "policies/payments/_evenkeel.yaml",
      "policies/payments/api.yaml",
    ]);
    const text = files()["policies/payments/api.yaml"] ?? "";
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/\.\.\/\.evenkeel\/schemas\/manifest\.schema\.json\n/);
    expect(text).toContain("    branches_to_be_notified: default\n");
    expect(text).not.toContain("notify_only_default_branch");
    expect(text).toContain('  # colorize_messages is left out: expected true or false, the server has "perhaps"\n');
    expect(text).toContain("    server_port: 6697\n");
    expect(text).toContain("password: { secret: env:PAYMENTS_API_CI_BUILD_SERVER_A_PASSWORD } # set this: a secret\n");
    expect(text).toContain("  AGPL-3.0: denied\n  MIT: allowed\n");
    expect(text).toContain("# alerts is left out");
    expect(JSON.stringify([ran, files()])).not.toContain(canary);

    expect(await evenkeel("validate")).toMatchObject({ code: 0, stdout: "Valid: 2 policies.\n", stderr: "" });
    const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
    expect(planned).toMatchObject({ code: 0, stderr: "" });
    expect(planned.plan().summary).toMatchObject({ changed_projects: 0, unmanaged: 1 });
  });
});

test("a project that cannot be read is a problem, and the others are written", async () => {
  const { evenkeel, files } = await scene({ projects });
  const ran = await evenkeel("import", "payments/evenkeel", "no/where", "9", "--report", "json");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/there is no project with the ID 9 .*\nerror: no\/where .*404.*\n$/);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    policies: [{ file: "policies/payments/_evenkeel.yaml", licenses: ["MIT"] }],
    problems: [{ rule: "no-project" }, { rule: "unreadable", project: "no/where" }],
  });
  expect(Object.keys(files())).toContain("policies/payments/_evenkeel.yaml");
});

test("what cannot be read of a project is named, and the rest of it is written", async () => {
  const chaos = [
    { match: "/projects/*/integrations/irc-gateway", status: 403 },
    { match: "/projects/*/managed_licenses", status: 400 },
  ];
  const { evenkeel, files } = await scene({ projects, chaos });
  const ran = await evenkeel("import", "payments/api", "--report", "json");
  expect(ran).toMatchObject({ code: 1, writes: 0 });
  const { problems, policies } = JSON.parse(ran.stdout);
  expect(problems).toMatchObject([
    { project: "payments/api", message: expect.stringMatching(/^irc-gateway is left out: .*answered 403/) },
    { project: "payments/api", message: expect.stringMatching(/^licenses are left out: .*answered 400/) },
  ]);
  expect(policies).toMatchObject([{ integrations: ["ci-build-server-a", "chat-notifications-a"], licenses: [] }]);
  expect(files()["policies/payments/api.yaml"]).toContain("# irc-gateway is left out: ");
});

/** 5 groups of 8 projects as hands leave them: a hook a group, some events off, one rule for all, and a few exceptions. */
const groups = ["mobile", "payments", "platform", "search", "shop"].map((group, index) =>
  ["api", "core", "docs", "gateway", "jobs", "reports", "tools", "web"].map((name) => {
    const path = `${group}/${name}`;
    const bugs = `https://bugs.example.com/${path}`;
    return {
      path,
      integrations: {
        "issue-tracker-links-a": { new_issue_url: `${bugs}/new`, issues_url: `${bugs}/:id`, project_url: bugs },
        "chat-notifications-a": {
          webhook: `${canary}-${group}`,
          branches_to_be_notified: "all",
          push_events: index % 2 === 0,
          job_events: false,
          pipeline_events: true,
        },
        ...(path === "shop/docs" && { "irc-gateway": { recipients: "#docs" } }),
      },
      licenses: {
        "Apache-2.0": "approved",
        MIT: "approved",
        "SSPL-1.0": path === "mobile/core" ? "approved" : "denied",
      },
    };
  }),
);

test.each(["spec", "observed"] as const)(
  "40 projects in 5 groups become what a person would write: %s",
  async (behaviour) => {
    const { evenkeel, files, root } = await scene({ behaviour, projects: groups.flat() });
    const lines = (texts: readonly (readonly string[])[]) => texts.join("").split("\n").length - 1;
    expect(await evenkeel("import", "--all", "--out", "apart")).toMatchObject({ code: 0, writes: 0 });
    const apart = Object.entries(files()).filter(([path]) => path.startsWith("apart/"));
    expect([apart.length, lines(apart) > 800]).toEqual([40, true]);
    rmSync(join(root, "apart"), { recursive: true });

    const ran = await evenkeel("import", "--all", "--factor", "--secrets", "by-group");
    expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
    expect(ran.stdout).toContain("Wrote 8 policies in 6 files:");
    expect(ran.stdout).toMatch(
      /env:SHOP_CHAT_NOTIFICATIONS_A_WEBHOOK +shop\/\*\*:integration\/chat-notifications-a webhook\n/,
    );
    const texts = Object.entries(files()).filter(([path]) => path.startsWith("policies/"));
    expect(texts.map(([path]) => path.slice(9)).sort()).toEqual([
      "mobile.yaml",
      "payments.yaml",
      "platform.yaml",
      "search.yaml",
      "shared.yaml",
      "shop.yaml",
    ]);
    expect(lines(texts)).toBeLessThanOrEqual(100);
    expect(JSON.stringify([ran, files()])).not.toContain(canary);
    const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
    expect(planned).toMatchObject({ code: 0, stderr: "" });
    expect(planned.plan().summary).toMatchObject({ projects: 40, unmanaged: 0 });
  },
);

test("files that the workspace does not look at are told", async () => {
  const { evenkeel } = await scene({ projects, workspace: { manifests: ["mine/*.yaml"] } });
  const ran = await evenkeel("import", "payments/api");
  expect(ran.stderr).toBe("note: policies/payments/api.yaml is not among the manifests of evenkeel.yaml\n");
});

test("policies that say the same are told to be too many", async () => {
  const policy = { projects: ["payments/api"], licenses: { MIT: "denied" } };
  const { evenkeel } = await scene({ projects, policy });
  const ran = await evenkeel("import", "payments/api");
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("evenkeel validate says why") });
  expect(ran.stdout).toContain("Next:\n  evenkeel validate  shows what to change first\n");
  const checked = await evenkeel("validate");
  expect(checked).toMatchObject({ code: 1 });
  expect(checked.stderr + checked.stdout).toContain("equally specific");
});

test("a project that no request can name leaves the others, and its file may have a longer name than file systems take", async () => {
  const licenses = { MIT: "allowed" };
  const long = `a/${"x".repeat(255)}`;
  const { evenkeel, files } = await scene({ projects: ["a/..", "a/b", long].map((path) => ({ path, licenses })) });
  const imported = await evenkeel("import", "--all");
  expect(imported).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: a\/\.\. {2}GET of the project was not sent: .* names nothing on the server/),
  });
  const written = Object.keys(files()).filter((file) => file.startsWith("policies/"));
  expect(written).toEqual(["policies/a/b.yaml", `policies/a/${"x".repeat(80)}.yaml`]);
});

test("projects whose files would be one get files of their own", async () => {
  const licenses = { MIT: "allowed" };
  const { evenkeel, files } = await scene({
    projects: ["a/evenkeel", "a/_evenkeel"].map((path) => ({ path, licenses })),
  });
  expect((await evenkeel("import", "--all")).code).toBe(0);
  expect(Object.keys(files())).toEqual(
    expect.arrayContaining(["policies/a/_evenkeel.yaml", "policies/a/_evenkeel-2.yaml"]),
  );
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
});

test("no file is overwritten", async () => {
  const { evenkeel, write, read, files } = await scene({ projects });
  write("policies/payments/api.yaml", "# mine\n");
  const ran = await evenkeel("import", "--all");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("policies/payments/api.yaml exists already; nothing was written");
  expect(read("policies/payments/api.yaml")).toBe("# mine\n");
  expect(Object.keys(files())).not.toContain("policies/payments/_evenkeel.yaml");
  const told = await evenkeel("import", "--all", "--report", "json=import.json");
  expect(told.code).toBe(1);
  expect(JSON.parse(read("import.json"))).toMatchObject({ policies: [], problems: [{ rule: "exists" }] });
  expect(await evenkeel("import", "PAYMENTS/API", "--out", "found")).toMatchObject({ code: 0, stderr: "" });
});

test("all files are written or none", async () => {
  const { evenkeel, write, files } = await scene({
    projects: [...projects, { path: "z/a", licenses: { MIT: "denied" } }],
  });
  write("policies/z", "in the way of a folder\n");
  const before = files();
  const ran = await evenkeel("import", "--all", "--report", "json");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("cannot write policies/z/a.yaml: something else has that name; nothing was written");
  expect(JSON.parse(ran.stdout)).toMatchObject({ policies: [], problems: [{ rule: "unwritable" }] });
  expect(files()).toEqual(before);
});

test.each([
  [["import"], 64, "--all"],
  [["import", "payments/*"], 64, "--group 'payments/*'"],
  [["import", "--group", "paymets"], 1, "did you mean payments?"],
])("%j is told: %d", async (args, code, words) => {
  const { evenkeel } = await scene({ projects });
  const ran = await evenkeel(...args);
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(ran.stderr).toContain(words);
});

test("where the tier has no licenses none are asked for; where the server refuses them the rest is written", async () => {
  const policy = { projects: ["web/site"] };
  const free = await scene({ projects, policy, tier: "free", site: { tier: "free" } });
  expect(await free.evenkeel("import", "1")).toMatchObject({ code: 0, stderr: "" });
  const refused = await scene({ projects, policy, tier: "free" });
  const ran = await refused.evenkeel("import", "1");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("needs tier ultimate");
  expect(refused.read("policies/payments/api.yaml")).toContain("# licenses are left out: ");
});
