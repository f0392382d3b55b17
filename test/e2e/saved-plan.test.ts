import { beforeEach, describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, type Scene, scene, token, workspaceText } from "./workspace.ts";

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

test("a saved plan that an editor began with a byte order mark is read", async () => {
  made.write("plan.json", `\uFEFF${made.read("plan.json")}`);
  expect(await made.evenkeel("apply", "plan.json")).toMatchObject({ code: 0, stderr: "", writes: 8 });
});

describe("a plan that was edited is refused whole", () => {
  const edits: [string, (plan: Plan) => object][] = [
    ["a value", (plan) => edit(plan, (text) => text.replace("https://new", "https://evil"))],
    ["a change taken out", (plan) => ({ ...plan, resource_changes: plan.resource_changes.slice(1) })],
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
