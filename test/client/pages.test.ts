import { describe, expect, it } from "vitest";
import { mostPages, nextPage, readList } from "../../src/client/read-list.ts";
import { call } from "../../src/model/call.ts";
import { projectsWithPaths } from "../../src/model/endpoints.ts";
import type { Call } from "../../src/model/types.ts";
import { integrationCalls, licenseCalls } from "./kind-calls.ts";
import { failureOf, reader, reading, type Scripted, serve, token } from "./scripted.ts";

const projects = call("listProjects", {}, { repository_storage: "old" });
const start = "/api/v4/projects?per_page=100&order_by=id&sort=asc&pagination=keyset&repository_storage=old";

const moves = call("listSnippetMoves", {});
const licenses = call(licenseCalls.list, { id: "7" });
const integrations = call(integrationCalls.list, { id: "7" });
const full = Array.from({ length: 100 }, (_, at) => ({ id: at, name: `MIT-${at}`, approval_status: "allowed" }));

describe("a list", () => {
  it("is read to its end by X-Next-Page, each row once", async () => {
    const pages: Scripted[] = [
      { headers: { "x-next-page": "2" }, body: [{ id: 1 }, { id: 2 }] },
      { headers: { "x-next-page": "3" }, body: [{ id: 2 }, { id: 3 }] },
      { headers: { "x-next-page": "", link: '<http://x/?page=9>; rel="next"' }, body: [{ id: 4 }] },
    ];
    const { server, client } = await reading(pages);
    expect(await client.list(projects)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(server.seen.map(({ path }) => path)).toEqual([start, `${start}&page=2`, `${start}&page=3`]);
    expect(client.counts.reads).toBe(3);
  });

  it("of one page is returned as the server sent it, even with an ID twice", async () => {
    const body = [{ id: 1 }, { id: 1 }];
    const server = await serve([{ body }]);
    expect(await (await reader(server.url)).list(projects)).toEqual(body);
  });

  it("of a fleet keeps of each row what a run asks for, whatever else servers say", async () => {
    const said = { id: 1, path_with_namespace: "a/b", permissions: null };
    const server = await serve([{ body: [{ ...said, description: "long", owner: { id: 7 } }] }]);
    expect(await (await reader(server.url)).list({ ...projects, answer: projectsWithPaths })).toEqual([said]);
  });

  it("follows a Link's query on its own origin only, whatever host it names", async () => {
    const stranger = await serve([{ body: [] }]);
    const link = `<${stranger.url}/steal?cursor=abc&repository_storage=other>; rel="next", <${stranger.url}/>; rel="first"`;
    const server = await serve([{ headers: { link }, body: [{ id: 1 }] }, { body: [{ id: 2 }] }]);
    expect(await (await reader(server.url)).list(projects)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(stranger.seen).toHaveLength(0);
    const { pathname, searchParams } = new URL(server.seen[1]?.path ?? "", server.url);
    expect(pathname).toBe("/api/v4/projects");
    const own = { order_by: "id", sort: "asc", pagination: "keyset", repository_storage: "old", per_page: "100" };
    expect(Object.fromEntries(searchParams)).toEqual({ cursor: "abc", ...own });
  });

  it("asks for 100 rows where the endpoint has pages, and for none where it has not", async () => {
    const { server, client } = await reading([{ body: [] }]);
    await client.list(call(licenseCalls.list, { id: "7" }));
    await client.list(call(integrationCalls.list, { id: "7" }));
    await client.list(call("listDeploymentMergeRequests", { id: "7", deployment_id: "1" }));
    await client.list(call("listSnippetMoves", {}));
    expect(server.seen.map(({ path }) => path.replace("/api/v4", ""))).toEqual([
      "/projects/7/managed_licenses?per_page=100",
      "/projects/7/integrations",
      "/projects/7/deployments/1/merge_requests?per_page=100",
      "/snippet_repository_storage_moves?per_page=100",
    ]);
  });

  it("fails where a Link breaks off", async () => {
    const server = await serve([{ headers: { link: '<https://h/p?page=2>; rel="next' }, body: [{ id: 1 }] }]);
    const failure = await failureOf((await reader(server.url)).list(projects));
    expect(failure).toMatchObject({ kind: "shape", message: expect.stringContaining("a truncated Link") });
  });

  it("fails where a page is not in UTF-8", async () => {
    const server = await serve([{ body: Buffer.from('[{"id":1,"name":"caf\xe9"}]', "latin1") }]);
    const failure = await failureOf((await reader(server.url)).list(projects));
    expect(failure).toMatchObject({ kind: "shape", message: expect.stringContaining("text that is not UTF-8") });
  });

  it("fails where pages go in a circle", async () => {
    const server = await serve(({ path }) => ({
      headers: { "x-next-page": path.includes("page=2") ? "3" : "2" },
      body: [],
    }));
    const failure = await failureOf((await reader(server.url)).list(projects));
    expect(failure).toMatchObject({ kind: "shape", message: expect.stringContaining("already read") });
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

  it("is read on after a full page that came without a word on pages, and only then", async () => {
    const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => ({ id: from + at }));
    const pages = [rows(1, 100), rows(101, 200), rows(201, 230)];
    const { server, client } = await reading(pages.map((body) => ({ body })));
    expect(await client.list(moves)).toEqual(rows(1, 230));
    const asked = "/api/v4/snippet_repository_storage_moves?per_page=100";
    expect(server.seen.map(({ path }) => path)).toEqual([asked, `${asked}&page=2`, `${asked}&page=3`]);
  });

  it.each([
    ["id_after", ["", "&id_after=100", "&id_after=200"]],
    ["page", ["", "&id_after=100", "&page=2", "&page=3"]],
  ])("of projects is read on by %s without any Link", async (known, asked) => {
    const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => ({ id: from + at }));
    const server = await serve(({ path }) => {
      const query = new URL(path, "http://x").searchParams;
      const after = known === "page" ? 100 * (Number(query.get("page") ?? 1) - 1) : Number(query.get(known) ?? 0);
      return { headers: { "x-page": "1", "x-per-page": "100" }, body: rows(after + 1, Math.min(after + 100, 250)) };
    });
    expect(await (await reader(server.url)).list(projects)).toEqual(rows(1, 250));
    expect(server.seen.map(({ path }) => path)).toEqual(asked.map((query) => `${start}${query}`));
  });

  it("ends where a server without pages gives the same rows in another order, and otherwise than before", async () => {
    const rows = (at: number) => full.map(({ id, name }) => ({ id, name, approval_status: at ? "denied" : "allowed" }));
    const server = await serve((_, at) => ({ body: at % 2 ? rows(at).reverse() : rows(at) }));
    expect(await (await reader(server.url)).list(licenses)).toEqual(rows(0));
    expect(server.seen).toHaveLength(2);
  });

  it.each<[string, Call, Scripted, number]>([
    ["by pages that the server does not have", licenses, { body: full }, 2],
    ["that ends by X-Next-Page", licenses, { headers: { "x-next-page": "" }, body: full }, 1],
    ["that ends by X-Total", licenses, { headers: { "x-total": "100" }, body: full }, 1],
    ["that ends by a Link", licenses, { headers: { link: '<?page=1>; rel="first"' }, body: full }, 1],
    ["of 99 rows", licenses, { body: full.slice(1) }, 1],
    ["of 101 rows", licenses, { body: [...full, { id: 100, name: "another", approval_status: "allowed" }] }, 1],
    ["by IDs that the server does not know", projects, { body: full.map(({ id }) => ({ id })) }, 3],
    ["asked for as a whole", integrations, { body: full.map(({ id, name }) => ({ id, slug: name })) }, 1],
  ])("%s takes no more requests than it must", async (_, asked, answer, requests) => {
    const server = await serve([answer]);
    expect(await (await reader(server.url)).list(asked)).toEqual(answer.body);
    expect(server.seen).toHaveLength(requests);
  });

  it("is not believed without end", async () => {
    let fetched = 0;
    const headers = () => ({ "x-next-page": String(++fetched + 1) });
    const send = async () => ({ status: 200, body: [], requestId: undefined, headers: headers() });
    const failure = await failureOf(readList(send, moves, (path) => path));
    expect(failure).toMatchObject({ kind: "shape", message: expect.stringContaining(`more than ${mostPages} pages`) });
    expect(fetched).toBe(mostPages);
  });
});

describe("the next page", () => {
  const page = (number: string) => ({ a: "1", page: number });
  const garbled = "with an X-Next-Page that is not a page number";
  it.each([
    [{}, undefined],
    [{ "x-next-page": "" }, undefined],
    [{ "x-next-page": "2" }, page("2")],
    [{ "x-next-page": "-1" }, garbled],
    [{ "x-next-page": "0" }, garbled],
    [{ "x-next-page": "two", link: "<?page=2>; rel=next" }, garbled],
    [{ "x-next-page": ["2", "3"] }, garbled],
    [{ link: "<https://h/p?page=2>; rel=next" }, page("2")],
    [{ link: '<?page=2>; title="<x>"; rel="last"' }, undefined],
    [{ link: '<https://h/p?page=1>; rel="prev", <https://h/p?page=3>; rel="last next"' }, page("3")],
    [{ link: '<https://h/p?page=2>; rel="nextish"' }, undefined],
    [{ link: ['<https://h/p?a=7&id_after=5>; rel="NEXT"'] }, { a: "1", id_after: "5" }],
    [{ link: '<http://[>; rel="next"' }, "with a next page in Link that is not a URL"],
    [{ link: "garbage" }, undefined],
    [{ link: '<https://h/p?page=2>; rel="next' }, "with a truncated Link"],
    [{ link: '<https://h/p?page=2; rel="next"' }, "with a truncated Link"],
    [{ link: '<?page=2>; title="a \\" b"; rel="last"' }, undefined],
  ])("%j", (headers, expected) => {
    const read = () => nextPage(headers, { a: "1" }, (what) => new Error(what));
    if (typeof expected === "string") expect(read).toThrow(expected);
    else expect(read()).toEqual(expected);
  });
});

describe("X-Total", () => {
  const rows = (...ids: number[]) => ids.map((id) => ({ id }));
  const totals = (...pages: readonly (readonly [string, readonly unknown[], string?])[]): Scripted[] =>
    pages.map(([total, body, next = ""]) => ({ headers: { "x-total": total, "x-next-page": next }, body }));

  it.each<[string, Scripted[], number]>([
    ["that fits, over all pages", totals(["3", rows(1, 2), "2"], ["3", rows(3)]), 2],
    ["of a list that grew while it was read", totals(["3", rows(1, 2), "2"], ["4", rows(2, 3)]), 2],
    ["that fits at the second reading", totals(["2", rows(1)], ["1", rows(1)]), 2],
    [
      "of a list that shrank, so that 3 was missed",
      totals(["4", rows(1, 2), "2"], ["3", rows(4)], ["3", rows(2, 3), "2"], ["3", rows(4)]),
      4,
    ],
    ["that is empty", totals(["", rows(1)]), 1],
  ])("%s", async (_, script, requests) => {
    const { server, client } = await reading(script);
    await client.list(projects);
    expect(server.seen).toHaveLength(requests);
  });

  it.each<[string, Scripted[], string]>([
    ["of more rows", totals(["250", rows(1)]), "answered 200 with 1 row in all, where X-Total counts 250"],
    ["of fewer rows", totals(["0", rows(1, 2)]), "answered 200 with 2 rows in all, where X-Total counts 0"],
    ["of no number", totals(["many", rows(1)]), "answered 200 with an X-Total that is not a number"],
  ])("%s is an error of that list", async (_, script, words) => {
    const { server, client } = await reading(script);
    const failure = await failureOf(client.list(projects));
    expect(failure).toMatchObject({ kind: "shape", status: 200, endsRun: false });
    expect(failure.message).toContain(`GET ${server.url}/api/v4/projects ${words}`);
    expect(client.counts.reads).toBe(1);
  });
});
