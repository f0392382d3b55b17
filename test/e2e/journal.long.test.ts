import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalLine } from "../../src/state/journal.ts";
import type { Seen } from "../client/scripted.ts";
import { type Folder, folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { start } from "./program.ts";
import { policyText, scene, scripted, token, workspaceText } from "./workspace.ts";

const names = ["p", "q", "r"];
const policy = { projects: names, licenses: { MIT: "allowed", "AGPL-3.0": "denied" } };
const projects = names.map((path) => ({ path, licenses: { MIT: "denied" } }));

function runsOf({ root }: Folder): string[] {
  const journals = join(root, ".evenkeel/journal");
  return existsSync(journals) ? readdirSync(journals).sort() : [];
}

function entriesOf(at: Folder, run = runsOf(at).at(-1)): JournalLine[] {
  const lines = at.read(`.evenkeel/journal/${run}`).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as JournalLine);
}

const brief = (entries: readonly JournalLine[]) =>
  entries.map((entry) => ("address" in entry ? `${entry.event} ${entry.address}` : entry.event));

test("an apply leaves a journal of intents and results, one line each, and a plan leaves none", async () => {
  const made = await scene({ projects: [projects[0] ?? { path: "p" }], policy: { ...policy, projects: ["p"] } });
  await made.evenkeel("plan");
  expect(runsOf(made)).toEqual([]);
  await made.evenkeel("apply", "--yes");
  const entries = entriesOf(made);
  expect(brief(entries)).toEqual([
    ...["start", "intent p:license/AGPL-3.0", "result p:license/AGPL-3.0", "intent p:license/MIT"],
    ...["result p:license/MIT", "end"],
  ]);
  expect(entries[0]).toMatchObject({ commit: null, server: made.server.url, changes: 2, pid: expect.any(Number) });
  expect(entries[1]).toMatchObject({ action: "create", method: "POST", path: "/projects/p/managed_licenses" });
  expect(entries[2]).toMatchObject({ status: "applied", http: 201 });
  expect(entries[5]).toMatchObject({ outcomes: { applied: 2, failed: 0 } });
  for (const { at } of entries) expect(new Date(at).toISOString()).toBe(at);
  await made.evenkeel("apply", "--yes");
  expect(runsOf(made)).toHaveLength(1);
  expect(made.read(".evenkeel/.gitignore")).toMatch(/^journal\/$/m);
});

/** A server of licenses that holds a write back until it is let go. */
async function holding() {
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const writes = (seen: readonly Seen[]) => seen.filter(({ method }) => method !== "GET");
  const made = await scripted(
    ({ method, body }) => {
      if (method === "GET") return { body: [] };
      const name = new URLSearchParams(body).get("name");
      return { status: 201, body: { id: 1, name, approval_status: "allowed" }, after: gate };
    },
    {
      policy: { projects: names, licenses: { MIT: "allowed", ISC: "allowed" } },
      workspace: { concurrency: 2, requestTimeout: "60s" },
    },
  );
  const begin = (...args: string[]) => made.begin("apply", "--yes", ...args);
  return { ...made, release, writes: () => writes(made.server.seen), begin };
}

test("an intent is on disk before its request, and holds no parameter", async () => {
  const held = await holding();
  const running = held.begin();
  await until(() => held.writes().length === 2);
  const entries = entriesOf(held);
  expect(brief(entries)).toEqual(["start", "intent p:license/ISC", "intent q:license/ISC"]);
  expect(JSON.stringify(entries)).not.toContain("allowed");
  held.release();
  expect((await running.ended).code).toBe(0);
});

test("a second apply is refused while one runs, and a plan is not", async () => {
  const held = await holding();
  const running = held.begin();
  await until(() => held.writes().length === 2);
  const second = await held.begin().ended;
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toContain(`process ${running.pid}`);
  expect((await held.run("plan")).code).toBe(0);
  held.release();
  expect([(await running.ended).code, held.writes().length]).toEqual([0, 6]);
  expect(existsSync(join(held.root, ".evenkeel/lock"))).toBe(false);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s finishes what is in flight, reports the rest and ends with 130",
  async (signal) => {
    const held = await holding();
    const running = held.begin("--report", "json=out.json");
    await until(() => held.writes().length === 2);
    running.kill(signal);
    await until(() => running.said().includes("Interrupted"));
    held.release();
    expect([(await running.ended).code, held.writes().length]).toEqual([130, 2]);
    const { summary, resource_changes } = JSON.parse(held.read("out.json"));
    expect(summary.outcomes).toMatchObject({ applied: 2, skipped: 4 });
    expect(resource_changes[1].outcome.error).toBeTruthy();
    expect(entriesOf(held).at(-1)).toMatchObject({ event: "end", outcomes: { applied: 2, skipped: 4 } });
    expect(existsSync(join(held.root, ".evenkeel/lock"))).toBe(false);
  },
);

test("a second interrupt ends the run at once", async () => {
  const held = await holding();
  const running = held.begin();
  await until(() => held.writes().length === 2);
  running.kill("SIGINT");
  await until(() => running.said().includes("Interrupted"));
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  held.release();
});

test("an interrupt ends at once what has not asked the server for anything yet, however busy it is", async () => {
  const big =
    policyText({ projects: ["p"] }) +
    "licenses:\n" +
    Array.from({ length: 200_000 }, (_, i) => `  L${i}: allowed\n`).join("");
  const names = Array.from({ length: 12 }, (_, index) => `${index}.yaml`);
  const files = folder({
    "evenkeel.yaml": workspaceText({}),
    ...Object.fromEntries(names.map((name) => [name, big.replace("name: all", `name: ${name}`)])),
  });
  const running = start(["plan"], files.root, { EVENKEEL_TOKEN: token });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  running.kill("SIGINT");
  expect(await running.ended).toEqual({ code: null, stdout: "", stderr: "" });
});

test("an interrupted plan ends with 130", async () => {
  const { server, begin, read } = await scripted(() => ({ fault: "hang" }), { policy });
  const running = begin("plan", "--report", "json=out.json");
  await until(() => server.seen.length > 0);
  running.kill("SIGINT");
  expect([(await running.ended).code, JSON.parse(read("out.json")).problems.length]).toEqual([130, 1]);
});

test("a killed run is named by the next one, once, with what was in flight", async () => {
  const held = await holding();
  const running = held.begin();
  await until(() => held.writes().length === 2);
  running.kill("SIGKILL");
  expect((await running.ended).code).toBeNull();
  expect(held.files()).toHaveProperty([".evenkeel/lock"]);
  const [killed = ""] = runsOf(held);
  held.release();
  const again = await held.begin().ended;
  expect(again.code).toBe(0);
  const name = killed.replace(".ndjson", "");
  expect(again.stderr).toContain(`run ${name} did not finish: in flight: p:license/ISC, q:license/ISC;`);
  expect(await held.begin().ended).toMatchObject({ code: 0, stderr: "" });
});
