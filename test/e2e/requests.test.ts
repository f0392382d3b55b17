import { describe, expect, test } from "vitest";
import { scripted } from "./workspace.ts";

describe("the list of projects", () => {
  const own = { id: 1, path_with_namespace: "a/own" };
  const other = { id: 2, path_with_namespace: "b/public" };
  const permissions = { project_access: null, group_access: null };

  /** What `**` means on a server whose rows for members, and for anybody, are these. */
  const listing = async (members: readonly object[], all: readonly object[], refuses = false) => {
    const answer = ({ path }: { readonly path: string }) => {
      const { pathname, searchParams } = new URL(path, "http://x");
      if (!pathname.endsWith("/projects")) return { body: [] };
      const asksMembers = searchParams.has("min_access_level");
      if (asksMembers && refuses) return { status: 400, body: { error: "min_access_level is invalid" } };
      return { body: asksMembers ? members : all };
    };
    const { run, server } = await scripted(answer, { policy: { projects: ["**"], disabled: ["irc-gateway"] } });
    const ran = await run("plan", "--report", "json");
    const asked = server.seen.filter(({ path }) => path.includes("/projects?"));
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
