import { type ChildProcessWithoutNullStreams as Child, spawn } from "node:child_process";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { killAll, type Marker, newMarker } from "./descendants.ts";

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

/**
 * Runs a program in its own session. On a timeout, too much output or an abort, it is killed with its descendants. Never
 * rejects, and reasons contain no output.
 */
export async function runProvider(call: ProgramCall): Promise<Printed> {
  if (call.signal?.aborted) return { ...stopped, stderr: "" };
  const marker = newMarker();
  const child = started({ ...call, env: { ...call.env, [marker.name]: marker.value } });
  if ("why" in child) return { ...child, stderr: "" };
  const words = endOf(child.stderr);
  keepTrack(child, marker);
  const outcome = await Promise.race([finished(child, call), cutShort(child, call)]);
  letGo(child);
  return { ...outcome, stderr: words() };
}

const stopped: Outcome = forEver("the run was stopped");

function forEver(why: string, ever = why): Extract<Outcome, { why: string }> {
  return { why, ever };
}

function started({ program, args, folder: cwd, env, input }: ProgramCall): Child | Extract<Outcome, { why: string }> {
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: "pipe" });
    child.stdin.on("error", () => undefined).end(input);
    return child;
  } catch (error) {
    return unstartable(error);
  }
}

/** Output ends when its pipe is closed, or a second after the program ended, because a descendant may keep the pipe open. */
function finished(child: Child, { maxBytes }: ProgramCall): Promise<Outcome> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) resolve({ why: `it printed more than ${maxBytes / 1024 / 1024} MiB` });
    });
    const ended = (code: number | null, signal: string | null) =>
      resolve(code === 0 ? { stdout: Buffer.concat(parts) } : { why: endingOf(code, signal) });
    child.once("error", (error) => resolve(unstartable(error)));
    child.once("exit", (code, signal) => setTimeout(ended, drainTime, code, signal).unref());
    child.once("close", ended);
  });
}

/** Milliseconds. */
const drainTime = 1000;

function cutShort(child: Child, { timeout, signal }: ProgramCall): Promise<Outcome> {
  return new Promise((resolve) => {
    const late = forEver(
      `it did not answer within ${timeout / 1000} s`,
      "it did not answer before, and was not called again",
    );
    const timer = setTimeout(resolve, Math.min(timeout, maxTimer), late);
    const stop = () => resolve(stopped);
    signal?.addEventListener("abort", stop, { once: true });
    const ended = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    for (const event of ["error", "exit", "close"]) child.once(event, ended);
  });
}

/** The maximum of `setTimeout`. */
const maxTimer = 2 ** 31 - 1;

function endingOf(code: number | null, signal: string | null): string {
  return code === null ? `it was ended by ${signal}` : `it exited with ${code}`;
}

function unstartable(error: unknown): Extract<Outcome, { why: string }> {
  const code = systemCode(error);
  if (code === "ENOENT") return forEver("its program was not found");
  if (code === "EACCES") return forEver("its program is not executable");
  return { why: `its program could not be started: ${describeSystemError(error)}` };
}

/** Reads a stream and keeps the last characters. */
function endOf(stream: Child["stderr"]): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-maxStderr);
  });
  return () => text;
}

const maxStderr = 8192;

const running = new Map<Child, Marker>();
let isWatching = false;

/** Unless it is killed with SIGKILL, this process ends those that it started. */
function keepTrack(child: Child, marker: Marker): void {
  running.set(child, marker);
  if (!isWatching) process.on("exit", endAll);
  isWatching = true;
}

function endAll(): void {
  for (const [child, marker] of running) end(child, marker);
}

function letGo(child: Child): void {
  const marker = running.get(child);
  running.delete(child);
  if (marker && child.exitCode === null && child.signalCode === null) end(child, marker);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  child.unref();
}

function end({ pid }: Child, marker: Marker): void {
  if (pid !== undefined) killAll(pid, marker);
}
