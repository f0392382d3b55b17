// npm run demo -- --team: two runners, each with a fresh clone, share one fleet and one state in PostgreSQL.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { begin, beginDatabase, beginServer, environment, until } from "../program.mjs";

const quickstart = fileURLToPath(new URL("../quickstart/", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "evenkeel-team-"));

/** A clone as a runner of CI makes it: nothing of an earlier run is in it. */
function clone(name) {
  const folder = join(home, name);
  for (const each of ["evenkeel.yaml", "policies"])
    cpSync(join(quickstart, each), join(folder, each), { recursive: true });
  const file = join(folder, "evenkeel.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("kind: Workspace\n", "kind: Workspace\nname: team\n"));
  return folder;
}

/** Starts the program for somebody; what it says stands behind their name. Resolves to its exit code. */
function beginFor(who, cwd, env, words) {
  console.log(`\n${who}$ evenkeel ${words}`);
  const run = begin(words, cwd, { ...env, GITLAB_USER_LOGIN: who });
  const ended = run.ended.then(({ code, output }) => {
    console.log(`\n${mainLines(output).replace(/^/gm, `${who}: `)}\n${who}: (exit ${code})`);
    return code;
  });
  return { ended, said: run.said };
}

/** All of a short text; of a long one whom it waited for, and the end. */
function mainLines(text) {
  const lines = text.trim().split("\n");
  const waits = lines.filter((line) => line.startsWith("Waiting for run"));
  return (lines.length > 8 ? [...waits, "…", ...lines.slice(-1)] : lines).join("\n");
}

/** Waits until somebody holds the lease. */
async function held(cwd, env) {
  await until(async () => JSON.parse((await begin("state --report json", cwd, env).ended).output).lease);
}

async function demo(url, database) {
  const env = {
    ...environment(url, database),
    PAYMENTS_HOOK: "https://chat.example.com/hooks/payments",
  };
  const [ada, ben] = ["ada", "ben"].map(clone);
  console.log("# Two jobs apply the same manifests at the same time. One writes, the other waits for it.");
  const first = beginFor(
    "ada",
    ada,
    { ...env, CI_JOB_URL: "https://ci.example.com/jobs/1" },
    "apply --yes --concurrency 1",
  );
  await held(ben, env);
  const second = beginFor(
    "ben",
    ben,
    { ...env, CI_JOB_URL: "https://ci.example.com/jobs/2" },
    "apply --yes --lock-timeout 1m",
  );
  const codes = [await first.ended, await second.ended];
  console.log("\n# Who did what? The history is the same from every clone.");
  for (const words of ["runs", "state"]) codes.push(await beginFor("ben", ben, env, words).ended);
  return { codes: codes.join(), waited: second.said().includes("Waiting for run") };
}

const database = await beginDatabase(home);
const server = await beginServer(`--seed ${join(quickstart, "seed.yaml")} --latency 500`, home);
try {
  const { codes, waited } = await demo(server.url, database);
  if (codes !== "0,0,0,0" || !waited) {
    console.error(`\nThe demo went wrong: exit codes ${codes}, expected 0,0,0,0 and a wait for the lease.`);
    process.exitCode = 1;
  }
} finally {
  server.kill();
  await database.stop();
  rmSync(home, { recursive: true, force: true });
}
