import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { scene, workspaceText } from "./workspace.ts";

const policy = { projects: ["p/a"], licenses: { MIT: "allowed" } };
const projects = [{ id: 1, path: "p/a" }];

describe("a server that cannot be asked", () => {
  test.each(["plan", "drift", "import --all", "apply --yes", "apply --dry-run"])(
    "%s: a rejected token",
    async (line) => {
      const { evenkeelWith } = await scene({ policy, projects });
      const ran = await evenkeelWith({ EVENKEEL_TOKEN: "wrong" }, ...line.split(" "));
      expect(ran).toMatchObject({ code: 1, writes: 0 });
      expect(ran.stderr).toMatch(/^error: .*GET .* 401 .*rejected; it comes from EVENKEEL_TOKEN: .*evenkeel whoami/);
    },
  );

  test("a list that could not be read is named before its URL, which has no paging", async () => {
    const chaos = [{ match: "/projects", status: 403 }];
    const { evenkeel } = await scene({ policy: { ...policy, projects: ["p/*"] }, projects, chaos });
    const ran = await evenkeel("plan");
    expect(ran.stderr).toMatch(
      /^error: the list of projects could not be read: GET http:\S+\/api\/v4\/projects answered 403 /,
    );
  });

  test("a 403 that has a reason of its own gets no advice on roles", async () => {
    const chaos = [{ match: "/projects/*", status: 403 }];
    const injected = await scene({ policy, projects, chaos });
    expect((await injected.evenkeel("plan")).stderr).toMatch(
      /answered 403 Injected fault; the managed license list needs tier/,
    );
    const plain = await scene({ policy, projects: [{ id: 1, path: "p/a", access: "none" }] });
    expect((await plain.evenkeel("plan")).stderr).toContain("answered 403 Forbidden; the token needs the role ");
  });

  test("the file of a rejected token is named", async () => {
    const { evenkeelWith, write, root } = await scene({ policy, projects });
    write("token", "wrong\n");
    const file = join(root, "token");
    const ran = await evenkeelWith({ EVENKEEL_TOKEN: undefined, EVENKEEL_TOKEN_FILE: file }, "plan");
    expect(ran.stderr).toContain(`it comes from EVENKEEL_TOKEN_FILE (${file}): `);
  });

  test.each([
    ["server.url", {}],
    ["EVENKEEL_URL", { EVENKEEL_URL: "http://127.0.0.1:1" }],
  ])("a host on which nothing listens, of %s", async (setting, env) => {
    const { evenkeelWith, write } = await scene({ policy, projects });
    write("evenkeel.yaml", workspaceText({ url: "http://127.0.0.1:1", release: "14.5" }));
    const ran = await evenkeelWith(env, "plan", "--give-up-after", "1s");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`; check the address 127.0.0.1:1, which comes from ${setting}`);
  });

  test.each(["plan", "import --all"])("%s: the URL of a project", async (line) => {
    const { evenkeelWith, server } = await scene({ policy, projects });
    const ran = await evenkeelWith({ EVENKEEL_URL: `${server.url}/p/a` }, ...line.split(" "));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      `EVENKEEL_URL has the path /p/a: if that is a group, a project or a page, leave it out`,
    );
    const page = await evenkeelWith({ EVENKEEL_URL: `${server.url}/p/a/-/settings` }, ...line.split(" "));
    expect(page).toMatchObject({ code: 1, reads: 0 });
    expect(page.stderr).toContain(`EVENKEEL_URL is the URL of a page; give only the server's address: ${server.url}`);
  });
});

test("init at the URL of a project says so", async () => {
  const { evenkeel, server } = await scene({ policy, projects });
  const ran = await evenkeel("init", "new", "--url", `${server.url}/p/a`);
  expect(ran).toMatchObject({ code: 0, writes: 0 });
  expect(ran.stderr).toContain("has the path /p/a: if that is a group, a project or a page, leave it out");
});

test.each([
  ["change.action == 'create' and change.key == 'MIT'", 27, "&& for and"],
  ["change.action == 'create' OR true", 27, "|| for OR"],
  ["not change.destructive", 1, "! for not"],
  ["change.key = 'a and b'", 12, "== for ="],
  ["change.key <> 'MIT'", 12, "!= for <>"],
  ["change.key === 'MIT'", 12, "== for ==="],
])("a rule in another language: %s", async (when, column, message) => {
  const { evenkeel, write } = await scene({ policy, projects });
  write("rule.yaml", `apiVersion: evenkeel/v1\nkind: Rule\nname: r\nwhen: ${when}\nmessage: no\n`);
  const ran = await evenkeel("validate");
  expect(ran.stderr).toContain(`rule.yaml:4:${6 + column}  when  CEL writes ${message}  (rule-expression)`);
});

test("a missing secret is named with the line and the resource that need it, before any write", async () => {
  const integrations = { "chat-webhook-c": { webhook: { secret: "env:NOWHERE" } } };
  const { evenkeel } = await scene({ policy: { ...policy, integrations }, projects });
  const address = "p/a:integration/chat-webhook-c";
  const message = `${address}  a secret is needed and cannot be resolved: env:NOWHERE (not set)  (missing-secret)`;
  const fresh = await evenkeel("apply", "--yes");
  expect(fresh).toMatchObject({ code: 1, writes: 0 });
  expect(fresh.stderr).toMatch(/^all\.yaml:6:\d+ {2}p\/a:/m);
  expect(fresh.stderr).toContain(message);
  await evenkeel("plan", "--out", "plan.json");
  const saved = await evenkeel("apply", "plan.json");
  expect(saved).toMatchObject({ code: 1, writes: 0 });
  expect(saved.stderr).toContain(message);
});

describe("what selects nothing", () => {
  test.each([["plan"], ["drift"], ["apply", "--yes"], ["apply", "--dry-run"]])(
    "%s %s --target ends the run, and nothing is written",
    async (...command) => {
      const { evenkeel } = await scene({ policy, projects });
      for (const glob of ["other", "p/a:license/Artistic-2.0", "p/a:integration/*"]) {
        const ran = await evenkeel(...command, "--target", "p/a:*", "--target", glob);
        expect(ran).toMatchObject({ code: 1, writes: 0 });
        expect(ran.stderr).toContain(`error: --target  no declared resource matches ${glob}  (no-match)`);
      }
      expect((await evenkeel(...command, "--target", "P/A:license/mit")).code).not.toBe(1);
    },
  );

  test("what an exclusive policy removes is selected, although no policy declares it", async () => {
    const exclusive = { ...policy, exclusive: ["licenses"] };
    const live = [{ path: "p/a", licenses: { GPL: "allowed" } }];
    const { evenkeel } = await scene({ policy: exclusive, projects: live } as const);
    const ran = await evenkeel("plan", "--target", "p/a:license/GPL");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("1 to delete");
  });

  test("a part of the fleet may have none of it", async () => {
    const { evenkeel } = await scene({ policy, projects });
    const runs = await Promise.all(["1/2", "2/2"].map((part) => evenkeel("plan", "--target", "p/a", "--shard", part)));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  });

  test("an ID in a policy is named where it stands", async () => {
    const { evenkeel } = await scene({ policy: { ...policy, projects: [4711] }, projects });
    const ran = await evenkeel("plan");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^all\.yaml:4:\d+ {2}project 4711 was not found/);
  });

  test("a group among projects is called one, with what selects its projects", async () => {
    const { evenkeel } = await scene({ policy: { ...policy, projects: ["p"] }, projects: [{ path: "p/a" }] });
    const { stderr } = await evenkeel("plan");
    expect(stderr).toContain("; it is a group: p/** selects its projects, and groups in place of projects the group");
  });
});

test("drift calls a resource missing, and a saved plan ends with the apply of its run", async () => {
  const { evenkeel } = await scene({
    policy: { ...policy, projects: ["p/*"] },
    projects: [{ path: "p/a" }, { path: "p/b" }],
  });
  expect((await evenkeel("drift")).stdout).toMatch(/^\+ 2 projects: license\/\S+ missing, /m);
  const { stdout, stderr } = await evenkeel("plan", "--save");
  const [, run = ""] = /^Saved as (\S+);/m.exec(stderr) ?? [];
  expect(stdout).toContain(`Next:\n  evenkeel apply --plan ${run}  makes exactly these changes`);
});

test("labels are in colour on a terminal, and never without one", async () => {
  const { evenkeelWith, write } = await scene({ policy, projects });
  write("x.yaml", "");
  write("y.yaml", "a: [");
  const plain = await evenkeelWith({}, "validate");
  expect(plain.stderr).toMatch(/^warning: x\.yaml:1:1 {2}.*\ny\.yaml:1:4 {2}.*\n$/);
  const { stderr } = await evenkeelWith({ FORCE_COLOR: "1" }, "validate");
  expect(stripVTControlCharacters(stderr)).toBe(plain.stderr);
  expect(stderr.split("\n", 2).map((line) => line.startsWith("\u001b["))).toEqual([true, true]);
  const usage = await evenkeelWith({ FORCE_COLOR: "1" }, "plan", "--nope");
  expect([usage.code, usage.stderr.startsWith("\u001b[1m")]).toEqual([64, true]);
});

test("names that mean something to JavaScript are names like any other", async () => {
  const text = `apiVersion: evenkeel/v1
kind: Policy
name: names
projects: [p/a]
vars: { constructor: "#c", __proto__: "#p", toString: "#t" }
integrations:
  chat-notifications-b:
    webhook: { secret: env:HOOK }
    channel: \${vars.constructor}
    push_channel: \${vars.__proto__}
    note_channel: \${vars.toString}
licenses: { constructor: allowed, prototype: denied, __proto__: denied }
labels: { __proto__: { color: "#ff0000" } }
`;
  const { evenkeelWith, evenkeel, write } = await scene({ projects });
  write("names.yaml", text);
  expect((await evenkeelWith({ HOOK: "https://hooks.example.com/1" }, "apply", "--yes")).stdout).toContain("5 applied");
  const { stdout } = await evenkeel("show", "p/a");
  for (const channel of ['channel: "#c"', 'push_channel: "#p"', 'note_channel: "#t"'])
    expect(stdout).toContain(channel);
  expect((await evenkeel("drift")).code).toBe(0);
  write("names.yaml", text.replace("vars.__proto__", "vars.valueOf"));
  expect((await evenkeel("validate")).stderr).toContain("${vars.valueOf} is not defined");
});

test("a look-up that fails in several projects is told once, with the projects", async () => {
  const approval = { QA: { approvals_required: 1, users: ["nobody"] } };
  const policy = { projects: ["p/*"], approval_rules: approval };
  const { evenkeel } = await scene({ policy, projects: ["p/a", "p/b", "p/c", "p/d"].map((path) => ({ path })) });
  const planned = await evenkeel("plan", "--report", "json", "--report", "markdown=plan.md");
  expect(planned.code).toBe(1);
  expect(planned.plan().problems.map(({ project }) => project)).toEqual(["p/a", "p/b", "p/c", "p/d"]);
  const told = planned.stderr.split("\n").filter((line) => line.includes('"nobody" could not be looked up'));
  expect(told).toEqual([
    expect.stringMatching(/all\.yaml:\d+:\d+ .*; concerns p\/a, p\/b, p\/c and 1 more {2}\(look-up\)$/),
  ]);
});
