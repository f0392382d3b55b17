import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "../../src/server/server.ts";
import { tempFolder } from "../support/folder.ts";
import { startProcess } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { ask, eventually } from "./serving.ts";

const cache = join(import.meta.dirname, "../../node_modules/.cache");
const program = join(cache, `file-store-child-${process.pid}.mjs`);
const folder = tempFolder();

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  const entry = join(import.meta.dirname, "file-store-child.ts");
  const shape = { bundle: true, platform: "node", format: "esm", packages: "external" } as const;
  await build({ entryPoints: [entry], outfile: program, ...shape, logLevel: "silent" });
});

afterAll(() => rmSync(program, { force: true }));

interface Started {
  readonly url: string;
  readonly kill: () => Promise<void>;
}

async function start(file: string): Promise<Started> {
  const child = startProcess(process.execPath, [program, file]);
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  const kill = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return { url, kill };
}

const licenses = "/projects/a%2Fb/managed_licenses";

/** Creates licenses one after the other until the server is gone, and keeps the names of those that were answered. */
async function writeOn(url: string, writer: number, kept: Set<string>): Promise<void> {
  for (let index = 0; ; index++) {
    const name = `L-${writer}-${index}`;
    const created = await ask(url, "POST", licenses, { form: { name, approval_status: "denied" } }).catch(
      () => undefined,
    );
    if (created?.status !== 201) return;
    kept.add(name);
  }
}

async function namesOf(url: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { json } = await ask(url, "GET", `${licenses}?per_page=100&page=${page}`);
    for (const { name } of json) names.add(name);
    if (json.length < 100) return names;
  }
}

test("nothing that was answered is lost by a kill in the middle of writes, over and over", async () => {
  const file = join(folder, "killed.db");
  const kept = new Set(["MIT"]);
  for (let round = 0; round < 4; round++) {
    const { url, kill } = await start(file);
    const found = await namesOf(url);
    expect([...kept].filter((name) => !found.has(name))).toEqual([]);
    const before = kept.size;
    const writers = Array.from({ length: 6 }, (_, writer) => writeOn(url, round * 10 + writer, kept));
    await until(() => kept.size > before + 5 + 5 * round);
    await kill();
    await Promise.all(writers);
  }
  const { url } = await start(file);
  const found = await namesOf(url);
  expect([...kept].filter((name) => !found.has(name))).toEqual([]);
});

test("every kind of record survives a kill, and what is there is not seeded again", async () => {
  const file = join(folder, "kinds.db");
  const first = await start(file);
  const put = await ask(first.url, "PUT", "/projects/1/integrations/irc-gateway", {
    form: { recipients: "b", push_events: "false" },
  });
  await ask(first.url, "DELETE", "/projects/1/integrations/irc-gateway");
  await ask(first.url, "DELETE", `${licenses}/MIT`);
  const deployed = { environment: "e", sha: "s", ref: "r", tag: "true", status: "running" };
  const deployment = await ask(first.url, "POST", "/projects/1/deployments", { token: "dev", form: deployed });
  await first.kill();
  const second = await start(file);
  const integration = (await ask(second.url, "GET", "/projects/1/integrations/irc-gateway")).json;
  expect(integration).toMatchObject({
    id: put.json.id,
    active: false,
    push_events: false,
    properties: { recipients: "b" },
  });
  expect((await ask(second.url, "GET", licenses)).json).toEqual([]);
  expect((await ask(second.url, "GET", "/projects/1/deployments", { token: "dev" })).json).toMatchObject([
    deployment.json,
  ]);
  const next = await ask(second.url, "POST", licenses, { form: { name: "ISC", approval_status: "allowed" } });
  expect(next.json.id).toBe(2);
});

test("a move that was under way goes on after a restart", async () => {
  const file = join(folder, "moves.db");
  const seed = { projects: [{ id: 1, path: "a/b", repository_storage: "old" }], storages: ["new"] };
  const first = await createServer({ data: file, seed, moveDuration: 60_000 });
  const names = { source_storage_name: "old", destination_storage_name: "new" };
  await ask(first.url, "POST", "/project_repository_storage_moves", { json: names });
  await first.close();
  const second = await createServer({ data: file, moveDuration: 9 });
  await eventually(
    () => ask(second.url, "GET", "/projects?repository_storage=new"),
    ({ json }) => json.length === 1,
  );
  await second.close();
});

test("a second server on the same file is refused while the first lives, and leaves nothing behind", async () => {
  const file = join(folder, "shared.db");
  const first = await createServer({ data: file });
  await expect(createServer({ data: file })).rejects.toThrow(/in use by process \d+/);
  await first.close();
  expect(existsSync(`${file}.pid`)).toBe(false);
  await (await createServer({ data: file })).close();
});

describe("a data file's lock", () => {
  const here = { pid: process.ppid, host: hostname() };
  const lockFor = (content: unknown) => {
    const file = join(tempFolder(), "left.db");
    const lock = `${file}.pid`;
    writeFileSync(lock, JSON.stringify(content));
    return { file, lock };
  };
  const over = Date.now() / 1000 - 31;

  test.each<[string, object]>([
    ["of another container, with this process's own number", { pid: process.pid, boot: "b", namespace: "n" }],
    ["of another container, whose number nobody has here", { pid: 2 ** 22 + 1, boot: "b", namespace: "n" }],
    ["of another platform", {}],
    ["of another host", { host: "another" }],
  ])("%s is held as long as it is renewed", async (_, more) => {
    const { file, lock } = lockFor({ ...here, ...more });
    await expect(createServer({ data: file })).rejects.toThrow(/in use by process \d+ on /);
    utimesSync(lock, over, over);
    await (await createServer({ data: file })).close();
    expect(readdirSync(join(file, "..")).filter((name) => name.includes(".pid"))).toEqual([]);
  });

  test("that names no process is taken over at once", async () => {
    await (await createServer({ data: lockFor("x").file })).close();
  });

  test("that another process has taken meanwhile keeps this one from writing, and stays", async () => {
    const file = join(tempFolder(), "taken.db");
    const server = await createServer({ data: file, seed: { projects: [{ path: "a/b" }] } });
    writeFileSync(`${file}.pid`, JSON.stringify({ ...here, host: "another" }));
    const answer = await ask(server.url, "POST", licenses, { form: { name: "ISC", approval_status: "allowed" } });
    expect(answer.status).toBe(500);
    await server.close().catch(() => {});
    expect(existsSync(`${file}.pid`)).toBe(true);
  });
});

test("a file that is no data file is refused in a sentence", async () => {
  const foreign = join(folder, "letter.txt");
  writeFileSync(foreign, "no database at all ".repeat(100));
  await expect(createServer({ data: join(folder, "missing", "x.db") })).rejects.toThrow(/cannot create .*x\.db/);
  await expect(createServer({ data: foreign })).rejects.toThrow(/cannot open the data file/);
  expect(readdirSync(folder).filter((name) => name.startsWith("letter"))).toEqual(["letter.txt"]);
});
