import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("a server that is not alone with its file acknowledges nothing more", async () => {
  const file = join(folder, "shared.db");
  const first = await createServer({ data: file, seed: { projects: [{ path: "a/b" }] } });
  const second = await createServer({ data: file });
  const add = (url: string, name: string) => ask(url, "POST", licenses, { form: { name, approval_status: "allowed" } });
  expect((await add(second.url, "MIT")).status).toBe(201);
  const refused = await add(first.url, "ISC");
  expect([refused.status, refused.json.message]).toEqual([500, expect.stringContaining("in use by another server")]);
  await first.close().catch(() => {});
  await second.close();
  const third = await createServer({ data: file });
  expect((await ask(third.url, "GET", licenses)).json).toMatchObject([{ name: "MIT" }]);
  await third.close();
});

test("a line that a kill cut short is dropped, and a damaged one is reported", async () => {
  const file = join(folder, "cut.db");
  await (
    await createServer({ data: file, seed: { projects: [{ path: "a/b", licenses: { MIT: "allowed" } }] } })
  ).close();
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, `${whole}[["resource","pro`);
  const server = await createServer({ data: file });
  expect((await ask(server.url, "GET", licenses)).json).toMatchObject([{ name: "MIT" }]);
  await server.close();
  writeFileSync(file, `${whole}x\n`);
  await expect(createServer({ data: file })).rejects.toThrow(/cannot open the data file .*: line 3 is damaged/);
});

test("a file that is no data file is refused in a sentence", async () => {
  const foreign = join(folder, "letter.txt");
  writeFileSync(foreign, "no database at all ".repeat(100));
  await expect(createServer({ data: join(folder, "missing", "x.db") })).rejects.toThrow(
    /cannot open the data file .*x\.db/,
  );
  await expect(createServer({ data: foreign })).rejects.toThrow(/cannot open the data file/);
  expect(readdirSync(folder).filter((name) => name.startsWith("letter"))).toEqual(["letter.txt"]);
});
