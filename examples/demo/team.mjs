// npm run demo -- --team: two runners, each with a fresh clone, share one fleet and one state in PostgreSQL.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packagedServer, startDatabase, systemServer } from "../../test/support/database.mjs";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const quickstart = fileURLToPath(new URL("../quickstart/", import.meta.url));
const token = "evenkeel-dev-token";

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

/** Starts the program for somebody; what it says stands behind their name. */
function begin(who, cwd, env, words, shown = true) {
  if (shown) console.log(`\n${who}$ evenkeel ${words}`);
  const run = spawn(process.execPath, [program, ...words.split(" ")], {
    cwd,
    env: { ...process.env, ...env, GITLAB_USER_LOGIN: who },
  });
  let output = "";
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const ended = once(run, "close").then(([code]) => {
    if (shown) console.log(`\n${mainLines(output).replace(/^/gm, `${who}: `)}\n${who}: (exit ${code})`);
    return code;
  });
  return { ended, said: () => output, stop: () => run.kill() };
}

/** All of a short text; of a long one whom it waited for, and the end. */
function mainLines(text) {
  const lines = text.trim().split("\n");
  const waits = lines.filter((line) => line.startsWith("Waiting for run"));
  return (lines.length > 8 ? [...waits, "…", ...lines.slice(-1)] : lines).join("\n");
}

async function until(happened) {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until somebody holds the lease. */
async function held(cwd, env) {
  for (;;) {
    const { ended, said } = begin("", cwd, env, "state --report json", false);
    await ended;
    if (JSON.parse(said()).lease) return;
  }
}

async function demo(url, database) {
  const env = {
    EVENKEEL_URL: url,
    EVENKEEL_TOKEN: token,
    EVENKEEL_TOKEN_FILE: "",
    EVENKEEL_STATE: database.url(),
    PAYMENTS_HOOK: "https://chat.example.com/hooks/payments",
  };
  const [ada, ben] = ["ada", "ben"].map(clone);
  console.log("# Two jobs apply the same manifests at the same time. One writes, the other waits for it.");
  const first = begin(
    "ada",
    ada,
    { ...env, CI_JOB_URL: "https://ci.example.com/jobs/1" },
    "apply --yes --concurrency 1",
  );
  await held(ben, env);
  const second = begin(
    "ben",
    ben,
    { ...env, CI_JOB_URL: "https://ci.example.com/jobs/2" },
    "apply --yes --lock-timeout 1m",
  );
  const codes = [await first.ended, await second.ended];
  console.log("\n# Who did what? The history is the same from every clone.");
  for (const words of ["runs", "state"]) codes.push(await begin("ben", ben, env, words).ended);
  return { codes: codes.join(), waited: second.said().includes("Waiting for run") };
}

const bin = (await packagedServer()) ?? systemServer();
if (!bin) throw new Error("no PostgreSQL here: npm ci installs one, or apt-get install postgresql");
const database = await startDatabase(home, bin);
const server = begin("server", home, {}, `serve --seed ${join(quickstart, "seed.yaml")} --latency 300`, false);
try {
  await until(() => /http:\S+/.test(server.said()));
  const [url] = /http:\S+/.exec(server.said());
  const { codes, waited } = await demo(url, database);
  if (codes !== "0,0,0,0" || !waited) {
    console.error(`\nThe demo went wrong: exit codes ${codes}, expected 0,0,0,0 and a wait for the lease.`);
    process.exitCode = 1;
  }
} finally {
  server.stop();
  await database.stop();
  rmSync(home, { recursive: true, force: true });
}
