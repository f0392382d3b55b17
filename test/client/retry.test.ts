import { describe, expect, it, test } from "vitest";
import { backoffDelay, parseRetryDelay } from "../../src/client/retry.ts";
import type { Call } from "../../src/model/types.ts";
import {
  closedPort,
  failureOf,
  reader,
  reading,
  type Scripted,
  serve,
  serveBytes,
  writer,
  writing,
} from "./scripted.ts";

const path = "/projects/7/managed_licenses/1";
const get: Call = { method: "GET", path };
const ok: Scripted = { body: { id: 1 } };
const lock: Scripted = { status: 409, body: { message: "409 Conflict: Resource lock" } };
/** Nothing is sent later on a busy machine, and nothing answered. */
const second = 1000;
const webPage = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

const passing: Record<string, Scripted> = {
  "408": { status: 408 },
  "409 Resource lock": lock,
  "429": { status: 429, headers: { "content-type": "text/plain" }, body: "Retry later" },
  "500": { status: 500, body: { message: "500 Internal Server Error" } },
  "502 with a web page": { status: 502, headers: { "content-type": "text/html" }, body: webPage },
  "503": { status: 503 },
  "504": { status: 504 },
  "a reset": { fault: "reset" },
  "a cut body": { body: { id: 1, name: "long enough to be cut" }, fault: "cut" },
  "truncated JSON": { body: '{"id": 1, "na' },
};

describe.each(Object.entries(passing))("after %s", (name, fault) => {
  it.each(["GET", "PUT", "PATCH", "DELETE"] as const)("a %s is sent again", async (method) => {
    const { server, client } = await writing([fault, fault, ok]);
    const call: Call = { method, path };
    expect((await (method === "GET" ? client.get(call) : client.send(call))).body).toEqual({ id: 1 });
    expect(server.seen).toHaveLength(3);
    expect(client.counts).toEqual({ reads: method === "GET" ? 1 : 0, writes: method === "GET" ? 0 : 1, retries: 2 });
  });

  it("a GET is given up after the last attempt", async () => {
    const server = await serve([fault]);
    const failure = await failureOf((await reader(server.url)).get(get));
    expect(failure).toMatchObject({ name: "CallFailed", attempts: 4, method: "GET", path, endsRun: false });
    expect(failure.message).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/api\/v4\/projects\/7\S* .* \(tried 4 times\)$/);
    expect(server.seen).toHaveLength(4);
  });

  it("a POST is sent again only where the server surely did not act", async () => {
    const { server, client } = await writing([fault, { status: 201, body: { id: 2 } }]);
    const sent = client.send({ method: "POST", path: "/projects/7/managed_licenses", parameters: { name: "MIT" } });
    if (name === "429") {
      expect((await sent).status).toBe(201);
      return;
    }
    const failure = await failureOf(sent);
    expect([failure.uncertain, failure.attempts]).toEqual([true, 1]);
    expect(server.seen).toHaveLength(1);
  });
});

test("JSON that begins with a byte order mark is JSON", async () => {
  const server = await serve([{ body: '\uFEFF{"id": 1}' }]);
  expect((await (await reader(server.url)).get(get)).body).toEqual({ id: 1 });
});

describe("what is not sent again", () => {
  it.each([400, 403, 404, 405, 409, 412, 422])("a %d", async (status) => {
    const server = await serve([{ status, body: { message: `${status} Something` } }]);
    const failure = await failureOf((await writer(server.url)).send({ method: "PUT", path }));
    expect(failure).toMatchObject({ kind: "status", status, serverMessage: `${status} Something`, uncertain: false });
    expect(server.seen).toHaveLength(1);
  });

  it("a POST without an answer in time, whose effect is unknown", async () => {
    const { server, client } = await writing([{ fault: "hang" }], { requestTimeout: second });
    const failure = await failureOf(client.send({ method: "POST", path: "/project_repository_storage_moves" }));
    expect(failure).toMatchObject({ kind: "timeout", uncertain: true, status: undefined });
    expect(server.seen).toHaveLength(1);
  });

  it("a POST that was answered with something unreadable", async () => {
    const server = await serve([{ status: 201, body: webPage }]);
    const failure = await failureOf((await writer(server.url)).send({ method: "POST", path: "/x" }));
    expect(failure).toMatchObject({ kind: "html", uncertain: true });
  });
});

describe("time", () => {
  it("is up for one attempt, and the next one may be in time", async () => {
    const { server, client } = await reading([{ fault: "hang" }, ok], { requestTimeout: second });
    expect((await client.get(get)).body).toEqual({ id: 1 });
    expect(server.seen).toHaveLength(2);
  });

  it("counts for headers and body together, however steadily bytes drip", async () => {
    const drip = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"id":');
    const { createServer } = await import("node:net");
    const listener = createServer((socket) => {
      socket.on("error", () => {});
      socket.write(drip);
      const timer = setInterval(() => socket.write(" "), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as { port: number };
    const backoff = { base: 1, cap: 1, attempts: 2 };
    const client = await reader(`http://127.0.0.1:${port}`, { requestTimeout: 80, backoff });
    expect(await failureOf(client.get(get))).toMatchObject({ kind: "timeout", attempts: 2 });
    listener.close();
  });
});

describe("a server that is not there", () => {
  it("takes a POST's every attempt, since none was sent", async () => {
    const port = await closedPort();
    const client = await writer(`http://127.0.0.1:${port}`);
    const failure = await failureOf(client.send({ method: "POST", path: "/x" }));
    expect(failure).toMatchObject({ kind: "network", uncertain: false, attempts: 4 });
    expect(failure.message).toContain("was not sent: the connection was refused (tried 4 times)");
  });

  it("ends the run with the first call that gives up", async () => {
    const client = await reader(`http://127.0.0.1:${await closedPort()}`);
    const first = await failureOf(client.get(get));
    expect(first).toMatchObject({ endsRun: true });
    expect(client.counts).toMatchObject({ reads: 1, retries: 3 });
    expect(await failureOf(client.get(get))).toBe(first);
    expect(client.counts).toMatchObject({ reads: 1, retries: 3 });
  });

  it.each([
    ["resets every connection", { fault: "reset" }],
    ["answers nothing", { fault: "hang" }],
  ] as const)("ends the run once it %s for the stated time, and each call tells its own failure", async (_, silent) => {
    const { server, client } = await reading([ok, silent], { giveUpAfter: 2 * second });
    await client.get(get);
    const paths = ["/a", "/b", "/c"];
    const failures = await Promise.all(paths.map((path) => failureOf(client.get({ ...get, path }))));
    for (const [index, { message, endsRun }] of failures.entries()) {
      expect(endsRun).toBe(true);
      expect(message).toContain(`/api/v4${paths[index]} `);
      expect(message).toContain("the server answered nothing for 2 s");
    }
    const before = server.seen.length;
    expect(await failureOf(client.get(get))).toMatchObject({ attempts: 0, endsRun: true });
    expect(server.seen).toHaveLength(before);
  });

  it("and comes back within that time fails no call, however often it was tried", async () => {
    const gaps = { count: 0 };
    const server = await serve(({ path }) => (path.endsWith("/first") || ++gaps.count > 40 ? ok : { fault: "reset" }));
    const client = await reader(server.url, { giveUpAfter: 20_000 });
    await client.get({ ...get, path: "/first" });
    const paths = Array.from({ length: 4 }, (_, index) => `/p${index}`);
    const answers = await Promise.all(paths.map((path) => client.get({ ...get, path })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(server.seen).toHaveLength(45);
  });

  it("for one request alone is that request's own failure", async () => {
    const { client } = await reading(({ path }) => (path.endsWith("/bad") ? { fault: "reset" } : ok));
    for (let i = 0; i < 4; i++) {
      expect(await failureOf(client.get({ ...get, path: "/bad" }))).toMatchObject({ endsRun: false, attempts: 4 });
      await client.get(get);
    }
  });
});

describe("a DELETE that may have worked", () => {
  const gone: Scripted = { status: 404, body: { message: "404 SoftwareLicensePolicy Not Found" } };

  it.each([{ fault: "reset" }, { status: 502 }] as const)(
    "is done when the next attempt finds nothing: %o",
    async (fault) => {
      const server = await serve([fault, gone]);
      expect((await (await writer(server.url)).send({ method: "DELETE", path })).status).toBe(204);
    },
  );
});

describe("how long to wait", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5000],
    [{ "retry-after": "Thu, 01 Jan 2026 01:00:05 GMT", date: "Thu, 01 Jan 2026 01:00:00 GMT" }, 5000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "ratelimit-reset": String(now / 1000 + 4) }, 4000],
    [{ "ratelimit-reset": "7" }, 7000],
    [{ "retry-after": "2", "ratelimit-reset": "7" }, 2000],
    [{ "retry-after": "soon", "ratelimit-reset": "7" }, 7000],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%o", (headers, expected) => {
    expect(parseRetryDelay(headers, now)).toBe(expected);
  });

  it("doubles up to the cap, and chance takes any part of it", () => {
    const backoff = { base: 200, cap: 10_000, attempts: 6 };
    expect([1, 2, 3, 6, 7, 40].map((attempt) => backoffDelay(backoff, attempt, 1))).toEqual([
      200, 400, 800, 6400, 10_000, 10_000,
    ]);
    expect(backoffDelay(backoff, 3, 0)).toBe(0);
  });
});

it("reads no body without end", async () => {
  const connections = { count: 0 };
  const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${65 * 1024 * 1024}\r\n\r\n[`);
  const url = await serveBytes(Buffer.concat([head, Buffer.alloc(65 * 1024 * 1024 - 1, " ")]), connections);
  expect(await failureOf((await reader(url)).get(get))).toMatchObject({ kind: "html", attempts: 1 });
  expect(connections.count).toBe(1);
});
