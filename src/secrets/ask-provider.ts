import { isUtf8 } from "node:buffer";
import { inParallel } from "../base/concurrency.ts";
import { isObject, parsedJson, typeOf } from "../base/json.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { foreignEnvironment, type ProgramCall, type ProgramEnd, runInGroup } from "../git/process-group.ts";
import { type Provider, placeholder } from "../manifest/secret-providers.ts";
import type { SecretRead } from "./secret-file.ts";

export interface ProviderRequest {
  readonly provider: Provider;
  readonly names: readonly string[];
}

export interface ProviderContext {
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
): Promise<readonly { readonly provider: Provider; readonly name: string; readonly read: SecretRead }[]> {
  const failed = new Map<Provider, string>();
  const calls = requests.flatMap(({ provider, names }) => {
    if (provider.protocol === "each") return names.map((name) => ({ provider, names: [name] }));
    return names.length === 0 ? [] : [{ provider, names }];
  });
  const answers = await inParallel(calls, maxPrograms, async ({ provider, names }) => {
    const read = await runProvider(provider, names, context, failed);
    return names.map((name) => ({ provider, name, read: read(name) }));
  });
  return answers.flat();
}

type Read = (name: string) => SecretRead;

/** `failed`: the providers that are not called again, each with the reason. */
async function runProvider(
  provider: Provider,
  names: readonly string[],
  context: ProviderContext,
  failed: Map<Provider, string>,
): Promise<Read> {
  const before = failed.get(provider);
  if (before !== undefined) return () => ({ why: before });
  const { end, stdout, stderr } = await runInGroup(toCall(provider, names, context));
  context.onStderr(provider, stderr);
  const fault = explainEnd(end, provider);
  if (fault?.ever) failed.set(provider, fault.ever);
  if (fault) return () => fault;
  if (!isUtf8(stdout)) return () => ({ why: "it printed something other than UTF-8 text" });
  const text = stdout.toString();
  return provider.protocol === "each" ? () => readSingle(text) : readBatch(text);
}

function toCall(provider: Provider, names: readonly string[], { folder, env, signal }: ProviderContext): ProgramCall {
  const { program, args, protocol, timeout } = provider;
  const isBatch = protocol === "batch";
  const [name = ""] = names;
  return {
    program,
    args: isBatch ? args : args.map((each) => each.replaceAll(placeholder, () => name)),
    ...(isBatch && { input: JSON.stringify({ version: 1, references: names }) }),
    cwd: folder,
    env: foreignEnvironment(env),
    timeout,
    maxBytes: maxBytes[protocol],
    signal,
    kill: "SIGKILL",
  };
}

/** Strips one newline at the end. */
function readSingle(text: string): SecretRead {
  const value = text.replace(/\r?\n$/, "");
  if (value.includes("\0")) return { why: "it printed a NUL character" };
  return /^[\r\n]*$/.test(value) ? { why: "it printed nothing" } : { value };
}

function readBatch(text: string): Read {
  const answer = parsedJson(text);
  if (!isObject(answer)) return () => ({ why: "it did not print a JSON object" });
  const { values = {}, errors = {} } = answer;
  if (!isObject(values) || !isObject(errors)) return () => ({ why: "values and errors are not objects" });
  return (name) => {
    if (Object.hasOwn(errors, name)) return { why: describeError(errors[name]) };
    if (!Object.hasOwn(values, name)) return { why: "it gave no answer for this" };
    const value = values[name];
    if (typeof value !== "string") return { why: `its value is not a string but ${typeOf(value)}` };
    if (value.includes("\0")) return { why: "its value has a NUL character" };
    return value === "" ? { why: "its value is empty" } : { value };
  };
}

function describeError(error: unknown): string {
  if (typeof error !== "string") return `its error is not a string but ${typeOf(error)}`;
  const message = error.replace(/\s+/g, " ").trim();
  if (message === "") return "its error is empty";
  return `it says: ${message.length > 200 ? `${message.slice(0, 199)}…` : message}`;
}

/** The reason of a failure, without output. `ever`: all further calls would fail too, with this reason. */
interface Fault {
  readonly why: string;
  readonly ever?: string;
}

function explainEnd(end: ProgramEnd["end"], { timeout, protocol }: Provider): Fault | undefined {
  if (end === 0) return undefined;
  if (end instanceof Error) {
    const why = startErrors[systemCode(end) ?? ""];
    return why ? { why, ever: why } : { why: `its program could not be started: ${describeSystemError(end)}` };
  }
  if (typeof end === "number") return { why: `it exited with ${end}` };
  if (end === "stopped") return { why: stopped, ever: stopped };
  if (end === "size") return { why: `it printed more than ${maxBytes[protocol] / 1024 / 1024} MiB` };
  if (end !== "timeout") return { why: `it was ended by ${end}` };
  const why = `it did not answer within ${timeout / 1000} s`;
  return { why, ever: "it did not answer before, and was not called again" };
}

const stopped = "the run was stopped";

const startErrors: Readonly<Record<string, string>> = {
  ENOENT: "its program was not found",
  EACCES: "its program is not executable",
};
