import { beforeEach, describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { outcomes, policyText, type Scene, scene, token, told, workspaceText } from "./workspace.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const projects = ["p", "q"].map((path) => ({
  path,
  integrations: { ...wiki("https://old"), "irc-gateway": { recipients: "#a", push_events: true } },
  licenses: { MIT: "denied" },
}));
const policy = {
  projects: ["p", "q"],
  integrations: { ...wiki("https://new"), "irc-gateway": { recipients: "#a", push_events: false } },
  licenses: { MIT: "allowed", "AGPL-3.0": "denied" },
};

let made: Scene;
beforeEach(async () => {
  made = await scene({ projects, policy });
  expect((await made.evenkeel("plan", "--out", "plan.json")).code).toBe(0);
});

const saved = (): Plan => JSON.parse(made.read("plan.json"));
const save = (plan: object) => made.write("plan.json", JSON.stringify(plan));

test("a saved plan is carried out as it was reviewed, without asking; once", async () => {
  const applied = await made.evenkeel("apply", "plan.json", "--report", "json");
  expect(applied).toMatchObject({ code: 0, stderr: "", writes: 8 });
  expect(outcomes(applied.plan())).toEqual(saved().resource_changes.map(({ address }) => `applied ${address}`));
  expect((await made.evenkeel("drift")).code).toBe(0);
  const again = await made.evenkeel("apply", "plan.json", "--report", "json");
  expect(again).toMatchObject({ code: 4, writes: 0 });
  expect(again.plan().summary.outcomes).toMatchObject({ stale: 8, applied: 0 });
});

test("a saved plan that an editor began with a byte order mark is read", async () => {
  made.write("plan.json", `\uFEFF${made.read("plan.json")}`);
  expect(await made.evenkeel("apply", "plan.json")).toMatchObject({ code: 0, stderr: "", writes: 8 });
});

test("says what became of each change, of those not applied last, and counts them", async () => {
  await made.ask("PUT", "/projects/p/integrations/external-wiki", { form: { external_wiki_url: "https://mine" } });
  const { stdout } = await made.evenkeel("apply", "plan.json");
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^Plan of \d{4}-.* UTC, for http/);
  expect(lines.filter((line) => /^ {2}[-+~x] \w+ \w/.test(line)).map((line) => line.split(":")[0])).toEqual([
    ...["~", "+", "~"].map((sign) => `  ${sign} applied p`),
    ...["~", "~", "+", "~"].map((sign) => `  ${sign} applied q`),
    "  ~ stale p",
  ]);
  expect(lines).toContain("  ~ applied q:license/MIT, loosened");
  expect(lines.at(-1)).toBe("Apply: 7 applied, 1 stale.");
});

describe("a plan that sends a rotated secret again", () => {
  const hook = { "chat-webhook-c": { webhook: { secret: "env:HOOK" } } };
  const secrets = { HOOK: "https://chat.example.com/hooks/old" };
  const planned = async (workspace: object = {}) => {
    const made = await scene({
      projects: [{ path: "p" }],
      policy: { projects: ["p"], integrations: hook },
      workspace,
      secrets,
    });
    expect((await made.evenkeel("apply", "--yes")).code).toBe(0);
    expect(told((await made.evenkeel("plan", "--report", "json")).plan())).toEqual([]);
    const resent = await made.evenkeel(
      "plan",
      "--resend",
      "p:integration/chat*",
      "--out",
      "plan.json",
      "--detailed-exitcode",
    );
    expect(resent).toMatchObject({ code: 2, writes: 0 });
    expect(resent.stdout).toContain("asked for by --resend");
    return made;
  };
  const rotated = { HOOK: "https://chat.example.com/hooks/new" };

  test.each([
    ["without a ledger", {}],
    ["with one", { ledger: ".evenkeel/ledger.ndjson" }],
  ])("carries it %s, and sends it just once", async (_, workspace) => {
    const made = await planned(workspace);
    const { requests, ...applied } = await made.evenkeelWith(rotated, "apply", "plan.json");
    expect(applied).toMatchObject({ code: 0, stderr: "", writes: 1 });
    expect(requests.at(-1)).toBe("PUT /projects/1/integrations/chat-webhook-c");
    expect(applied.stdout).toContain("  ~ applied p:integration/chat-webhook-c\n");
    expect(await made.evenkeelWith(rotated, "apply", "plan.json")).toMatchObject({ code: 4, writes: 0 });
  });
});

describe("a plan that was edited is refused whole", () => {
  const edits: [string, (plan: Plan) => object][] = [
    ["a value", (plan) => edit(plan, (text) => text.replace("https://new", "https://evil"))],
    ["one letter of a reason", (plan) => edit(plan, (text) => text.replace("field differs", "field differz"))],
    ["a live digest", (plan) => edit(plan, (text) => text.replace(/("live":.*?sha256:)./, "$1x"))],
    ["a change taken out", (plan) => ({ ...plan, resource_changes: plan.resource_changes.slice(1) })],
    ["the server", (plan) => ({ ...plan, server: { url: "https://elsewhere.example.com" } })],
    ["an addition", (plan) => ({ ...plan, approved_by: "me" })],
    ["the digest", (plan) => ({ ...plan, digest: `sha256:${"0".repeat(64)}` })],
  ];

  test.each(edits)("%s", async (_, change) => {
    const before = made.read("plan.json");
    save(change(saved()));
    expect(made.read("plan.json")).not.toBe(JSON.stringify(JSON.parse(before)));
    const ran = await made.evenkeel("apply", "plan.json");
    expect(ran).toMatchObject({ code: 1, stdout: "", reads: 0, writes: 0 });
    expect(ran.stderr).toMatch(/plan\.json was edited/);
  });

  const edit = (plan: Plan, change: (text: string) => string) => JSON.parse(change(JSON.stringify(plan)));
});

test("a plan of another format, another thing and nothing at all are refused, with the way out", async () => {
  save({ ...saved(), format_version: "2.0" });
  const other = await made.evenkeel("apply", "plan.json");
  expect(other).toMatchObject({ code: 1, reads: 0, writes: 0 });
  expect(other.stderr).toMatch(/format 2\.0.*plan again/);
  for (const text of ["", "{}", "[1]", "null", "not json", '{"format_version":1}']) {
    made.write("plan.json", text);
    const ran = await made.evenkeel("apply", "plan.json");
    expect(ran).toMatchObject({ code: 1, stdout: "", reads: 0, writes: 0 });
    expect(ran.stderr).toContain("plan.json");
  }
  expect((await made.evenkeel("apply", "nowhere.json")).stderr).toContain("nowhere.json");
});

test("where manifests changed the plan is stale altogether", async () => {
  made.policy({ ...policy, licenses: { MIT: "allowed" } });
  const ran = await made.evenkeel("apply", "plan.json", "--report", "json");
  expect(ran).toMatchObject({ code: 4, reads: 0, writes: 0 });
  expect(ran.stderr).toContain("manifests changed");
  expect(ran.plan().problems[0]?.message).toContain("manifests changed");
  expect(ran.plan().summary.outcomes?.stale).toBe(ran.plan().resource_changes.length);
  made.policy(policy);
  made.write("more.yaml", "# one more file\n");
  expect(await made.evenkeel("apply", "plan.json")).toMatchObject({ code: 4, writes: 0 });
});

test("a target that moved is left and named, and the others are written", async () => {
  await made.ask("PUT", "/projects/p/integrations/external-wiki", { form: { external_wiki_url: "https://mine" } });
  await made.ask("PATCH", `/projects/q/managed_licenses/MIT`, { form: { approval_status: "allowed" } });
  const ran = await made.evenkeel("apply", "plan.json", "--report", "json=done.json");
  expect(ran).toMatchObject({ code: 4, writes: 6 });
  expect(ran.stdout).toMatch(/stale p:integration\/external-wiki: .*changed/);
  const done: Plan = JSON.parse(made.read("done.json"));
  expect(outcomes(done).filter((line) => !line.startsWith("applied"))).toEqual([
    "stale p:integration/external-wiki",
    "stale q:license/MIT",
  ]);
  const wikiOf = await made.ask("GET", "/projects/p/integrations/external-wiki");
  expect(wikiOf.json.properties.external_wiki_url).toBe("https://mine");
  expect(told((await made.evenkeel("plan", "--report", "json")).plan())).toEqual([
    "update p:integration/external-wiki",
  ]);
});

test("a target whose values moved is stale also where updated_at stands still", async () => {
  let url = "https://old";
  const row = { id: 1, slug: "external-wiki", active: true, updated_at: "2026-01-01T00:00:00Z" };
  const site = await serve(({ path }) => {
    return { body: path.endsWith("/integrations") ? [row] : { ...row, properties: { external_wiki_url: url } } };
  });
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({ projects: ["p"], integrations: wiki("https://new") }),
  });
  const run = (...args: string[]) => runProgram(args, files.root, { EVENKEEL_TOKEN: token });
  await run("plan", "--out", "plan.json");
  url = "https://mine";
  expect((await run("apply", "plan.json")).code).toBe(4);
  expect(site.seen.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("a plan for one server is not carried out on another", async () => {
  const other = await scene({ projects });
  const ran = await made.evenkeelWith({ EVENKEEL_URL: other.server.url }, "apply", "plan.json");
  expect(ran).toMatchObject({ code: 1, writes: 0 });
  expect(other.server.requests.total).toBe(0);
  expect(ran.stderr).toContain(other.server.url);
});
