import { inParallel } from "../base/concurrency.ts";
import { isObject, type JsonObject, parsedJson, typeOf } from "../base/json.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { foreignEnvironment, type ProgramCall, type ProgramEnd, runInGroup } from "../git/process-group.ts";
import { type Provider, placeholder } from "../manifest/secret-providers.ts";
import type { SecretRead } from "./secret-file.ts";

export interface ProviderRequest {
  readonly provider: Provider;
  readonly names: readonly string[];
}

export interface ProviderAnswer {
  readonly provider: Provider;
  readonly name: string;
  readonly read: SecretRead;
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
): Promise<readonly ProviderAnswer[]> {
  const given = new Map<Provider, string>();
  const calls = requests.flatMap(listCalls);
  const answers = await inParallel(calls, maxPrograms, async ({ provider, names }) => {
    const before = given.get(provider);
    if (before !== undefined) return readAnswers(provider, names, () => ({ why: before }));
    const ran = await runInGroup(toCall(provider, names, context));
    context.onStderr(provider, ran.stderr);
    const printed = toPrinted(ran, provider);
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
    cwd: folder,
    env: foreignEnvironment(env),
    timeout,
    maxBytes: maxBytes[protocol],
    signal,
    kill: "SIGKILL",
  };
}

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

/** The output of a program, or the reason of its failure, without output. `ever`: all further calls would fail too. */
type Printed = { readonly stdout: Buffer } | { readonly why: string; readonly ever?: string };

function toPrinted({ end, stdout }: ProgramEnd, { timeout, protocol }: Provider): Printed {
  if (end === 0) return { stdout };
  if (end instanceof Error) return explainStart(end);
  if (typeof end === "number") return { why: `it exited with ${end}` };
  if (end === "stopped") return { why: stopped, ever: stopped };
  if (end === "size") return { why: `it printed more than ${maxBytes[protocol] / 1024 / 1024} MiB` };
  if (end !== "timeout") return { why: `it was ended by ${end}` };
  const why = `it did not answer within ${timeout / 1000} s`;
  return { why, ever: "it did not answer before, and was not called again" };
}

const stopped = "the run was stopped";

function explainStart(error: Error): Printed {
  const whys: Readonly<Record<string, string>> = {
    ENOENT: "its program was not found",
    EACCES: "its program is not executable",
  };
  const why = whys[systemCode(error) ?? ""];
  return why ? { why, ever: why } : { why: `its program could not be started: ${describeSystemError(error)}` };
}
