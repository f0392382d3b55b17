import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { type Scene, type Setting, scene } from "./workspace.ts";

const head = "apiVersion: evenkeel/v1\nkind: Policy\n";

const team = `# The payments team.
${head}name: payments
projects: ["payments/**"]
vars:
  channel: "#payments"   # the team's room
  tracker: https://bugs.example.com
integrations:
  irc-gateway:
    # kept short
    recipients: \${vars.channel}
    server_host: 'irc.example.com'  # ours
    push_events: true
licenses: { MIT: allowed, AGPL-3.0: denied }
---
# One project of theirs.
${head}name: core
projects:
  - payments/core
vars:
  channel: "#core"   # its own room
integrations:
  external-wiki: { external_wiki_url: "https://wiki.example.com/core" } # the wiki
`;

const irc = { recipients: "#payments", server_host: "irc.example.com", push_events: true };

const projects = [
  { id: 1, path: "payments/core", integrations: { "irc-gateway": { ...irc, recipients: "#core" } } },
  { id: 2, path: "payments/api", integrations: { "irc-gateway": irc } },
];

async function made(
  text: string,
  setting: Setting = {},
): Promise<Scene & { readonly read: (name?: string) => string }> {
  const own = await scene({ projects, ...setting });
  own.write("team.yaml", text);
  const applied = await own.evenkeel("apply", "--yes");
  expect(applied).toMatchObject({ code: 0 });
  return { ...own, read: (name = "team.yaml") => readFileSync(join(own.root, name), "utf8") };
}

const put = ({ ask }: Scene, project: number, slug: string, body: object) =>
  ask("PUT", `/projects/${project}/integrations/${slug}`, { json: body });

test("edits the literal or variable of the project's own policy, otherwise adds an entry to one", async () => {
  const own = await made(team);
  await put(own, 1, "external-wiki", { external_wiki_url: "https://new.example.com/${x}" });
  const wiki = await own.evenkeel("accept", "payments/core:integration/external-wiki");
  expect(wiki).toMatchObject({ code: 0, stderr: "", writes: 0 });
  expect(wiki.stdout).toContain(`  team.yaml:26\n  -   external-wiki: { external_wiki_url: "https://wiki`);
  const first = team.replace("https://wiki.example.com/core", () => "https://new.example.com/$${x}");
  expect(own.read()).toBe(first);

  await put(own, 1, "irc-gateway", { ...irc, recipients: "#elsewhere" });
  const room = await own.evenkeel("accept", "Payments/core:integration/irc-gateway");
  expect(room.stdout).toContain("vars.channel of policy core (team.yaml) decides");
  const second = first.replace('"#core"', '"#elsewhere"');
  expect(own.read()).toBe(second);

  await put(own, 2, "irc-gateway", { ...irc, recipients: "#api", push_events: false });
  await own.ask("PATCH", `/projects/2/managed_licenses/MIT`, { json: { approval_status: "denied" } });
  const rest = await own.evenkeel("accept", "payments/api:*");
  expect(rest.stdout).toContain(
    "policy payments (team.yaml) applies to other projects too: declared for payments/api alone in policies/payments/api.yaml, a new file",
  );
  expect(own.read()).toBe(second);
  expect(own.read("policies/payments/api.yaml")).toBe(
    `# yaml-language-server: $schema=../../.evenkeel/schemas/manifest.schema.json
${head}name: payments/api
projects: [payments/api]
vars:
  channel: "#api"
integrations:
  irc-gateway:
    recipients: \${vars.channel}
    server_host: irc.example.com
    push_events: false
licenses:
  MIT: denied
`,
  );
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  expect(await own.evenkeel("accept", "payments/*:*", "payments/api:license/MIT")).toMatchObject({
    code: 0,
    stdout: [
      "payments/*:* is as the manifests say: nothing to accept.",
      "payments/api:license/MIT is as the manifests say: nothing to accept.\n",
    ].join("\n"),
  });
});

test("lists what is off as disabled and what is gone as absent, and declares what is there", async () => {
  const own = await made(team.replaceAll("\n", "\r\n").replace(/^/, "\uFEFF"));
  await own.ask("DELETE", "/projects/1/integrations/external-wiki");
  await own.ask("DELETE", "/projects/2/integrations/irc-gateway");
  await own.ask("DELETE", "/projects/2/managed_licenses/AGPL-3.0");
  const { code, stdout } = await own.evenkeel("accept", "*", "--report", "json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ dry_run: false, problems: [], accepted: [{}, {}, {}] });
  const text = own.read();
  expect(text.startsWith("\uFEFF# The payments team.\r\n")).toBe(true);
  expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  expect(text).toContain("disabled: [external-wiki]");
  expect(own.read("policies/payments/api.yaml")).toContain(
    "disabled: [irc-gateway]\nabsent:\n  licenses: [AGPL-3.0]\n",
  );
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);

  await put(own, 2, "irc-gateway", irc);
  const back = await own.evenkeel("accept", "payments/api:integration/irc-gateway");
  expect(back).toMatchObject({ code: 0, stderr: "" });
  expect(own.read("policies/payments/api.yaml")).not.toContain("disabled");
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("writes nothing in a dry run, or if the manifests changed meanwhile", async () => {
  const own = await made(team);
  await put(own, 1, "irc-gateway", { ...irc, recipients: "#elsewhere" });
  const dry = await own.evenkeel("accept", "--dry-run", "payments/core:integration/irc-gateway");
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("1 file would change.") });
  expect(own.read()).toBe(team);

  const slow = await scene({ projects, latency: 400 });
  slow.write("team.yaml", team);
  const running = slow.begin("accept", "payments/core:integration/irc-gateway", "payments/core:license/*");
  await until(() => slow.server.requests.count("GET") > 0);
  writeFileSync(join(slow.root, "team.yaml"), `${team}# edited\n`);
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain("the manifests changed meanwhile; nothing was written: run it again");
});

test("suggests the nearest address, and sends nothing for an invalid glob", async () => {
  const own = await made(team);
  const misspelt = await own.evenkeel("accept", "payments/core:license/MTI");
  expect(misspelt).toMatchObject({ code: 1, stdout: "" });
  expect(misspelt.stderr).toContain("did you mean payments/core:license/MIT?");
  const unknown = await own.evenkeel("accept", "payments/croe:license/MIT");
  expect(unknown.stderr).toContain("no policy selects payments/croe; did you mean payments/core?");
  for (const bad of [[], ["!x:license/*"], ["(a|b):license/*"]]) {
    expect(await own.evenkeel("accept", ...bad)).toMatchObject({ code: 64, reads: 0 });
  }
});

const hook = `${head}name: chat
projects: [payments/core]
integrations:
  chat-notifications-a:
    webhook: { secret: env:HOOK }
    channel: "#a"
`;
const canary = { HOOK: "https://chat.example.com/CANARY-of-accept" };
const address = "payments/core:integration/chat-notifications-a";

test("records a hidden change in the ledger, and never accepts a secret", async () => {
  const own = await made(hook, { workspace: { ledger: "ledger.ndjson" }, secrets: canary });
  await put(own, 1, "chat-notifications-a", { webhook: "https://chat.example.com/other", channel: "#a" });
  expect((await own.evenkeel("drift")).stdout).toContain("suspected drift");
  const { code, stdout } = await own.evenkeel("accept", address);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("does not report webhook") });
  expect(own.read()).toBe(hook);
  expect((await own.evenkeel("drift")).code).toBe(0);

  const rotated = { HOOK: "https://chat.example.com/CANARY-rotated" };
  await put(own, 1, "chat-notifications-a", { webhook: "https://chat.example.com/other", channel: "#b" });
  const partly = await own.evenkeelWith(rotated, "accept", address);
  expect(partly.code).toBe(1);
  expect(partly.stderr).toContain(`${address} was accepted in part: the server does not report webhook`);
  expect(own.read()).toBe(hook.replace("#a", "#b"));
  expect(partly.stdout + partly.stderr).not.toContain("CANARY");
});

test("edits a linked manifest at its target, and hides literal secrets", async () => {
  const literal = hook
    .replace("{ secret: env:HOOK }", '"https://chat.example.com/CANARY-literal"')
    .replace("payments/core", '"**"');
  const own = await scene({ projects, workspace: { allowPlaintextSecrets: true } });
  own.write("deep/real.yaml", literal);
  symlinkSync("deep/real.yaml", join(own.root, "linked.yaml"));
  expect((await own.evenkeel("apply", "--yes")).code).toBe(0);
  await put(own, 1, "chat-notifications-a", { webhook: "https://chat.example.com/CANARY-literal", channel: "#b" });
  const ran = await own.evenkeel("accept", address);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('channel: "#b"') });
  expect(ran.stdout + ran.stderr).not.toContain("CANARY-literal");
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("leaves an expired policy as it is, and does not reuse its name", async () => {
  const ended = `---
${head}name: payments/api
projects: [payments/api]
until: 2020-02-02
integrations:
  irc-gateway:
    recipients: "#exception"
`;
  const own = await made(`${team}${ended}`);
  await put(own, 2, "irc-gateway", { ...irc, recipients: "#exception" });
  const ran = await own.evenkeel("accept", "payments/api:integration/irc-gateway");
  expect(ran).toMatchObject({ code: 0, writes: 0 });
  expect(own.read()).toBe(`${team}${ended}`);
  expect(own.read("policies/payments/api.yaml")).toContain(
    'name: payments/api-2\nprojects: [payments/api]\nvars:\n  channel: "#exception"\n',
  );
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("never creates a policy behind a link, which may lead outside the workspace", async () => {
  const own = await made(team);
  const outside = folder({});
  symlinkSync(outside.root, join(own.root, "policies"));
  await put(own, 2, "irc-gateway", { ...irc, server_host: "other.example.com" });
  const { code, stdout } = await own.evenkeel("accept", "payments/api:integration/irc-gateway");
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("a new document") });
  expect(readdirSync(outside.root)).toEqual([]);
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("edits the project's own policy that expires, and reports its last day", async () => {
  const expiring = `${head}name: exception
projects: [payments/core]
until: 2999-06-30
integrations: { external-wiki: { external_wiki_url: https://wiki.example.com } }
licenses: { MIT: denied, BSD: allowed }
`;
  const own = await made(expiring);
  await own.ask("PATCH", "/projects/1/managed_licenses/MIT", { json: { approval_status: "allowed" } });
  await own.ask("DELETE", "/projects/1/managed_licenses/BSD");
  await own.ask("DELETE", "/projects/1/integrations/external-wiki");
  const ran = await own.evenkeel("accept", "payments/core:*");
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain("applies until 2999-06-30 only, when policy exception expires");
  const [kept = ""] = expiring.split("integrations");
  expect(own.read()).toBe(`${kept}licenses: { MIT: allowed }\ndisabled: [external-wiki]\n`);
  expect((await own.evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test.each([
  ["an address that means nothing", ["payments/core:integration/none"], {}, "no policy declares"],
  ["a storage move", ["storage:old/projects"], {}, "a storage move cannot be accepted"],
  ["a missing token", ["payments/core:*"], { EVENKEEL_TOKEN: undefined }, "EVENKEEL_TOKEN"],
])("writes only the report if %s is refused", async (_, addresses, env, why) => {
  const own = await made(team);
  await put(own, 1, "irc-gateway", { ...irc, recipients: "#elsewhere" });
  const before = own.read();
  const { code, stdout, stderr } = await own.evenkeelWith(
    env,
    "accept",
    ...addresses,
    "--report",
    "json=out/report.json",
  );
  expect([code === 0, stdout.trim()]).toEqual([false, ""]);
  expect(stderr).toContain(why);
  const report = JSON.parse(own.read("out/report.json"));
  expect(report).toMatchObject({ accepted: [], in_sync: [], dry_run: false, warnings: [] });
  expect(report.problems).toEqual([{ rule: "setup", message: expect.stringContaining(why) }]);
  expect(own.read()).toBe(before);
});
