import { expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const token = "evenkeel-dev-token";
const irc = "/projects/42/integrations/irc-gateway";
const tracker = "/projects/42/integrations/issue-tracker-full";
const { integrations } = catalogueOf();

const seed: Seed = {
  projects: [
    { id: 42, path: "payments/api" },
    { id: 43, path: "payments/web" },
  ],
};
const paths = (length: number) => Array.from({ length }, (_, index) => ({ id: index + 1, path: `g/p${index + 1}` }));

/** A value of the right type for each parameter that is required. */
function required(slug: string): Record<string, string> {
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])].filter(({ isRequired }) => isRequired);
  return Object.fromEntries(parameters.map(({ name }) => [name, "https://x.example.com/:id"]));
}

test("projects come in the order that is asked for, and by their IDs where that is", async () => {
  const { ask } = await serving({ seed: { projects: paths(45) } });
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

test("requests are counted and kept without the token, up to a bound", async () => {
  const { server, ask } = await serving({ seed, keepRequests: 2 });
  await ask("GET", "/projects?page=1");
  await ask("PUT", "/projects/42/integrations/irc-gateway");
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

test("a token as a bearer's or in the query, which neither log nor links repeat", async () => {
  const { server, ask } = await serving({ seed });
  const bearer = await fetch(`${server.url}/api/v4/projects`, { headers: { authorization: `bearer ${token}` } });
  expect(bearer.status).toBe(200);
  for (const name of ["private_token", "access_token"]) {
    const answered = await ask("GET", `/projects?per_page=1&${name}=${token}`, { token: null });
    expect([answered.status, answered.headers.get("link")]).toEqual([200, expect.not.stringContaining(token)]);
    expect((await ask("GET", `/projects?${name}=wrong`, { token: null })).status).toBe(401);
  }
  expect(JSON.stringify(server.requests.kept)).not.toContain(token);
});

test("a list of more than 10,000 does not say how long it is", async () => {
  const { ask } = await serving({ seed: { projects: paths(10_001) }, behaviour: "observed" });
  const { headers } = await ask("GET", "/projects?per_page=100");
  expect([headers.has("x-total"), headers.get("x-next-page")]).toEqual([false, "2"]);
  expect(headers.get("link")).not.toContain("last");
});

test.each([...integrations.values()].map(({ slug }) => slug))("%s is created with what it requires", async (slug) => {
  const release = slug === "ci-build-server-c-legacy" ? "12.9" : "14.5";
  const { ask } = await serving({ seed, release, environment: "development" });
  const path = `/projects/42/services/${slug}`;
  const lacking = await ask("PUT", path);
  expect(lacking.status).toBe(400);
  expect(lacking.json.error).toContain("is missing");
  const created = await ask("PUT", path, { form: required(slug) });
  expect(created.status).toBe(200);
  expect(created.json).toEqual((await ask("GET", path)).json);
});

test("multipart forms and queries are read too; a body that is no JSON is refused, and so is one too large", async () => {
  const { ask } = await serving({ seed });
  const form = new FormData();
  form.set("recipients", "multipart");
  expect((await ask("PUT", irc, { body: form })).json.properties.recipients).toBe("multipart");
  expect((await ask("PUT", `${irc}?recipients=query`)).json.properties.recipients).toBe("query");
  expect((await ask("PUT", irc, { body: "{", type: "application/json" })).status).toBe(400);
  expect((await ask("PUT", irc, { json: [1] })).status).toBe(400);
  expect((await ask("PUT", irc, { form: { recipients: "x".repeat(1 << 21) } })).status).toBe(413);
});

const login = { url: "u", username: "n", password: "p" };
const ops = { recipients: "ops" };

test.each([
  ["a change", { recipients: "dev" }, ops, irc, {}, true],
  ["nothing new", ops, ops, irc, {}, false],
  ["nothing new on 14.5", ops, ops, irc, { behaviour: "observed" }, false],
  ["nothing new on 15.0", ops, ops, irc, { behaviour: "observed", release: "15.0" }, true],
  ["what is kept apart", login, { ...login, url: "v" }, tracker, { behaviour: "observed" }, false],
  ["a flag", login, { ...login, commit_events: "false" }, tracker, { behaviour: "observed" }, true],
] as const)("updated_at after a write with %s", async (_, before, after, path, options, moves) => {
  const { ask } = await serving({ seed, ...options });
  const [first, second] = [await ask("PUT", path, { form: before }), await ask("PUT", path, { form: after })];
  expect(second.json.updated_at > first.json.updated_at).toBe(moves);
});

test("a removal heeds If-Unmodified-Since", async () => {
  const values = { recipients: "#a", updated_at: "2021-11-21T07:30:00.500Z" };
  const irker = { projects: [{ id: 1, path: "a/b", integrations: { "irc-gateway": values } }] };
  const removal = async (since: string, behaviour: "spec" | "observed" = "observed") => {
    const { server } = await serving({ seed: irker, behaviour });
    const headers = { "PRIVATE-TOKEN": "evenkeel-dev-token", "If-Unmodified-Since": since };
    const url = `${server.url}/api/v4/projects/1/services/irc-gateway`;
    const { status: code } = await fetch(url, { method: "DELETE", headers });
    return [code, JSON.parse(await (await fetch(url, { headers })).text()).active];
  };
  expect(await removal("Sun, 21 Nov 2021 07:30:00 GMT")).toEqual([412, true]);
  expect(await removal("Sun, 21 Nov 2021 07:30:01 GMT")).toEqual([204, false]);
  expect(await removal("no time")).toEqual([204, false]);
  expect(await removal("Sun, 21 Nov 2021 07:30:00 GMT", "spec")).toEqual([204, false]);
});
