import { describe, expect, it } from "vitest";
import { connectReader, connectWriter } from "../../src/client/client.ts";
import type { CallFailed } from "../../src/client/failure.ts";
import { parseServerUrl } from "../../src/client/server-url.ts";
import { call } from "../../src/model/call.ts";
import type { Call } from "../../src/model/types.ts";
import { createSecrets } from "../../src/secrets/secrets.ts";
import { integrationCalls, licenseCalls } from "./kind-calls.ts";
import { failureOf, reader, reading, type Scripted, serve, token, writer, writing } from "./scripted.ts";

const get = call(licenseCalls.show, { id: "a/b", "row.id": "1" });
const license = { id: 1, name: "MIT", approval_status: "allowed" };
const configured: Scripted = { body: { slug: "irc-gateway" } };
const put = call(
  integrationCalls.update,
  { id: "a/b", slug: "irc-gateway" },
  { recipients: "x y", push_events: false },
);

describe("a request", () => {
  it("carries the token, who asks, and an encoded path", async () => {
    const server = await serve([{ body: license }]);
    expect(await (await reader(server.url)).get(get)).toMatchObject({ status: 200, body: license });
    expect(server.seen[0]).toMatchObject({ method: "GET", path: "/api/v4/projects/a%2Fb/managed_licenses/1" });
    expect(server.seen[0]?.headers).toMatchObject({ "private-token": token, accept: "application/json" });
    expect(server.seen[0]?.headers["user-agent"]).toMatch(/^evenkeel\/\d+\.\d+\.\d+/);
  });

  it("carries JSON where the endpoint says so", async () => {
    const server = await serve([{ status: 202, body: { message: "202 Accepted" } }]);
    const names = { source_storage_name: "old", destination_storage_name: "new" };
    await (await writer(server.url)).send(call("moveProjects", {}, names));
    expect(server.seen[0]?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(names);
  });

  it("puts what a GET asks for into the query", async () => {
    const server = await serve([{ body: license }]);
    await (await reader(server.url)).get({ ...get, parameters: { updated_after: "2026-01-01T00:00:00+01:00" } });
    expect(server.seen[0]?.path).toContain("?updated_after=2026-01-01T00%3A00%3A00%2B01%3A00");
  });

  it("has an answer without a body where there is none", async () => {
    const server = await serve([{ status: 204 }]);
    expect((await (await writer(server.url)).send({ method: "DELETE", path: "/x" })).body).toBeUndefined();
  });
});

describe("a reader", () => {
  it("has no way to write", async () => {
    const { server, client } = await reading([{}]);
    expect(Object.keys(client).sort()).toEqual(["catalogue", "close", "counts", "get", "isOver", "list", "room"]);
    expect(() => client.get(put)).toThrow(RangeError);
    expect(() => client.list(put)).toThrow(RangeError);
    expect(server.seen).toHaveLength(0);
  });
});

describe("server.url", () => {
  it.each([
    ["https://code.example.com", "https://code.example.com", "/api/v4"],
    ["https://code.example.com/", "https://code.example.com", "/api/v4"],
    ["https://code.example.com/api/v4/", "https://code.example.com", "/api/v4"],
    ["https://example.com:8443/code//", "https://example.com:8443", "/code/api/v4"],
    ["http://127.8.9.1:3000", "http://127.8.9.1:3000", "/api/v4"],
    ["http://[::1]:3000", "http://[::1]:3000", "/api/v4"],
    ["http://localhost", "http://localhost", "/api/v4"],
  ])("%s", (url, origin, prefix) => {
    expect(parseServerUrl(url)).toEqual({ origin, prefix, name: "server.url" });
  });

  it.each([
    ...["http://code.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com"],
    ...["http://128.0.0.1", "http://0.0.0.0", "ftp://code.example.com", "file:///etc/passwd"],
    ...["https://me:SECRET@code.example.com", "https://SECRET@code.example.com", "SECRET:x-oauth@code.example.com"],
    ...["https://me:SECRET x@code example.com", "https://code.example.com/?private_token=SECRET"],
    ...["https://code.example.com/#SECRET", "code.example.com/SECRET", ""],
  ])("refuses %s before anything is sent, and repeats no secret", async (url) => {
    for (const connect of [connectReader, connectWriter]) {
      const refusal = await failureOf(connect({ url, token, concurrency: 1, requestTimeout: 1000 }));
      expect(refusal.name).toBe("UserError");
      expect(refusal.message).not.toMatch(/SECRET|CANARY/i);
    }
  });

  it("may be plain http where the workspace says so", () => {
    expect(parseServerUrl("http://code.example.com", true).origin).toBe("http://code.example.com");
  });
});

describe("the token", () => {
  it.each([301, 302, 303, 307, 308])("does not follow a %d", async (status) => {
    const stranger = await serve([{ body: {} }]);
    const server = await serve([{ status, headers: { location: `${stranger.url}/elsewhere` } }]);
    const failure = await failureOf((await writer(server.url)).send(put));
    expect(failure).toMatchObject({ kind: "redirect", uncertain: false, attempts: 1 });
    expect(failure.message).toContain(`redirect to ${stranger.url}, which is not followed: correct server.url`);
    expect([stranger.seen.length, server.seen.length]).toEqual([0, 1]);
  });

  it("is not sent to where a renamed project leads, and the project's ID is told", async () => {
    const location = "/api/v4/projects/42/managed_licenses/1";
    const server = await serve([{ status: 301, headers: { location }, body: { message: "moved" } }]);
    const failure = await failureOf((await reader(server.url)).get(get));
    expect(failure.message).toMatch(/answered 301: the project was renamed or moved, and has the ID 42; name it/);
    expect([failure.movedTo, server.seen.length]).toEqual(["42", 1]);
  });

  it("stands in no message about a redirect to a host that is named by it", async () => {
    const server = await serve([{ status: 302, headers: { location: `https://${token}.evil.example/` } }]);
    const failure = await failureOf((await writer(server.url)).send(put));
    expect(failure.message).toContain("redirect to elsewhere, which is not followed");
  });

  it("is refused once for all", async () => {
    const server = await serve([{ status: 401, body: { message: "401 Unauthorized" } }]);
    const client = await writer(server.url, { concurrency: 1 });
    const calls = [client.get(get), client.send(put), client.list(call("listProjects", {}))];
    const failures = await Promise.all(calls.map(failureOf));
    expect(failures[0]).toMatchObject({
      kind: "unauthorized",
      status: 401,
      endsRun: true,
      attempts: 1,
      uncertain: false,
    });
    expect((failures[0] as CallFailed).message).toContain("answered 401 Unauthorized: the token was rejected");
    expect([new Set(failures).size, server.seen.length]).toEqual([1, 1]);
  });

  it("is read again once it is rejected, and its requests are sent again", async () => {
    const server = await serve(({ headers }) =>
      headers["private-token"] === "second"
        ? { body: license }
        : { status: 401, body: { message: "401 Unauthorized" } },
    );
    const tokens = ["second", "third"];
    const client = await reader(server.url, { renewToken: () => tokens.shift() ?? "" });
    expect((await Promise.all([client.get(get), client.get(get)])).map(({ status }) => status)).toEqual([200, 200]);
    expect(tokens).toEqual(["third"]);
  });
});

describe("a secret", () => {
  const secrets = createSecrets({ env: { HOOK: 'https://x/"s3cr3t"&b', N: "9" }, root: ".", plaintext: new Map() });
  const parameters = { webhook: { secret: "env:HOOK" }, channel: "c" };

  it("is resolved as the request is written", async () => {
    const server = await serve([configured]);
    await (await writer(server.url, { secrets })).send({ ...put, parameters });
    expect(new URLSearchParams(server.seen[0]?.body).get("webhook")).toBe('https://x/"s3cr3t"&b');
  });

  it.each([
    { message: { webhook: ['https://x/"s3cr3t"&b is blocked'] } },
    { error: 'bad {:webhook=>["https://x/\\"s3cr3t\\"&b"]}' },
    '<p>https://x/"s3cr3t"&b</p>',
    "<p>https://x/&quot;s3cr3t&quot;&amp;b</p>",
    { message: `bad ${encodeURIComponent('https://x/"s3cr3t"&b')}` },
  ])("is taken out of what the server says: %o", async (body) => {
    const { client } = await writing([{ status: 422, body }], { secrets });
    const failure = await failureOf(client.send({ ...put, parameters }));
    expect(failure.message).toContain("env:HOOK");
    expect(`${failure.stack}${JSON.stringify(failure)}`).not.toContain("s3cr3t");
  });

  it("of any size is taken out of them, and never breaks what takes it out", async () => {
    const large = createSecrets({ env: { HOOK: `CANARY(${"[x".repeat(30_000)}` }, root: ".", plaintext: new Map() });
    const server = await serve(({ body }) => ({
      status: 400,
      body: { message: `bad: ${new URLSearchParams(body).get("webhook")}` },
    }));
    const failure = await failureOf((await writer(server.url, { secrets: large })).send({ ...put, parameters }));
    expect(failure).toMatchObject({ name: "CallFailed", serverMessage: "bad: env:HOOK" });
  });

  it("that is missing keeps the request from being sent", async () => {
    const { server, client } = await writing([{}], { secrets });
    const failure = await failureOf(client.send({ ...put, parameters: { webhook: { secret: "env:NONE" } } }));
    expect(failure).toMatchObject({ name: "SecretMissing", message: expect.stringContaining("env:NONE") });
    expect(server.seen).toHaveLength(0);
  });

  it("never goes into a URL", async () => {
    const { server, client } = await writing([{}], { secrets });
    expect(await failureOf(client.get({ ...get, parameters }))).toBeInstanceOf(RangeError);
    expect(server.seen).toHaveLength(0);
  });
});

describe("the server's words", () => {
  it.each<[unknown, string]>([
    [{ message: "404 Project Not Found" }, "answered 404 Project Not Found"],
    [{ error: "url is missing, username is missing" }, "answered 404: url is missing, username is missing"],
    [{ message: ["Software license has already been taken"] }, "answered 404: Software license has already been taken"],
    [
      { message: { sha: ["The commit does not exist"], ref: ["x", "y"] } },
      "404: sha The commit does not exist; ref x, y",
    ],
    [{ message: { error: "too many times" } }, "answered 404: too many times"],
    [{ error: "invalid_token", error_description: "Token was revoked." }, "404: invalid_token: Token was revoked."],
    [{ message: "a\r\nb\u001b[31mred\u0000" }, "answered 404: a b [31mred"],
    [{ message: "x".repeat(500) }, `answered 404: ${"x".repeat(299)}…`],
    ["plain words", "answered 404: plain words"],
    [[], "answered 404"],
    [undefined, "answered 404"],
  ])("%j", async (body, expected) => {
    const server = await serve([{ status: 404, body }]);
    const failure = await failureOf((await reader(server.url)).get(get));
    expect(failure).toMatchObject({ kind: "status", status: 404, path: get.path });
    expect(failure.message.endsWith(expected)).toBe(true);
    expect(failure.message.startsWith(`GET ${server.url}/api/v4/projects/a%2Fb/`)).toBe(true);
  });
});

describe("a web page instead of JSON", () => {
  const page = "<!DOCTYPE html><html><head><title>Sign in · Code</title></head></html>";
  it.each([200, 403, 404])("answered %d", async (status) => {
    const server = await serve([{ status, headers: { "content-type": "text/html" }, body: page }]);
    const failure = await failureOf((await reader(server.url)).get(get));
    expect(failure).toMatchObject({ kind: "html", attempts: 1, status: undefined });
    expect(failure.message).toContain(`answered ${status} with a web page ("Sign in · Code")`);
    expect(failure.message).toContain("server.url");
  });

  it("or a text, or no list where one is due", async () => {
    const { client } = await reading([{ body: "hello" }, { body: { message: "not a list" } }]);
    expect(await failureOf(client.get(get))).toMatchObject({ kind: "html" });
    expect(await failureOf(client.list(get))).toMatchObject({ kind: "shape" });
  });
});

describe("the older name of integrations", () => {
  const unknown: Scripted = { status: 404, body: { error: "404 Not Found" } };
  const old = (path: string): Scripted => (path.includes("/integrations") ? unknown : { body: bodyAt(path) });
  const bodyAt = (path: string) =>
    path.endsWith("irc-gateway") ? { active: true } : path.endsWith("/1") ? license : [];
  const lists = (count: number): Call[] =>
    Array.from({ length: count }, (_, id) => call(integrationCalls.list, { id: String(id) }));

  it("is found out once, at the cost of one request, while others wait", async () => {
    const { server, client } = await writing(({ path }) => old(path));
    await Promise.all(lists(20).map((list) => client.list(list)));
    await client.send(put);
    await client.get(get);
    expect(server.seen).toHaveLength(23);
    expect(server.seen.filter(({ path }) => path.includes("/integrations"))).toHaveLength(1);
    expect(server.seen.at(-2)?.path).toBe("/api/v4/projects/a%2Fb/services/irc-gateway");
  });

  it("is not asked for where a project is missing", async () => {
    const { server, client } = await reading([{ status: 404, body: { message: "404 Project Not Found" } }]);
    for (const list of lists(3)) expect(await failureOf(client.list(list))).toMatchObject({ status: 404 });
    expect(server.seen.every(({ path }) => path.endsWith("/integrations"))).toBe(true);
  });

  it("does not help where it is unknown too", async () => {
    const { server, client } = await reading([unknown]);
    for (const list of lists(3)) {
      const failure = await failureOf(client.list(list));
      expect(failure).toMatchObject({ status: 404, unknownRoute: true });
      expect(failure.url).toContain("/integrations");
    }
    expect(server.seen).toHaveLength(4);
  });

  it("stays undecided while the server is out of order", async () => {
    const busy: Scripted = { status: 500 };
    const { server, client } = await reading(({ path }, index) => (index < 4 ? busy : old(path)));
    const [first, second] = lists(2) as [Call, Call];
    expect(await failureOf(client.list(first))).toMatchObject({ status: 500 });
    expect([await client.list(second), server.seen.length]).toEqual([[], 6]);
  });
});
