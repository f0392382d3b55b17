import { describe, expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const seed: Seed = {
  projects: [
    { id: 1, path: "team/alpha", repository_storage: "old" },
    { id: 2, path: "team/beta", name: "Search me" },
  ],
  snippets: [{ id: 5, repository_storage: "old" }],
  groups: [{ id: 7, path: "team", repository_storage: "old" }],
  storages: ["new"],
};

const token = "evenkeel-dev-token";

describe.each(["spec", "observed"] as const)(
  "what clients of the platform ask for beyond the spec (%s)",
  (behaviour) => {
    const served = () => serving({ seed, behaviour, moveDuration: 15, release: "14.5.2" });

    test("the version of the server, to any token that may read", async () => {
      const { ask } = await served();
      expect((await ask("GET", "/version")).json).toMatchObject({ version: "14.5.2-ee" });
      expect((await ask("GET", "/version", { token: null })).status).toBe(401);
    });

    test("HEAD answers as GET does, without a body", async () => {
      const { ask } = await served();
      const [head, get] = [await ask("HEAD", "/projects?per_page=1"), await ask("GET", "/projects?per_page=1")];
      expect([head.status, head.text, head.headers.get("x-total")]).toEqual([200, "", "2"]);
      expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
      expect((await ask("HEAD", "/projects/9")).status).toBe(404);
    });

    test("a token as a bearer's or in the query, which neither log nor links repeat", async () => {
      const { server, ask } = await served();
      const bearer = await fetch(`${server.url}/api/v4/projects`, { headers: { authorization: `bearer ${token}` } });
      expect(bearer.status).toBe(200);
      for (const name of ["private_token", "access_token"]) {
        const answered = await ask("GET", `/projects?per_page=1&${name}=${token}`, { token: null });
        expect([answered.status, answered.headers.get("link")]).toEqual([200, expect.not.stringContaining(token)]);
        expect((await ask("GET", `/projects?${name}=wrong`, { token: null })).status).toBe(401);
      }
      expect(JSON.stringify(server.requests.kept)).not.toContain(token);
    });

    test("projects by words, and with filters that change nothing", async () => {
      const { ask } = await served();
      const found = async (query: string) =>
        (await ask("GET", `/projects?${query}`)).json.map(({ id }: { id: number }) => id);
      expect(await found("search=ALPH")).toEqual([1]);
      expect(await found("search=search")).toEqual([2]);
      const groups = await ask("GET", "/groups?search=TEA");
      expect(groups.json.map(({ path }: { path: string }) => path)).toEqual(["team"]);
      expect((await ask("GET", "/groups?search=none")).json).toEqual([]);
      expect((await found("simple=true&archived=false&statistics=true&visibility=private")).toSorted()).toEqual([1, 2]);
    });
  },
);

test("storage moves of one repository, and by their ID", async () => {
  const { ask } = await serving({ seed, behaviour: "observed", moveDuration: 60_000 });
  for (const [kind, name] of [
    ["project", "team%2Falpha"],
    ["snippet", "5"],
    ["group", "7"],
  ] as const) {
    const own = `/${kind}s/${name}/repository_storage_moves`;
    const wrong = await ask("POST", own, { json: { destination_storage_name: "none" } });
    expect(wrong.json.message).toEqual({ destination_storage_name: ["is not included in the list"] });
    const added = await ask("POST", own, { json: { destination_storage_name: "new" } });
    expect([added.status, added.json.state]).toEqual([201, "scheduled"]);
    const again = await ask("POST", own, { json: { destination_storage_name: "new" } });
    expect([again.status, again.json.message]).toEqual([400, { [kind]: ["is read-only"] }]);
    expect((await ask("GET", own)).json).toEqual([added.json]);
    expect((await ask("GET", `${own}/${added.json.id}`)).json).toEqual(added.json);
    expect((await ask("GET", `/${kind}_repository_storage_moves/${added.json.id}`)).json).toEqual(added.json);
    expect((await ask("GET", `${own}/99`)).status).toBe(404);
    expect((await ask("GET", `/${kind}s/99/repository_storage_moves`)).status).toBe(404);
  }
});

test("merge requests of a deployment in the order that is asked for", async () => {
  const merged = [
    { iid: 1, created_at: "2021-03-01", updated_at: "2021-03-02" },
    { iid: 2, created_at: "2021-02-01", updated_at: "2021-04-01" },
  ];
  const { ask } = await serving({
    seed: { projects: [{ id: 1, path: "a/b", deployments: [{}], merge_requests: merged }] },
  });
  const iids = async (query: string) =>
    (await ask("GET", `/projects/1/deployments/1/merge_requests?${query}`)).json.map(({ iid }: { iid: number }) => iid);
  expect(await iids("")).toEqual([1, 2]);
  expect(await iids("sort=asc")).toEqual([2, 1]);
  expect(await iids("order_by=updated_at")).toEqual([2, 1]);
});
