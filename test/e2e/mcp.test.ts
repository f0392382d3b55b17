import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { runProgram } from "./program.ts";
import { scene } from "./workspace.ts";

const secret = "hook-CANARY-of-the-variable";

const setting = {
  site: { dialect: "gitlab" },
  projects: [{ path: "g/a", resources: { labels: [{ name: "bug", color: "#ff0000" }] } }],
  policy: {
    projects: ["g/a"],
    labels: { bug: { color: "#00ff00" } },
    variables: { HOOK: { value: { secret: "env:HOOK" } } },
  },
  dialect: "gitlab",
  secrets: { HOOK: secret },
} as const;

/** The messages that the server prints for these, which it receives as lines. */
async function messages(run: Awaited<ReturnType<typeof scene>>, sent: Iterable<unknown> | AsyncIterable<unknown>) {
  async function* lines() {
    for await (const each of sent)
      yield `${typeof each === "string" ? each : JSON.stringify({ jsonrpc: "2.0", ...(each as object) })}\n`;
  }
  const { code, stdout, stderr } = await runProgram(["mcp"], run.root, run.environment, lines());
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toMatch(/CANARY/);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

test("the protocol: a greeting, tools, results, and errors that say what to do", async () => {
  const run = await scene(setting);
  const before = Object.keys(run.files());
  const got = await messages(run, [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} } },
    { method: "notifications/initialized" },
    { id: 2, method: "ping" },
    { id: 3, method: "tools/list" },
    call(4, "plan"),
    call(5, "plan", { targets: ["x"] }),
    call(6, "apply"),
    call(7, "show", { project: "--help" }),
    call(8, "journal", { run: 7 }),
    call(10, "overrides"),
    { id: 9, method: "resources/list" },
    "no JSON",
    { method: 3 },
  ]);
  const byId = new Map(got.map((each) => [each.id, each]));
  expect(byId.get(1).result).toMatchObject({ protocolVersion: "2025-06-18", serverInfo: { name: "evenkeel" } });
  expect(byId.get(2).result).toEqual({});
  const { tools } = byId.get(3).result;
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual([
    "blame",
    "diff",
    "drift",
    "explain",
    "journal",
    "overrides",
    "plan",
    "runs",
    "show",
    "unmanaged",
    "validate",
  ]);
  const [{ text }] = byId.get(4).result.content;
  expect(JSON.parse(text).resource_changes).toHaveLength(2);
  expect(byId.get(5).result).toEqual({
    content: [{ type: "text", text: "targets: unknown key targets; did you mean target?" }],
    isError: true,
  });
  expect(byId.get(6).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("no tool apply; expected one of"),
  });
  expect(byId.get(7).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("no policy selects --help") }],
  });
  expect(byId.get(8).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("run: expected a string") }],
  });
  expect(byId.get(10).result.content[0].text).toBe("[]");
  expect(byId.get(9).error).toEqual({ code: -32601, message: "no method resources/list" });
  expect(got.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([-32700, -32600]);
  expect(Object.keys(run.files())).toEqual(before);
});

test("a cancelled call has no response, whether it runs or waits", async () => {
  const run = await scene({ ...setting, latency: 50 });
  async function* sent() {
    yield call(1, "plan");
    yield call(2, "plan");
    await until(() => run.server.requests.total > 0);
    for (const requestId of [1, 2]) yield { method: "notifications/cancelled", params: { requestId } };
    yield { id: 3, method: "ping" };
    yield call(4, "validate");
  }
  expect((await messages(run, sent())).map(({ id }) => id)).toEqual([3, 4]);
});

test("a result of more than 50 kB loses the ends of its lists, and says how to narrow it", async () => {
  const labels = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`label-${index}`, { color: "#00ff00" }]),
  );
  const run = await scene({ ...setting, policy: { projects: ["g/a"], labels } });
  const [{ result }] = await messages(run, [call(1, "plan")]);
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(50_000);
  const [document, cut] = result.content;
  const kept = JSON.parse(document.text).resource_changes.length;
  expect(kept).toBeGreaterThan(20);
  expect(cut.text).toMatch(
    new RegExp(`^Cut to 50 kB \\(.*resource_changes: ${kept} of 400.*\\); narrow it with target, `),
  );
});

const name: string = "@modelcontextprotocol/client";
const client = await import(name).catch(() => undefined);

test.skipIf(!client)("the public client lists tools, plans, explains, gets an error and cancels", async () => {
  const run = await scene({ ...setting, latency: 20 });
  const { StdioClientTransport } = await import(`${name}/stdio`);
  const env = { PATH: process.env.PATH, ...run.environment };
  const args = [join(inject("build"), "cli.js"), "mcp", "-C", run.root];
  const connected = new client.Client({ name: "test", version: "1" });
  await connected.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  expect((await connected.listTools()).tools.length).toBeGreaterThan(9);
  const planned = await connected.callTool({ name: "plan", arguments: { target: ["g/a:label/*"] } });
  const { resource_changes } = JSON.parse(planned.content[0].text);
  expect(resource_changes).toMatchObject([{ address: "g/a:label/bug" }]);
  const blamed = await connected.callTool({ name: "blame", arguments: { address: resource_changes[0].address } });
  expect(blamed.content[0].text).toContain('"file":"all.yaml"');
  expect(await connected.callTool({ name: "show", arguments: {} })).toMatchObject({ isError: true });
  await expect(connected.callTool({ name: "apply", arguments: {} })).rejects.toThrow("no tool apply");
  const stop = new AbortController();
  const call = connected.callTool({ name: "drift", arguments: {} }, { signal: stop.signal });
  stop.abort(new Error("no longer needed"));
  await expect(call).rejects.toThrow("no longer needed");
  await connected.close();
});
