/** One schedule's fleet: a server in a process of its own, a gateway before it, a workspace, and the program to run in it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, layOut, token } from "./fleet.mjs";
import { openGateway } from "./gateway.mjs";

const serverProgram = fileURLToPath(new URL("server.mjs", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const secret = "https://chat.example.com/CANARY";

export async function openStage({ folder, count, random }) {
  const workspace = join(folder, "workspace");
  layOut(workspace, count, { ledger: ".evenkeel/ledger.ndjson" });
  const target = { url: "" };
  const children = new Map();
  const gone = new Set();
  /** Whose writes came, in order, each run once in a row. */
  const writers = [];
  let aim;
  let next = 0;
  let server;

  const onWrite = (run, moment) => {
    if (gone.has(run)) return false;
    if (moment === "arrives" && writers.at(-1) !== run) writers.push(run);
    if (moment === "arrives" && aim) aim.writes--;
    if (aim && aim.writes <= 0 && aim.moment === moment) {
      gone.add(run);
      children.get(run)?.kill("SIGKILL");
      aim = undefined;
    }
    return !gone.has(run);
  };
  const gateway = await openGateway({ target, token, random, onWrite });

  const serve = async () => {
    const port = target.url ? new URL(target.url).port : "0";
    server = spawn(process.execPath, [serverProgram, String(count), folder, port, token], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(server.stdout, "data");
    target.url = String(line).trim();
  };

  const stop = async () => {
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };

  const run = async (...words) => {
    const name = `run-${next++}`;
    const env = { PATH: process.env.PATH, EVENKEEL_URL: gateway.url, EVENKEEL_TOKEN: name, SOAK_HOOK: secret };
    const child = spawn(process.execPath, [program, ...words], {
      cwd: workspace,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.set(name, child);
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) {
      child[stream].setEncoding("utf8").on("data", (text) => {
        output[stream] += text;
      });
    }
    const [code] = await once(child, "close");
    children.delete(name);
    return { code, ...output, hasLeaked: JSON.stringify(output).includes(secret) };
  };

  await serve();
  return {
    gateway,
    run,
    /** The run whose so-many-th write from now on reaches this moment is killed. */
    aim: (writes, moment) => {
      aim = { writes, moment };
    },
    restart: async () => {
      await stop();
      await serve();
    },
    close: async () => {
      gateway.close();
      await stop();
    },
    /** Runs whose writes came before and after those of another. */
    overlapping: () => writers.length - new Set(writers).size,
    inspect: async () => ({ ...(await inspect(target.url, count)), ...readState(workspace) }),
  };
}

/** What runs left behind: requests whose intent is journalled, those with an outcome, and any trace of the secret. */
function readState(workspace) {
  const state = join(workspace, ".evenkeel");
  const files = existsSync(state) ? readdirSync(state, { recursive: true, withFileTypes: true }) : [];
  const texts = files
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  const lines = texts.flatMap((text) => text.split("\n"));
  return {
    intents: lines.filter((line) => line.includes('"event":"intent"')).length,
    outcomes: lines.filter((line) => /"event":"(outcome|result)"/.test(line)).length,
    leaks: texts.filter((text) => text.includes(secret)).length,
    locks: existsSync(join(state, "lock")) ? 1 : 0,
  };
}
