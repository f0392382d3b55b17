import { type ChildProcess, spawn } from "node:child_process";
import { ifPossible } from "../base/exit.ts";

/** A program to run without a shell, and its limits. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
  readonly timeout: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  readonly kill: "SIGTERM" | "SIGKILL";
}

/** The environment of other programs, without Evenkeel's variables, which include its token, keys and passwords. */
export function foreignEnvironment(env: ProgramCall["env"]): ProgramCall["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^EVENKEEL_/i.test(name)));
}

/** The output of a program, and its exit code, its signal, the limit that ended it, or the error of starting it. */
export interface ProgramEnd {
  readonly end: number | string | Error;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const maxTimer = 2 ** 31 - 1;

/** Milliseconds to wait for the end of the output after the program ended: a descendant may keep the pipe open. */
const drainTime = 1000;

const maxStderr = 8192;

/** Process groups that end with this process, unless it is killed with SIGKILL. */
const running = new Set<ChildProcess>();

/** Runs a program in its own process group, which is killed at a limit or an abort. Never rejects. */
export function runInGroup(call: ProgramCall): Promise<ProgramEnd> {
  const { program, args, cwd, env, input, timeout, maxBytes, signal, kill } = call;
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ end: "stopped", stdout: Buffer.alloc(0), stderr: "" });
    const child = start(() => spawn(program, args, { cwd, env, detached: true, stdio: "pipe" }));
    if (child instanceof Error) return resolve({ end: child, stdout: Buffer.alloc(0), stderr: "" });
    const parts: Buffer[] = [];
    let [size, stderr] = [0, ""];
    const finish = (end: ProgramEnd["end"]) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      running.delete(child);
      if (child.exitCode === null && child.signalCode === null) killGroup(child, kill);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      child.unref();
      resolve({ end, stdout: Buffer.concat(parts), stderr });
    };
    const timer = setTimeout(finish, Math.min(timeout, maxTimer), "timeout");
    const stop = () => finish("stopped");
    signal?.addEventListener("abort", stop);
    child.stdin.on("error", () => undefined).end(input);
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      stderr = (stderr + part).slice(-maxStderr);
    });
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) finish("size");
    });
    const ended = (code: number | null, by: string | null) => finish(code ?? by ?? 1);
    child.once("error", finish);
    child.once("exit", (code, by) => {
      clearTimeout(timer);
      setTimeout(ended, drainTime, code, by).unref();
    });
    child.once("close", ended);
  });
}

function start<Child extends ChildProcess>(spawned: () => Child): Child | Error {
  try {
    const child = spawned();
    if (!process.listeners("exit").includes(killAll)) process.on("exit", killAll);
    running.add(child);
    return child;
  } catch (error) {
    return error as Error;
  }
}

function killAll(): void {
  for (const child of running) killGroup(child, "SIGKILL");
}

function killGroup({ pid }: ChildProcess, signal: ProgramCall["kill"]): void {
  // Throws if it has ended.
  if (pid !== undefined) ifPossible(() => process.kill(-pid, signal));
}
