import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { inject } from "vitest";
import { atEnd } from "./ending.ts";
import { ProcessGroups } from "./process-groups.ts";

const groups = new ProcessGroups(inject("groups"));

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Has a process that outlives its test, such as a database of a whole file, killed with the test run at the latest. */
export function killWithRun({ pid }: ChildProcess): void {
  if (pid !== undefined) groups.add(pid);
}

/**
 * Starts a program in a process group of its own. With the program ends its whole group; both are killed with the test
 * at the latest, or with the test run.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) return child;
  groups.add(pid);
  const kill = () => groups.kill(pid);
  child.once("exit", kill);
  atEnd(() => {
    if (child.exitCode === null && child.signalCode === null) kill();
  });
  return child;
}

export interface Ended {
  /** Null where a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, on both streams. */
  readonly said: () => string;
}

export function runProcess(command: string, args: readonly string[], options: ProcessOptions = {}): Running {
  const child = startProcess(command, args, options);
  const said = { stdout: "", stderr: "", both: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
      said.both += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout: said.stdout, stderr: said.stderr }));
  });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended, said: () => said.both };
}
