import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, token, workspaceText } from "./workspace.ts";

const chat = { "chat-webhook-d": { webhook: ref("HOOK"), push_events: false } };

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
