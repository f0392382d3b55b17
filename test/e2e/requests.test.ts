import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, token, told, workspaceText } from "./workspace.ts";

const wiki = { "external-wiki": { external_wiki_url: "https://wiki.example.com" } };
const chat = { "chat-webhook-d": { webhook: ref("HOOK"), push_events: false } };

test("a kind that no policy speaks of is not read", async () => {
  const projects = [{ id: 7, path: "p", integrations: wiki, licenses: { MIT: "allowed" } }];
  const licenses = await scene({ projects, policy: { projects: ["p"], licenses: { MIT: "allowed" } } });
  const asked = await licenses.evenkeel("plan");
  expect(asked.requests).toEqual(["GET /projects/p/managed_licenses?per_page=100"]);
  licenses.policy({ projects: ["p"], disabled: ["irc-gateway"] });
  expect((await licenses.evenkeel("plan")).requests).toEqual(["GET /projects/p/integrations"]);
  licenses.policy({ projects: [7], exclusive: ["integrations"] });
  expect((await licenses.evenkeel("plan")).requests).toEqual(["GET /projects/7/integrations"]);
});

test("one GET for each declared live integration whose parameters the list does not show", async () => {
  const live = { ...wiki, "irc-gateway": { recipients: "#ops" }, "emails-on-push": { recipients: "a@example.com" } };
  const shown = { "emails-on-push": { recipients: "a@example.com", push_events: true } };
  const { evenkeel } = await scene({
    projects: [{ path: "p", integrations: { ...live, "chat-webhook-d": { webhook: "x", push_events: true } } }],
    policy: { projects: ["p"], integrations: { ...wiki, ...shown, ...chat, "chatops-flows": { token: ref("T") } } },
  });
  const planned = await evenkeel("plan", "--report", "json");
  expect([...planned.requests].sort()).toEqual([
    "GET /projects/p/integrations",
    "GET /projects/p/integrations/chat-webhook-d",
    "GET /projects/p/integrations/emails-on-push",
    "GET /projects/p/integrations/external-wiki",
  ]);
  expect(planned.plan().summary.reads).toBe(4);
});

test("none for what is not live, one for what is not listed but may be configured and off", async () => {
  const live = { active: true, url: "https://jira.example.com", username: "bot", password: "x" };
  const declared = { url: "https://jira.example.com", username: "bot", password: ref("JIRA"), active: true };
  const on = await scene({
    projects: [{ path: "p", integrations: { "issue-tracker-full": { ...live, active: false } } }],
    policy: {
      projects: ["p"],
      integrations: { "issue-tracker-full": declared, "external-wiki": wiki["external-wiki"] },
    },
  });
  const planned = await on.evenkeel("plan", "--report", "json");
  expect(planned.requests).toEqual(["GET /projects/p/integrations", "GET /projects/p/integrations/issue-tracker-full"]);
  expect(told(planned.plan())).toEqual([
    "create p:integration/external-wiki",
    "update p:integration/issue-tracker-full",
  ]);
});

describe("the look-up of projects", () => {
  const lookups = (requests: readonly string[]) =>
    requests.filter((request) => /^GET \/projects(\?|$|\/\d+$)/.test(request));

  test("an ID whose path is spoken of is resolved by itself, however many projects there are", async () => {
    const many = Array.from({ length: 205 }, (_, index) => ({ path: `fleet/p${index}` }));
    const { evenkeel } = await scene({
      projects: many,
      policy: { projects: [5], integrations: { "external-wiki": { external_wiki_url: "https://w/${project.path}" } } },
    });
    const planned = await evenkeel("plan", "--report", "json");
    expect(lookups(planned.requests)).toEqual(["GET /projects/5"]);
    expect(told(planned.plan())).toEqual(["create fleet/p4:integration/external-wiki"]);
    expect(JSON.stringify(planned.plan().resource_changes)).toContain("https://w/fleet/p4");
  });
});

describe("the list of projects", () => {
  const own = { id: 1, path_with_namespace: "a/own" };
  const other = { id: 2, path_with_namespace: "b/public" };
  const permissions = { project_access: null, group_access: null };

  /** What `**` means on a server whose rows for members, and for anybody, are these. */
  const listing = async (members: readonly object[], all: readonly object[], refuses = false) => {
    const site = await serve(({ path }) => {
      const { pathname, searchParams } = new URL(path, "http://x");
      if (!pathname.endsWith("/projects")) return { body: [] };
      const asksMembers = searchParams.has("min_access_level");
      if (asksMembers && refuses) return { status: 400, body: { error: "min_access_level is invalid" } };
      return { body: asksMembers ? members : all };
    });
    const policy = { projects: ["**"], disabled: ["irc-gateway"] };
    const files = folder({ "evenkeel.yaml": workspaceText({ url: site.url }), "all.yaml": policyText(policy) });
    const ran = await runProgram(["plan", "--report", "json"], files.root, { EVENKEEL_TOKEN: token });
    const asked = site.seen.filter(({ path }) => path.includes("/projects?"));
    return { code: ran.code, projects: JSON.parse(ran.stdout).summary.projects, asked: asked.map(({ path }) => path) };
  };

  test("is of those that the token's user is a member of, for one request", async () => {
    const row = { ...own, permissions };
    const { code, projects, asked } = await listing([row], [row, { ...other, permissions }]);
    expect({ code, projects }).toEqual({ code: 0, projects: 1 });
    expect(asked).toEqual([expect.stringMatching(/[?&]min_access_level=10(&|$)/)]);
  });

  test("is of all for an administrator, a member of some or of none", async () => {
    const shown = { repository_storage: "default", permissions };
    const all = [own, other].map((row) => ({ ...row, ...shown }));
    expect(await listing(all.slice(1), all)).toMatchObject({ projects: 2, asked: { length: 2 } });
    expect(await listing([], all)).toMatchObject({ projects: 2, asked: { length: 3 } });
  });

  test("is empty for who is a member of none, though there are public ones", async () => {
    expect(await listing([], [{ ...other, permissions }])).toMatchObject({ projects: 0, asked: { length: 2 } });
  });

  test("is asked for once of a server by the specification, and without it where that is refused", async () => {
    const row = { ...own, repository_storage: "default" };
    expect(await listing([row], [row])).toMatchObject({ projects: 1, asked: { length: 1 } });
    expect(await listing([], [row], true)).toMatchObject({ code: 0, projects: 1, asked: { length: 2 } });
  });
});

test("a server that knows the older route alone is asked by it, and finds out once", async () => {
  const { evenkeel } = await scene({
    release: "14.3",
    site: { release: "14.3" },
    projects: ["p", "q", "r"].map((path) => ({ path, integrations: wiki })),
    policy: { projects: ["p", "q", "r"], integrations: wiki },
  });
  const planned = await evenkeel("plan", "--report", "json");
  expect(planned.code).toBe(0);
  expect(planned.plan().summary.reads).toBe(6);
  expect(planned.requests.filter((request) => request.includes("/integrations"))).toHaveLength(1);
  expect(planned.requests.filter((request) => request.includes("/services"))).toHaveLength(6);
});

test("every PUT carries all declared parameters, secrets resolved, as a form to an encoded path", async () => {
  const row = { id: 1, slug: "chat-webhook-d", active: true, push_events: true, updated_at: "2026-01-01T00:00:00Z" };
  const single = { ...row, properties: { branches_to_be_notified: "all" } };
  const site = await serve(({ method, path }) =>
    method === "GET" && path.endsWith("/integrations") ? { body: [row] } : { body: single },
  );
  const declared = { ...chat["chat-webhook-d"], branches_to_be_notified: "all" };
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({ projects: ["a/b.c"], integrations: { "chat-webhook-d": declared } }),
  });
  const env = { EVENKEEL_TOKEN: token, HOOK: "https://chat.example.com/x y&z" };
  expect((await runProgram(["apply", "--yes"], files.root, env)).code).toBe(0);
  const put = site.seen.find(({ method }) => method === "PUT");
  expect(put?.path).toBe("/api/v4/projects/a%2Fb.c/integrations/chat-webhook-d");
  expect(put?.headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(new URLSearchParams(put?.body))).toEqual({
    webhook: env.HOOK,
    push_events: "false",
    branches_to_be_notified: "all",
  });
  for (const { headers } of site.seen) expect(headers["private-token"]).toBe(token);
});

function ref(name: string) {
  return { secret: `env:${name}` };
}
