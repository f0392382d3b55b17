import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { inject } from "vitest";
import type { Host } from "../../src/commands/terminal.ts";
import { atEnd } from "../support/ending.ts";

/** How a run of the program ended. */
export interface Ended {
  /** Null where a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run that may still be going on. */
export interface Running {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
  /** What it has said so far, on both streams. */
  readonly said: () => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs the built command line in this process, otherwise like {@link start}. */
export async function runProgram(args: readonly string[], cwd: string, env: Environment = {}): Promise<Ended> {
  const { main }: typeof import("../../src/commands/command-line.ts") = await import(
    /* @vite-ignore */ join(inject("build"), "commands/command-line.js")
  );
  const [stdout, stderr] = [collecting(), collecting()];
  const host: Host = Object.assign(new EventEmitter<Record<NodeJS.Signals, [NodeJS.Signals]>>(), {
    argv: ["node", "evenkeel", ...args],
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    pid: process.pid,
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => cwd,
    exit: (code: number) => {
      throw new Error(`exit(${code})`);
    },
  });
  return { code: await main(host), stdout: stdout.text(), stderr: stderr.text() };
}

function collecting() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Starts the built program without a terminal, and with nothing of this process's environment but the path. */
export function start(
  args: readonly string[],
  cwd: string,
  env: Environment = {},
  program = join(inject("build"), "cli.js"),
): Running {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => resolve({ code, ...said }));
  });
  return {
    pid: child.pid ?? 0,
    kill: (signal) => child.kill(signal),
    ended,
    said: () => said.stdout + said.stderr,
  };
}

/** Waits for something that another process brings about. */
export async function until(happened: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    if (happened()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("it never came");
}
