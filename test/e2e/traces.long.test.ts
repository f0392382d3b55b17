import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { tracingPackages } from "../../src/commands/tracing.ts";
import { databases } from "../state/databases.ts";
import { type CollectedSpan, collector } from "../support/collector.ts";
import type { Database } from "../support/database.mjs";
import { atEnd } from "../support/ending.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { start } from "./program.ts";
import { scene, token } from "./workspace.ts";

const names = ["group/a", "group/b"];
const hook = "https://chat.example.com/CANARY";
const policy = {
  projects: names,
  licenses: { MIT: "allowed" },
  integrations: { "chat-webhook-d": { webhook: { secret: "env:HOOK" }, push_events: false } },
};
const projects = names.map((path) => ({ path }));
const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

/** The names of a span and of all that it is a part of, from the first one on. */
function wayTo(span: CollectedSpan, spans: readonly CollectedSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return `${parent ? `${wayTo(parent, spans)} > ` : ""}${span.name}`;
}

function counts(spans: readonly CollectedSpan[]): Readonly<Record<string, number>> {
  const ways = spans.map((span) => wayTo(span, spans));
  return Object.fromEntries([...new Set(ways)].sort().map((way) => [way, ways.filter((each) => each === way).length]));
}

test("an apply is one trace, below the one that it was called from, which the journal names and no secret is in", async () => {
  const { url, bodies, spans } = await collector();
  const { evenkeelWith, server } = await scene({ projects, policy });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`, TRACEPARENT: traceparent, HOOK: hook };
  const ended = await evenkeelWith(env, "apply", "--yes");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(new Set(bodies.map((body) => body.slice(0, body.indexOf("\n"))))).toEqual(new Set(["POST /v1/traces"]));
  const all = spans();
  expect(new Set(all.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(all.find(({ name }) => name === "evenkeel apply")).toMatchObject({
    parentSpanId: "b7ad6b7169203331",
    attributes: { "evenkeel.command": "apply", "process.exit.code": 0 },
  });
  expect(counts(all)).toEqual({
    "evenkeel apply": 1,
    "evenkeel apply > GET": 1,
    "evenkeel apply > approve": 1,
    "evenkeel apply > read": 1,
    "evenkeel apply > read > read project": 2,
    "evenkeel apply > read > read project > GET": expect.any(Number),
    "evenkeel apply > select": 1,
    "evenkeel apply > write": 1,
    "evenkeel apply > write > write project": 2,
    "evenkeel apply > write > write project > POST": 2,
    "evenkeel apply > write > write project > PUT": 2,
  });
  expect(all.filter(({ name }) => ["GET", "POST", "PUT"].includes(name))).toHaveLength(server.requests.total);
  expect(all.find(({ name }) => name === "PUT")?.attributes).toMatchObject({
    "url.path": expect.stringContaining("/integrations/chat-webhook-d"),
    "http.response.status_code": 200,
  });
  expect(all.find(({ name }) => name === "write project")?.attributes).toEqual({
    "evenkeel.project": expect.stringMatching(/^group\/[ab]$/),
  });
  expect(bodies.join()).not.toContain("CANARY");
  expect(bodies.join()).not.toContain(token);
  const [{ run }] = JSON.parse((await evenkeelWith({}, "runs", "--report", "json")).stdout);
  const [first] = JSON.parse((await evenkeelWith({}, "journal", run, "--report", "json")).stdout);
  expect(first).toMatchObject({ event: "start", trace: traceId });
});

test("a request that waits for room is part of the project that it is for", async () => {
  const { url, spans } = await collector();
  const many = Array.from({ length: 12 }, (_, at) => `group/p${at}`);
  const { evenkeelWith } = await scene({
    projects: many.map((path) => ({ path })),
    policy: { ...policy, projects: many },
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, HOOK: hook };
  expect(await evenkeelWith(env, "plan", "--concurrency", "2")).toMatchObject({ code: 0 });
  const projectOf = new Map(spans().map(({ spanId, attributes }) => [spanId, attributes["evenkeel.project"]]));
  const lists = spans().flatMap(({ parentSpanId, attributes }) => {
    const [, path] = /^\/projects\/([^/]+)\//.exec(String(attributes["url.path"])) ?? [];
    return path === undefined ? [] : [[decodeURIComponent(path), projectOf.get(parentSpanId ?? "")]];
  });
  expect(lists.length).toBeGreaterThanOrEqual(24);
  for (const [asked, project] of lists) expect(project).toBe(asked);
});

test("each look of a watcher is a trace of its own", async () => {
  const { url, spans } = await collector();
  const { evenkeelWith } = await scene({ projects, policy });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, HOOK: hook };
  expect(await evenkeelWith(env, "watch", "--max-checks", "2", "--every", "1s")).toMatchObject({ code: 2, stderr: "" });
  const looks = spans().filter(({ name }) => name === "evenkeel watch");
  expect(looks.map(({ attributes }) => attributes)).toEqual(
    [2, 2].map((code) => expect.objectContaining({ "process.exit.code": code })),
  );
  expect(new Set(looks.map((span) => span.traceId)).size).toBe(2);
});

test("requests that fail are told as failed, by their kind alone", async () => {
  const { url, spans } = await collector();
  const { evenkeelWith } = await scene({ projects, policy: { ...policy, projects: ["group/none", "group/a"] } });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own`, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  expect((await evenkeelWith(own, "plan")).code).toBe(1);
  const failed = spans().filter(({ failed }) => failed);
  expect(failed.length).toBeGreaterThan(0);
  for (const { attributes } of failed) {
    expect(attributes).toMatchObject({
      "http.response.status_code": 404,
      "error.type": expect.stringMatching(/^\w+$/),
    });
  }
});

describe("a run ends whatever its collector does", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const answers: Readonly<Record<string, (socket: Socket) => unknown>> = {
    "answers and never ends": (socket) => socket.write(`${head}content-length: 100\r\n\r\n{`),
    "answers in chunks for ever": (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      drip(socket, "1\r\n \r\n");
    },
    "answers its headers byte by byte": (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx: ");
      drip(socket, "y");
    },
    "refuses with a body that never ends": (socket) =>
      socket.write("HTTP/1.1 503 No\r\nretry-after: 3600\r\ncontent-length: 9\r\n\r\n"),
    "sends it elsewhere": (socket) =>
      socket.end("HTTP/1.1 307 There\r\nlocation: http://10.255.255.1/v1/traces\r\ncontent-length: 0\r\n\r\n"),
    "asks to come back later": (socket) =>
      socket.end("HTTP/1.1 503 No\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n"),
    "reads nothing": (socket) => socket.pause(),
  };

  function drip(socket: Socket, text: string): void {
    const timer = setInterval(() => socket.write(text), 50);
    socket.once("close", () => clearInterval(timer));
  }

  test.each(Object.entries(answers))("which %s", async (_, answer) => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).once("data", () => answer(socket));
      atEnd(() => void socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => void server.close());
    const { root, environment } = await scene({ projects, policy });
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: "500", HOOK: hook };
    // As a process of its own, which ends once nothing keeps it alive.
    const ended = await start(["plan"], root, { ...environment, EVENKEEL_TOKEN: token, ...traces }).ended;
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/^warning: (\d+) of \1 spans could not be sent to 127\.0\.0\.1:\d+: .*\n$/);
  });
});

describe("a run is what it is without its trace", () => {
  test.each([
    [
      "is not there",
      60_000,
      async () => "http://127.0.0.1:1",
      /^warning: \d+ of \d+ spans .* to 127\.0\.0\.1:1: connection refused$/m,
    ],
    [
      "never answers",
      300,
      async () => (await collector("nothing")).url,
      /^warning: (\d+) of \1 spans .*: no answer in time$/m,
    ],
    ["refuses", 60_000, async () => (await collector(403)).url, /^warning: (\d+) of \1 spans .*: it answered 403$/m],
    [
      "is no address",
      60_000,
      async () => "collector:4317",
      /^warning: OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL; nothing is traced$/m,
    ],
  ])("where the collector %s, which is said once", async (_, time, where, said) => {
    const { evenkeelWith } = await scene({ projects, policy });
    const alone = await evenkeelWith({ HOOK: hook }, "plan");
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await where(), OTEL_EXPORTER_OTLP_TIMEOUT: `${time}`, HOOK: hook };
    const ended = await evenkeelWith(env, "plan");
    expect(ended).toMatchObject({ code: alone.code, stdout: alone.stdout, reads: alone.reads });
    expect(ended.stderr).toMatch(said);
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("where what came before it is no trace context", async () => {
    const { url, spans } = await collector();
    const { evenkeelWith } = await scene({ projects, policy });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, TRACEPARENT: "00-zz-1-01" };
    const ended = await evenkeelWith(env, "plan");
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("warning: TRACEPARENT is no trace context; expected 00-TRACE-SPAN-FLAGS");
    expect(new Set(spans().map((span) => span.traceId)).size).toBe(1);
  });
});

/** The program as it is where only the packages of a plain install are there. */
function plainInstall(): string {
  const { root } = folder();
  cpSync(inject("build"), join(root, "dist"), { recursive: true });
  cpSync("package.json", join(root, "package.json"));
  cpSync("schemas", join(root, "schemas"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  const left = ["bullmq", "ioredis", "@opentelemetry", ".cache", ".bin"];
  for (const name of readdirSync("node_modules").filter((each) => !left.includes(each))) {
    symlinkSync(join(process.cwd(), "node_modules", name), join(root, "node_modules", name));
  }
  return join(root, "dist/cli.js");
}

const [available] = await databases();

describe.skipIf(!available)("with what not every install has (needs postgresql)", () => {
  let database: Database;
  beforeAll(async () => {
    if (available) database = await available.started();
  });

  test("the requests of workers are in the trace of the run", async () => {
    const { url, spans } = await collector();
    const made = await scene({ projects, policy, workspace: { name: "traced" } });
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: url, HOOK: hook };
    const env = { ...traces, EVENKEEL_STATE: database.url(), EVENKEEL_TOKEN: token };
    const worker = start(["worker", "--once"], folder({}).root, { ...env, EVENKEEL_URL: made.server.url });
    await until(() => worker.said().includes("Ready to work"));
    const ended = await made.evenkeelWith({ ...env, TRACEPARENT: traceparent }, "apply", "--yes", "--workers");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect((await worker.ended).code).toBe(0);
    const all = spans();
    expect(new Set(all.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(counts(all)).toMatchObject({
      "evenkeel apply > read > read chunk > read project": 2,
      "evenkeel apply > write > write chunk > write project > PUT": 2,
      "evenkeel apply > write > write chunk > write project > POST": 2,
    });
  });

  test("a plain install names the packages that it lacks, and traces nothing without them", async () => {
    const program = plainInstall();
    const made = await scene({ projects, policy, workspace: { name: "plain" } });
    const run = (args: readonly string[], more: Readonly<Record<string, string>>) =>
      start(args, made.root, { ...made.environment, EVENKEEL_TOKEN: token, ...more }, program).ended;
    const state = { EVENKEEL_STATE: database.url() };
    const [traced, queue, redis] = await Promise.all([
      run(["plan"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }),
      run(["plan", "--workers"], state),
      run(["plan", "--workers"], { ...state, EVENKEEL_QUEUE: "redis://127.0.0.1:1" }),
    ]);
    expect(traced).toMatchObject({ code: 0, stdout: expect.stringContaining("Plan: ") });
    expect(traced.stderr).toContain(
      `warning: traces need packages that are not installed: npm install ${tracingPackages.join(" ")}; nothing is traced\n`,
    );
    expect(queue.stderr).toMatch(/workers need packages that are not installed: npm install bullmq {2}\(setup\)$/m);
    expect(redis.stderr).toMatch(
      /workers need packages that are not installed: npm install bullmq ioredis {2}\(setup\)$/m,
    );
    expect([queue.code, redis.code]).toEqual([1, 1]);
  });
});

test("the packages that are named are those of the package", () => {
  const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const own = Object.entries<string>(peerDependencies).filter(([name]) => name.startsWith("@opentelemetry/"));
  expect(Object.fromEntries(tracingPackages.map((each) => each.split(/(?<=.)@/)))).toEqual(
    Object.fromEntries(own.map(([name, range]) => [name, range.replace(/^\^(0\.\d+|[1-9]\d*).*/, "$1")])),
  );
});
