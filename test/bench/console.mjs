// npm run bench:console -- [PROJECTS] [RUNS]: a console over a state in PostgreSQL: what each page asks of it, how long its
// first byte takes, and how much memory the console has used.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packagedServer, startDatabase, systemServer } from "../support/database.mjs";
import { metered } from "../support/database-meter.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const [projects = 10_000, runs = 5000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "evenkeel-console-"));

/** What fills a state: the program's own code. */
async function filling() {
  const outfile = join(here, "../../dist/console-filling.mjs");
  const contents = `export { recordObservation } from "../../src/state/snapshots/record.ts";
    export { postgresState } from "../../src/state/postgres-store.ts";`;
  const stdin = { contents, resolveDir: here, loader: "ts" };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  const loaded = await import(outfile);
  rmSync(outfile);
  return loaded;
}

const hour = 3_600_000;
const isoBefore = (hours) => new Date(Date.now() - hours * hour).toISOString();
const runAt = (at, index) => `${at.replace(/[-:]/g, "").slice(0, 15)}Z-${index.toString(16).padStart(4, "0")}`;
const place = () => ({ file: "policies/everyone.yaml", line: 7, column: 3 });
const origin = { place, policy: "everyone", file: "policies/everyone.yaml" };

function wantedOf(project) {
  const wiki = { external_wiki_url: `https://wiki.example.com/${project}` };
  const named = [
    ["integration", "external-wiki", wiki],
    ["license", "MIT", { approval_status: "allowed" }],
    ["license", "AGPL-3.0", { approval_status: "denied" }],
  ];
  return named.map(([kind, key, fields]) => ({ kind, key, fields, presence: "present", origin }));
}

function changeOf(project) {
  const [{ kind, key, fields }] = wantedOf(project);
  const visible = { before: { external_wiki_url: `https://by-hand/${project.slice(-3)}` }, after: fields };
  const head = { address: `${project}:${kind}/${key}`, project, kind, key, action: "update", cause: "drift" };
  return { ...head, ...visible, declared: fields, reason: "drift: somebody changed it", origin };
}

/** Every tenth project differs, with one of many values. */
function observations() {
  const rest = { includes: () => true, unverified: {}, unmanaged: 0, problems: [] };
  return Array.from({ length: projects }, (_, index) => {
    const name = `group-${index % 40}/team-${index % 7}/project-${index}`;
    const changes = index % 10 === 1 ? [changeOf(name)] : [];
    const desired = () => wantedOf(name);
    return { project: { name }, desired, changes, ...rest };
  });
}

async function fill(url) {
  const { recordObservation, postgresState } = await filling();
  const state = await postgresState(url, "EVENKEEL_STATE", "bench", {});
  const at = isoBefore(1);
  const whole = {
    run: runAt(at, 0),
    at,
    commit: null,
    server: "https://code.example.com",
    exceptions: [],
    whole: true,
    hasLedger: true,
    locate: place,
  };
  const observed = observations();
  const counts = await recordObservation(state.snapshots, {
    ...whole,
    covers: () => true,
    cause: "drift",
    projects: observed.map(({ project }) => project),
    observe: (index) => observed[index],
  });
  const touched = { "group-1/team-1/project-1": { "integration/external-wiki": "~", "license/MIT": "+" } };
  const rows = Array.from({ length: runs }, (_, index) => {
    const started = isoBefore(index / 3);
    const run = runAt(started, index);
    const head = { run, command: "watch", who: "evenkeel", host: "build-7", started, ended: started, outcome: "drift" };
    return { ...head, changes: 2, commit: "c0ffee", touched, reads: 2 * projects, fleet: counts };
  });
  const { default: pg } = await import("pg");
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `INSERT INTO evenkeel.document (workspace, collection, name, content)
     SELECT 'bench', 'runs', r->>'run', r::text FROM json_array_elements($1::json) AS r`,
    [JSON.stringify(rows)],
  );
  await client.end();
  await state[Symbol.asyncDispose]();
  return rows[0].run;
}

async function answered(url) {
  const started = performance.now();
  const answer = await fetch(url);
  const reader = answer.body.getReader();
  let size = (await reader.read()).value?.length ?? 0;
  const first = performance.now() - started;
  for (let part = await reader.read(); !part.done; part = await reader.read()) size += part.value.length;
  if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}`);
  return { first, size };
}

const megabytes = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
const print = (...cells) => console.log(`| ${cells.join(" | ")} |`);

const database = await startDatabase(folder, (await packagedServer()) ?? systemServer());
const meter = await metered(database.port);
try {
  const run = await fill(database.url());
  writeFileSync(
    join(folder, "evenkeel.yaml"),
    "apiVersion: evenkeel/v1\nkind: Workspace\nname: bench\nserver: { url: https://code.example.com }\n",
  );
  const EVENKEEL_STATE = database.url().replace(`:${database.port}/`, `:${meter.port}/`);
  const began = performance.now();
  const child = spawn(process.execPath, [join(here, "../../dist/cli.js"), "console", "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env.PATH, EVENKEEL_STATE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const url = String(line).trim().replace("listening on ", "");
  const { statements, bytes } = meter.taken();
  print("page", "first byte, ms", "KB of the page", "statements", "KB of answers", "peak MB");
  print(..."------".split("").map(() => "---"));
  print(
    "start",
    (performance.now() - began).toFixed(0),
    "",
    statements,
    (bytes / 1024).toFixed(0),
    megabytes(child.pid).toFixed(0),
  );
  const project = "/projects/group-1/team-1/project-1";
  for (const path of [
    "/",
    "/",
    "/?status=drifted",
    "/?group=group-1",
    project,
    "/runs",
    `/runs/${run}`,
    "/review",
    "/search?q=project-77",
    "/fleet.csv",
  ]) {
    await pause(2100);
    meter.taken();
    const { first, size } = await answered(url + path);
    await pause(200);
    const asked = meter.taken();
    const cells = [first.toFixed(0), (size / 1024).toFixed(0), asked.statements, (asked.bytes / 1024).toFixed(0)];
    print(path, ...cells, megabytes(child.pid).toFixed(0));
  }
  child.kill();
  await once(child, "close");
} finally {
  meter.close();
  await database.stop();
  rmSync(folder, { recursive: true });
}
