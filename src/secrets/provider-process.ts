import { type ChildProcessWithoutNullStreams as Child, spawn } from "node:child_process";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { killAll, type Marker, newMarker } from "./descendants.ts";

/** A program to run once, without a shell, and what it may take. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it gets on stdin; left out: nothing. */
  readonly input?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Of stdout. */
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a program printed, or why that cannot be used; `ever`: what every other call of it would come to, where that is known. */
export type Printed = Outcome & {
  /** The end of it. */
  readonly stderr: string;
};

type Outcome = { readonly stdout: Buffer } | { readonly why: string; readonly ever?: string };

/**
 * Runs a program in a session of its own. Where it takes too long, prints too much or the run is stopped, it is killed with
 * all that it started, and nothing is waited for that holds its pipes. Never rejects, and no reason repeats anything that
 * was printed.
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

/** Output is complete when its pipe is closed, or soon after the program's own end where something that it left running holds the pipe. */
function finished(child: Child, { mostBytes }: ProgramCall): Promise<Outcome> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > mostBytes) resolve({ why: `it printed more than ${mostBytes / 1024 / 1024} MiB` });
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
    const timer = setTimeout(resolve, Math.min(timeout, longestTimer), late);
    const stop = () => resolve(stopped);
    signal?.addEventListener("abort", stop, { once: true });
    const ended = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    for (const event of ["error", "exit", "close"]) child.once(event, ended);
  });
}

/** A timer of more milliseconds than this would ring at once. */
const longestTimer = 2 ** 31 - 1;

function endingOf(code: number | null, signal: string | null): string {
  return code === null ? `it was ended by ${signal}` : `it exited with ${code}`;
}

function unstartable(error: unknown): Extract<Outcome, { why: string }> {
  const code = systemCode(error);
  if (code === "ENOENT") return forEver("its program was not found");
  if (code === "EACCES") return forEver("its program is not executable");
  return { why: `its program could not be started: ${describeSystemError(error)}` };
}

/** Reads a stream to its end and keeps the last characters. */
function endOf(stream: Child["stderr"]): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-mostWords);
  });
  return () => text;
}

const mostWords = 8192;

const running = new Map<Child, Marker>();
let isWatching = false;

/** Whatever ends this process, but SIGKILL, ends what it has started. */
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
