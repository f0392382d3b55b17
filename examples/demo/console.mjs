// npm run demo -- --console: 90 days of a made-up fleet of 1,000 projects through the real program, and the console over them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const preload = new URL("clock.mjs", import.meta.url).href;
const token = "evenkeel-dev-token";
const day = 86_400_000;
const days = 90;
const pictures = process.argv[process.argv.indexOf("--pictures") + 1];
const began = performance.now();

const home = mkdtempSync(join(tmpdir(), "evenkeel-console-"));
const workspace = join(home, "fleet");
const clock = join(home, "clock");
const children = new Set();
mkdirSync(workspace);
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));

/** The same numbers on every run: a picture of it can be made again. */
let seed = 20_270_301;
function random(below) {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

const firstDay = Date.now() - days * day - 10 * 3_600_000;
const setClock = (at) => writeFileSync(clock, String(at));
const atDay = (number, hour) => setClock(firstDay - (firstDay % day) + number * day + hour * 3_600_000);

/* The fleet */

const teams = [
  "payments",
  "platform",
  "identity",
  "search",
  "mobile",
  "web",
  "data",
  "billing",
  "logistics",
  "support",
];
const areas = ["services", "libraries", "tools", "jobs"];
const projects = Array.from({ length: Number(process.env.EVENKEEL_DEMO_PROJECTS || 1000) }, (_, index) => {
  const [team, area] = [teams[(index * 7 + (index >> 5)) % teams.length], areas[(index % 11) % areas.length]];
  return {
    id: index + 1,
    path: `${team}/${area}/${["api", "worker", "gateway", "client", "sync", "report"][index % 6]}-${index}`,
  };
});

function write(path, text) {
  const file = join(workspace, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const policy = (name, body) => `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\n${body}`;
const writeTeam = (team, channel, more = "") =>
  write(`policies/${team}.yaml`, policy(team, `projects: ["${team}/**"]\nvars: { channel: "${channel}" }\n${more}`));
const writeLicenses = (more = "") =>
  write(
    "policies/licenses.yaml",
    policy("licenses", `projects: ["**"]\nlicenses:\n  MIT: allowed\n  AGPL-3.0: denied\n${more}`),
  );
const writeChat = (more) => write("policies/chat.yaml", policy("chat", `projects: ["*/services/**"]\n${more}`));
const chat =
  "integrations:\n  irc-gateway:\n    recipients: ${vars.channel}\n    server_port: 6659\n    push_events: true\n";

/* The program */

const environment = (more) => ({
  ...process.env,
  ...more,
  NODE_OPTIONS: `--import ${preload}`,
  EVENKEEL_DEMO_CLOCK: clock,
  EVENKEEL_TOKEN: token,
  EVENKEEL_TOKEN_FILE: "",
  EVENKEEL_STATE: "",
  EVENKEEL_LEDGER_KEY: "0123456789abcdef0123456789abcdef",
});

function start(words, env = {}) {
  const child = spawn(process.execPath, [program, ...words], { cwd: workspace, env: environment(env) });
  children.add(child);
  child.once("close", () => children.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  return { child, said: () => output };
}

async function evenkeel(who, ...words) {
  const ci = who === "nightly" ? { CI_JOB_URL: `https://ci.example.com/jobs/${random(90_000)}` } : {};
  const { child, said } = start(words, { GITLAB_USER_LOGIN: who, ...ci });
  const [code] = await once(child, "close");
  return { code, said: said() };
}

async function listening(run) {
  while (!/listening on (\S+)/.test(run.said())) {
    if (run.child.exitCode !== null) throw new Error(run.said());
    await pause(50);
  }
  return /listening on (\S+)/.exec(run.said())[1];
}

/** The port if nobody listens there, or else any: nobody waits for minutes to be told that it is taken. */
async function freePort(port) {
  const probe = createServer().listen(port, "127.0.0.1");
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false,
  );
  probe.close();
  return isFree ? port : 0;
}

function commit(message) {
  const at = new Date(Number(firstDay)).toISOString();
  const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  const git = (...words) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=ada@example.com", ...words], { cwd: workspace, env });
  git("add", "-A");
  git("commit", "-qm", message);
}

/** Sends a request as a person would who works past the manifests. */
function byHand(url, method, path, body) {
  const headers = { "PRIVATE-TOKEN": token, "content-type": "application/json" };
  return fetch(`${url}/api/v4/projects/${path}`, { method, headers, body: JSON.stringify(body) });
}

/** Allows a license in a few projects by hand, as people do on a Friday. */
async function tamper(url, count, within = "") {
  const some = projects.filter(({ path }) => path.startsWith(within));
  for (let each = 0; each < count; each++) {
    const { id } = some[random(some.length)];
    await byHand(url, "PATCH", `${id}/managed_licenses/AGPL-3.0`, { approval_status: "allowed" });
  }
}

/** Moves the alerts of a team by hand, as people do in an incident. */
async function redirect(url, team, recipients) {
  for (const { id } of projects.filter(({ path }) => path.startsWith(`${team}/services/`)))
    await byHand(url, "PUT", `${id}/integrations/irc-gateway`, { recipients, server_port: 6659, push_events: true });
}

/* The days */

const told = {
  0: "the first apply",
  30: "a commit that would remove too much",
  52: "an outage",
  80: "nobody applies any more",
};

async function live(url, server) {
  for (let number = 0; number <= days; number++) {
    if (told[number]) process.stderr.write(`day ${number}: ${told[number]}\n`);
    atDay(number, 2);
    if (number === 0) await evenkeel("ada", "apply", "--yes");
    if (number === 12) change("payments", "#payments-alerts");
    if (number === 30) await refuse();
    if (number === 40) change("search", "#search-and-ranking");
    if (number === 52) server.kill("SIGSTOP");
    if (number === 54) server.kill("SIGCONT");
    if (number === 82) await redirect(url, "logistics", "#war-room");
    if (number === 86) change("mobile", "#mobile-on-call");
    const away = number === 52 || number === 53;
    if (!away && number % 4 === 1)
      await tamper(url, 2 + random(number > 60 ? 22 : 9), number % 12 === 1 ? "data/" : "");
    atDay(number, 4);
    await evenkeel("nightly", "drift", ...(away ? ["--give-up-after", "1s"] : []));
    if (number % 8 === 5 && !away && number < 80) {
      atDay(number, 9);
      await evenkeel(["ada", "grace", "linus"][number % 3], "apply", "--yes", "--allow-deletes", "0");
    }
  }
}

function change(team, channel) {
  writeTeam(team, channel);
  commit(`${team}: alerts go to ${channel}`);
}

/** A commit that turns the gateway off for a whole team is refused by the guard, and taken back. */
async function refuse() {
  write("policies/quiet.yaml", policy("quiet", 'projects: ["support/services/**"]\ndisabled: [irc-gateway]\n'));
  commit("support: nobody uses the gateway any more");
  atDay(30, 10);
  await evenkeel("linus", "apply", "--yes");
  rmSync(join(workspace, "policies/quiet.yaml"));
  commit("support: some still do");
}

/** A plan for people to look at, which needs two of them and has one. */
async function review() {
  atDay(days, 8);
  const approvals = join(home, "approvals");
  mkdirSync(approvals);
  const key = join(approvals, "grace");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "grace", "-f", key]);
  const signers = execFileSync("cat", [`${key}.pub`], { encoding: "utf8" });
  const other = "ada@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGQ7Bc0Zt7y8nV9s0Q9m4j8wHkqTtq6m3p2yXo1a5bcd\n";
  writeFileSync(join(approvals, "signers"), `grace@example.com ${signers}${other}`);
  writeFileSync(join(approvals, "rules.yaml"), "signers: signers\nrules: [{ when: always, count: 2 }]\nexpire: 72h\n");
  const { said } = await evenkeel("ada", "plan", "--save");
  const run = /--plan (\S+)/.exec(said)?.[1];
  if (run) await evenkeel("grace", "approve", "--plan", run, "--key", key);
  return { EVENKEEL_APPROVALS: join(approvals, "rules.yaml") };
}

/* All of it */

setClock(firstDay);
write(
  "evenkeel.yaml",
  "apiVersion: evenkeel/v1\nkind: Workspace\nname: acme\nserver: { url: http://127.0.0.1:8080, tier: ultimate, reads: trust-updated-at }\nguards: { deletePercent: 1 }\nledger: state\nmanifests: ['policies/*.yaml']\n",
);
write("seed.yaml", `projects: ${JSON.stringify(projects)}\n`);
for (const team of teams) writeTeam(team, `#${team}`);
writeTeam(
  "identity",
  "#identity",
  "until: 2027-12-31\nreason: SEC-41, until the audit is over\nlicenses: { SSPL-1.0: denied }\n",
);
writeLicenses();
writeChat(chat);
execFileSync("git", ["init", "-q"], { cwd: workspace });
commit("The fleet as it is");

const server = start(["serve", "--seed", "seed.yaml", "--token", token]);
const url = await listening(server);
process.env.EVENKEEL_URL = url;
process.stderr.write(`${projects.length.toLocaleString("en")} projects, ${days} days; this takes some minutes\n`);
await live(url, server.child);
const env = await review();
setClock(Date.now());
const shown = start(["console", "--port", String(await freePort(8090))], env);
const address = await listening(shown);
process.stderr.write(`Lived through in ${Math.round((performance.now() - began) / 1000)} s.\n`);
if (process.argv.includes("--pictures")) {
  await (await import("./pictures.mjs")).take(address, pictures);
  process.exit(0);
}
console.log(`listening on ${address}`);
console.log("Ctrl-C ends it, and removes the made-up fleet.");
