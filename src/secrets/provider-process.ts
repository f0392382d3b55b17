import { type ChildProcessWithoutNullStreams as Child, spawn } from "node:child_process";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** A program to run without a shell, and its limits. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Input on stdin. */
  readonly input?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Of stdout. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The output of a program, or why it failed. `ever`: the reason that all further calls would fail. */
export type Printed = Outcome & {
  /** Its last characters. */
  readonly stderr: string;
};

type Outcome = { readonly stdout: Buffer } | { readonly why: string; readonly ever?: string };

const stopped: Outcome = { why: "the run was stopped", ever: "the run was stopped" };

/** The maximum of `setTimeout`. */
const maxTimer = 2 ** 31 - 1;

/** Milliseconds to wait for the end of the output after the program ended: a descendant may keep the pipe open. */
const drainTime = 1000;

const maxStderr = 8192;

/** Process groups that end with this process, unless it is killed with SIGKILL. */
const running = new Set<Child>();

/**
 * Runs a program in its own process group. On a timeout, too much output or an abort, the group is killed. Never rejects,
 * and reasons contain no output.
 */
export async function runProvider(call: ProgramCall): Promise<Printed> {
  if (call.signal?.aborted) return { ...stopped, stderr: "" };
  const child = start(call);
  if ("why" in child) return { ...child, stderr: "" };
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    stderr = (stderr + part).slice(-maxStderr);
  });
  const outcome = await waitFor(child, call);
  running.delete(child);
  if (child.exitCode === null && child.signalCode === null) killGroup(child);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
  return { ...outcome, stderr };
}

function start({ program, args, folder: cwd, env, input }: ProgramCall): Child | Extract<Outcome, { why: string }> {
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: "pipe" });
    child.stdin.on("error", () => undefined).end(input);
    if (!process.listeners("exit").includes(killAll)) process.on("exit", killAll);
    running.add(child);
    return child;
  } catch (error) {
    return explainStart(error);
  }
}

function waitFor(child: Child, { timeout, maxBytes, signal }: ProgramCall): Promise<Outcome> {
  const why = `it did not answer within ${timeout / 1000} s`;
  const late: Outcome = { why, ever: "it did not answer before, and was not called again" };
  const over = new AbortController();
  const cut = new Promise<Outcome>((resolve) => {
    const timer = setTimeout(resolve, Math.min(timeout, maxTimer), late);
    child.once("exit", () => clearTimeout(timer));
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    signal?.addEventListener("abort", () => resolve(stopped), { once: true, signal: over.signal });
  });
  return Promise.race([outputOf(child, maxBytes), cut]).finally(() => over.abort());
}

function outputOf(child: Child, maxBytes: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) resolve({ why: `it printed more than ${maxBytes / 1024 / 1024} MiB` });
    });
    const ended = (code: number | null, by: string | null) => {
      const why = by ? `it was ended by ${by}` : `it exited with ${code}`;
      resolve(code === 0 ? { stdout: Buffer.concat(parts) } : { why });
    };
    child.once("error", (error) => resolve(explainStart(error)));
    child.once("exit", (code, by) => setTimeout(ended, drainTime, code, by).unref());
    child.once("close", ended);
  });
}

function explainStart(error: unknown): Extract<Outcome, { why: string }> {
  const whys: Readonly<Record<string, string>> = {
    ENOENT: "its program was not found",
    EACCES: "its program is not executable",
  };
  const why = whys[systemCode(error) ?? ""];
  return why ? { why, ever: why } : { why: `its program could not be started: ${describeSystemError(error)}` };
}

function killAll(): void {
  for (const child of running) killGroup(child);
}

function killGroup({ pid }: Child): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
