import { describe, expect, it } from "vitest";
import { mostPages, nextPage, readPages } from "../../src/client/pages.ts";
import { call } from "../../src/model/endpoints.ts";
import { failureOf, reader, type Scripted, serve, token } from "./scripted.ts";

const projects = call("listProjects", {}, { repository_storage: "old" });
const start = "/api/v4/projects?per_page=100&repository_storage=old";

describe("a list", () => {
  it("is read to its end by X-Next-Page, each row once", async () => {
    const pages: Scripted[] = [
      { headers: { "x-next-page": "2" }, body: [{ id: 1 }, { id: 2 }] },
      { headers: { "x-next-page": "3" }, body: [{ id: 2 }, { id: 3 }] },
      { headers: { "x-next-page": "", link: '<http://x/?page=9>; rel="next"' }, body: [{ id: 4 }, "odd"] },
    ];
    const server = await serve(pages);
    const client = await reader(server.url);
    expect(await client.list(projects)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, "odd"]);
    expect(server.seen.map(({ path }) => path)).toEqual([start, `${start}&page=2`, `${start}&page=3`]);
    expect(client.counts.reads).toBe(3);
  });

  it("follows a Link's query on its own origin only, whatever host it names", async () => {
    const stranger = await serve([{ body: [] }]);
    const link = `<${stranger.url}/steal?cursor=abc&repository_storage=other>; rel="next", <${stranger.url}/>; rel="first"`;
    const server = await serve([{ headers: { link }, body: [{ id: 1 }] }, { body: [{ id: 2 }] }]);
    expect(await (await reader(server.url)).list(projects)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(stranger.seen).toHaveLength(0);
    const { pathname, searchParams } = new URL(server.seen[1]?.path ?? "", server.url);
    expect(pathname).toBe("/api/v4/projects");
    expect(Object.fromEntries(searchParams)).toEqual({ cursor: "abc", repository_storage: "old", per_page: "100" });
  });

  it("asks for 100 rows where the endpoint has pages, and for none where it has not", async () => {
    const server = await serve([{ body: [] }]);
    const client = await reader(server.url);
    await client.list(call("listLicenses", { id: "7" }));
    await client.list(call("listIntegrations", { id: "7" }));
    await client.list(call("listDeploymentMergeRequests", { id: "7", deployment_id: "1" }));
    await client.list(call("listSnippetMoves", {}));
    expect(server.seen.map(({ path }) => path.replace("/api/v4", ""))).toEqual([
      "/projects/7/managed_licenses?per_page=100",
      "/projects/7/integrations",
      "/projects/7/deployments/1/merge_requests?per_page=100",
      "/snippet_repository_storage_moves?per_page=100",
    ]);
  });

  it("fails where pages go in a circle", async () => {
    const server = await serve(({ path }) => ({
      headers: { "x-next-page": path.includes("page=2") ? "3" : "2" },
      body: [],
    }));
    const failure = await failureOf((await reader(server.url)).list(projects));
    expect(failure).toMatchObject({ kind: "html", message: expect.stringContaining("read already") });
    expect(String(failure)).not.toContain(token);
    expect(server.seen).toHaveLength(3);
  });

  it("fails where one page fails", async () => {
    const server = await serve([
      { headers: { "x-next-page": "2" }, body: [] },
      { status: 403, body: { message: "no" } },
    ]);
    expect(await failureOf((await reader(server.url)).list(projects))).toMatchObject({ status: 403 });
  });

  it("is not believed without end", async () => {
    let fetched = 0;
    const pages = await readPages(async () => ({ rows: [], next: { page: String(++fetched) } }), {});
    expect(pages).toEqual({ endless: "many" });
    expect(fetched).toBe(mostPages);
  });
});

describe("the next page", () => {
  it.each([
    [{}, undefined],
    [{ "x-next-page": "" }, undefined],
    [{ "x-next-page": "2" }, { a: "1", page: "2" }],
    [{ "x-next-page": "-1" }, undefined],
    [{ link: "<https://h/p?page=2>; rel=next" }, { a: "1", page: "2" }],
    [{ link: '<?page=2>; title="<x>"; rel="last"' }, undefined],
    [{ link: '<https://h/p?page=1>; rel="prev", <https://h/p?page=3>; rel="last next"' }, { a: "1", page: "3" }],
    [{ link: '<https://h/p?page=2>; rel="nextish"' }, undefined],
    [{ link: ['<https://h/p?a=7&id_after=5>; rel="NEXT"'] }, { a: "1", id_after: "5" }],
    [{ link: '<http://[>; rel="next"' }, undefined],
    [{ link: "garbage" }, undefined],
  ])("%j", (headers, expected) => {
    expect(nextPage(headers, { a: "1" })).toEqual(expected);
  });
});
