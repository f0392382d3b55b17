import { type ChildProcessWithoutNullStreams as Child, spawn } from "node:child_process";
import { inParallel } from "../base/concurrency.ts";
import { isObject, type JsonObject, parsedJson, typeOf } from "../base/json.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { type Provider, placeholder } from "../manifest/secret-providers.ts";
import type { SecretRead } from "./secret-file.ts";

/** Distinct names to request from a provider. */
export interface ProviderRequest {
  readonly provider: Provider;
  readonly names: readonly string[];
}

/** The response of a provider for one name. */
export interface ProviderAnswer {
  readonly provider: Provider;
  readonly name: string;
  readonly read: SecretRead;
}

export interface ProviderContext {
  /** Working directory: the workspace. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the stderr of a call, which may contain secrets. */
  readonly onStderr: (provider: Provider, stderr: string) => void;
}

/** Concurrent programs, and bytes of output of each. */
const maxPrograms = 8;
const maxBytes = { each: 1024 * 1024, batch: 16 * 1024 * 1024 } as const;

/** Runs providers, with limited concurrency. One that cannot be started or times out is not called again. */
export async function askProviders(
  requests: readonly ProviderRequest[],
  context: ProviderContext,
): Promise<readonly ProviderAnswer[]> {
  const given = new Map<Provider, string>();
  const calls = requests.flatMap(listCalls);
  const answers = await inParallel(calls, maxPrograms, async ({ provider, names }) => {
    const printed = given.get(provider) ?? (await runProvider(toCall(provider, names, context)));
    if (typeof printed === "string") return readAnswers(provider, names, () => ({ why: printed }));
    context.onStderr(provider, printed.stderr);
    if ("why" in printed && printed.ever) given.set(provider, printed.ever);
    return readAnswers(provider, names, readers[provider.protocol](printed));
  });
  return answers.flat();
}

function listCalls({ provider, names }: ProviderRequest): ProviderRequest[] {
  if (names.length === 0) return [];
  return provider.protocol === "batch" ? [{ provider, names }] : names.map((name) => ({ provider, names: [name] }));
}

function readAnswers(
  provider: Provider,
  names: readonly string[],
  read: (name: string) => SecretRead,
): ProviderAnswer[] {
  return names.map((name) => ({ provider, name, read: read(name) }));
}

function toCall(provider: Provider, names: readonly string[], { folder, env, signal }: ProviderContext): ProgramCall {
  const { program, args, protocol, timeout } = provider;
  const isBatch = protocol === "batch";
  const [name = ""] = names;
  return {
    program,
    args: isBatch ? args : args.map((each) => each.replaceAll(placeholder, () => name)),
    ...(isBatch && { input: JSON.stringify({ version: 1, references: names }) }),
    folder,
    env: withoutOwn(env),
    timeout,
    maxBytes: maxBytes[protocol],
    signal,
  };
}

/** Removes Evenkeel's variables, which include its token, keys and passwords. */
function withoutOwn(env: ProviderContext["env"]): ProviderContext["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^EVENKEEL_/i.test(name)));
}

/** Parses the output of a call, by protocol. */
const readers: Readonly<Record<Provider["protocol"], (printed: Printed) => (name: string) => SecretRead>> = {
  each: (printed) => {
    const read = single(printed);
    return () => read;
  },
  batch: (printed) => {
    const answer = parseBatch(printed);
    return "why" in answer ? () => answer : (name) => readOne(answer, name);
  },
};

/** Strips one newline at the end. */
function single(printed: Printed): SecretRead {
  const text = parseText(printed);
  if ("why" in text) return text;
  const value = text.value.replace(/\r?\n$/, "");
  if (value.includes("\0")) return { why: "it printed a NUL character" };
  return /^[\r\n]*$/.test(value) ? { why: "it printed nothing" } : { value };
}

function parseText(printed: Printed): SecretRead {
  if ("why" in printed) return { why: printed.why };
  try {
    return { value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(printed.stdout) };
  } catch {
    return { why: "it printed something other than UTF-8 text" };
  }
}

type Batch = Readonly<Record<"values" | "errors", JsonObject>>;

function parseBatch(printed: Printed): Batch | { readonly why: string } {
  const text = parseText(printed);
  if ("why" in text) return text;
  const answer = parsedJson(text.value);
  if (!isObject(answer)) return { why: "it did not print a JSON object" };
  const { values = {}, errors = {} } = answer;
  return isObject(values) && isObject(errors) ? { values, errors } : { why: "values and errors are not objects" };
}

function readOne({ values, errors }: Batch, name: string): SecretRead {
  if (Object.hasOwn(errors, name)) return { why: describeError(errors[name]) };
  if (!Object.hasOwn(values, name)) return { why: "it gave no answer for this" };
  const value = values[name];
  if (typeof value !== "string") return { why: `its value is not a string but ${typeOf(value)}` };
  if (value.includes("\0")) return { why: "its value has a NUL character" };
  return value === "" ? { why: "its value is empty" } : { value };
}

function describeError(error: unknown): string {
  if (typeof error !== "string") return `its error is not a string but ${typeOf(error)}`;
  const message = error.replace(/\s+/g, " ").trim();
  return message === "" ? "its error is empty" : `it says: ${shorten(message)}`;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** A program to run without a shell, and its limits. */
interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Input on stdin. */
  readonly input?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Limit of stdout. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The output of a program, or the reason of its failure. `ever`: the reason that all further calls would fail. */
type Printed = Outcome & {
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
async function runProvider(call: ProgramCall): Promise<Printed> {
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
  return Promise.race([readOutput(child, maxBytes), cut]).finally(() => over.abort());
}

function readOutput(child: Child, maxBytes: number): Promise<Outcome> {
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
