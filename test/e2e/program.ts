import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, inject } from "vitest";

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

const alive = new Set<ChildProcess>();

afterEach(() => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts the built program without a terminal, and with nothing of this process's environment but the path. */
export function start(args: readonly string[], cwd: string, env: Environment = {}): Running {
  const child = spawn(process.execPath, [join(inject("build"), "cli.js"), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      alive.delete(child);
      resolve({ code, ...said });
    });
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
