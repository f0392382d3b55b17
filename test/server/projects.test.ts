import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const fleet: Seed = {
  projects: Array.from({ length: 45 }, (_, index) => ({ id: index + 1, path: `g/p${index + 1}` })),
};

test("a row has the fields that name a project and its storage", async () => {
  const { ask } = await serving({
    seed: { projects: [{ id: 5, path: "a/b/c", name: "Sea", repository_storage: "s1" }] },
  });
  expect((await ask("GET", "/projects")).json).toMatchObject([
    {
      ...{ id: 5, path: "c", name: "Sea", path_with_namespace: "a/b/c", name_with_namespace: "a / b / Sea" },
      ...{ default_branch: "main", web_url: expect.stringContaining("a/b/c"), repository_storage: "s1" },
    },
  ]);
});

test("lists come in pages, with the headers that lead on", async () => {
  const { ask } = await serving({ seed: fleet });
  const second = await ask("GET", "/projects?page=2&per_page=20");
  expect(second.json.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 21));
  const header = (name: string) => second.headers.get(name);
  expect(["x-page", "x-per-page", "x-next-page", "x-prev-page", "x-total", "x-total-pages"].map(header)).toEqual([
    "2",
    "20",
    "3",
    "1",
    "45",
    "3",
  ]);
  expect(header("link")).toMatch(/projects\?page=3&per_page=20>; rel="next"/);
  const last = await ask("GET", "/projects?page=3");
  expect([last.json.length, last.headers.get("x-next-page")]).toEqual([5, ""]);
  expect((await ask("GET", "/projects?page=9")).json).toEqual([]);
  expect((await ask("GET", "/projects?per_page=1000")).headers.get("x-per-page")).toBe("100");
  expect((await ask("GET", "/projects?per_page=0&page=x")).status).toBe(400);
});

test("one project is shown under either name, and to nobody who may not see it", async () => {
  const { ask } = await serving({
    seed: { projects: [...(fleet.projects ?? []), { id: 99, path: "g/secret", visible: false }] },
  });
  for (const name of ["7", "g%2Fp7", "G%2FP7"]) {
    expect((await ask("GET", `/projects/${name}`)).json).toMatchObject({ id: 7, path_with_namespace: "g/p7" });
  }
  for (const name of ["99", "100", "g%2Fnone"]) {
    const { status, json } = await ask("GET", `/projects/${name}`);
    expect([status, json.message]).toEqual([404, "404 Project Not Found"]);
  }
});

test("projects come in the order that is asked for, and by their IDs where that is", async () => {
  const { ask } = await serving({ seed: fleet });
  const idsOf = ({ json }: { json: { id: number }[] }) => json.map(({ id }) => id);
  expect(idsOf(await ask("GET", "/projects?order_by=id&sort=desc&per_page=2"))).toEqual([45, 44]);
  expect(idsOf(await ask("GET", "/projects?order_by=path&per_page=3"))).toEqual([1, 10, 11]);
  expect((await ask("GET", "/projects?order_by=age")).status).toBe(400);
  const seen: number[] = [];
  for (let next: string | undefined = "/projects?pagination=keyset&order_by=id&sort=asc&per_page=20"; next; ) {
    const page = await ask("GET", next);
    seen.push(...idsOf(page));
    expect(["x-page", "x-next-page", "x-total"].map((name) => page.headers.get(name))).toEqual([null, null, null]);
    next = /api\/v4(\/projects\?[^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
});

test("an empty list has one page", async () => {
  const { ask } = await serving();
  const { json, headers } = await ask("GET", "/projects");
  expect([json, headers.get("x-total"), headers.get("x-total-pages")]).toEqual([[], "0", "1"]);
});

const team: Seed = {
  projects: [
    { id: 1, path: "a/b" },
    { id: 2, path: "a/hidden", visible: false },
  ],
  tokens: [
    { token: "g", role: "guest" },
    { token: "r", role: "reporter" },
    { token: "d", role: "developer" },
    { token: "m", role: "maintainer" },
    { token: "o", role: "owner" },
    { token: "a", role: "admin" },
  ],
};

test.each([
  ["GET", "/projects/1/integrations", { g: 403, r: 403, d: 403, m: 200, o: 200, a: 200 }],
  ["GET", "/projects/1/managed_licenses", { g: 200, r: 200, d: 200, m: 200, o: 200, a: 200 }],
  ["POST", "/projects/1/managed_licenses?name=X&approval_status=denied", { d: 403, m: 201 }],
  ["POST", "/projects/1/deployments?environment=e&sha=s&ref=r&tag=true", { r: 403, d: 201 }],
  ["POST", "/project_repository_storage_moves", { o: 403, a: 415 }],
  ["GET", "/projects?repository_storage=default", { o: 403, a: 200 }],
])("%s %s by role", async (method, path, statuses) => {
  const { ask } = await serving({ seed: team });
  const asked = Object.keys(statuses).map(async (token) => [token, (await ask(method, path, { token })).status]);
  expect(Object.fromEntries(await Promise.all(asked))).toEqual(statuses);
});

test("without a known token nothing is answered; the user of a deployment is the token's", async () => {
  const { ask } = await serving({ seed: team });
  for (const token of [null, "wrong"]) {
    const { status, json } = await ask("GET", "/projects", { token });
    expect([status, json]).toEqual([401, { message: "401 Unauthorized" }]);
  }
  const form = { environment: "e", sha: "s", ref: "r", tag: "true" };
  const { json } = await ask("POST", "/projects/1/deployments", { token: "d", form });
  expect(json.user.username).toBe("developer-4");
});

test("a project that is not visible is not there, and is looked for before its parameters", async () => {
  const { ask } = await serving({ seed: team });
  expect((await ask("PUT", "/projects/2/integrations/irc-gateway")).json).toEqual({ message: "404 Project Not Found" });
  expect((await ask("GET", "/projects")).json).toHaveLength(1);
});

test("requests are counted and kept without the token, up to a bound", async () => {
  const { server, ask } = await serving({ seed: team, keepRequests: 2 });
  await ask("GET", "/projects?page=1");
  await ask("PUT", "/projects/1/integrations/irc-gateway");
  await ask("GET", "/projects");
  expect([server.requests.total, server.requests.writes, server.requests.count("GET")]).toEqual([3, 1, 2]);
  expect(server.requests.kept).toHaveLength(2);
  expect(server.requests.kept[0]).toMatchObject({
    method: "GET",
    path: "/api/v4/projects",
    query: "page=1",
    status: 200,
  });
  expect(JSON.stringify(server.requests.kept)).not.toContain("evenkeel-dev-token");
  server.requests.reset();
  expect([server.requests.total, server.requests.kept]).toEqual([0, []]);
});
