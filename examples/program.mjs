// The program as a child process, and what it talks to, for the stories that examples tell.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { packagedServer, startDatabase, systemServer } from "../test/support/database.mjs";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** What the program needs to know of a server and a database. */
export function environment(url, database) {
  const token = { EVENKEEL_TOKEN: "evenkeel-dev-token", EVENKEEL_TOKEN_FILE: "" };
  return { EVENKEEL_URL: url, ...token, EVENKEEL_STATE: database.url() };
}

const children = new Set();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/** Starts the program, which never outlives this process. `ended`: its exit code and all that it printed. */
export function begin(words, cwd, env = {}) {
  const child = spawn(process.execPath, [cli, ...words.split(" ")], { cwd, env: { ...process.env, ...env } });
  children.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const ended = once(child, "close").then(([code]) => {
    children.delete(child);
    return { code, output };
  });
  return { ended, said: () => output, kill: (signal) => child.kill(signal) };
}

/** Asks every 200 ms, since what is asked may start a process. */
export async function until(happened) {
  while (!(await happened())) await pause(200);
}

/** Starts the embedded server. Resolves to its URL and what ends it. */
export async function beginServer(words, cwd) {
  const server = begin(`serve ${words}`, cwd);
  await until(() => /http:\S+/.test(server.said()));
  return { url: /http:\S+/.exec(server.said())[0], kill: () => server.kill("SIGTERM") };
}

/** Starts a PostgreSQL below a folder. */
export async function beginDatabase(home) {
  const bin = (await packagedServer()) ?? systemServer();
  if (!bin) throw new Error("no PostgreSQL here: npm ci installs one, or apt-get install postgresql");
  return startDatabase(home, bin, { onStart: (server) => void children.add(server) });
}
