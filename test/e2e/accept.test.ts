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

const hook = `${head}name: chat
projects: [payments/core]
integrations:
  chat-notifications-a:
    webhook: { secret: env:HOOK }
    channel: "#a"
`;
const address = "payments/core:integration/chat-notifications-a";

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
