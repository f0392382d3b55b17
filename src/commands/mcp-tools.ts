import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { ExitCode } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { compile } from "../base/schema.ts";
import type { CommandRow, Flag } from "./command.ts";
import { type CliCommand, type CommandName, commands } from "./table.ts";
import type { Host, Terminal } from "./terminal.ts";

/** Runs a command line in this process. */
export type RunCommandLine = (host: Host) => Promise<ExitCode>;

/** Commands that are tools, each with its permitted options: none of them writes anything. */
const tools: Partial<Readonly<Record<CommandName, readonly string[]>>> = {
  show: ["--as-of"],
  explain: ["--kinds"],
  validate: ["--as-of"],
  diff: ["--to"],
  blame: [],
  overrides: ["--project"],
  runs: ["--project"],
  journal: [],
  plan: ["--target", "--exclude", "--since", "--as-of"],
  drift: ["--target", "--exclude", "--since", "--as-of"],
  unmanaged: ["--target", "--exclude"],
};

/** A tool of `tools/list`. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly properties: Readonly<Record<string, object>> };
  readonly annotations: { readonly readOnlyHint: true };
}

export function listTools(): readonly Tool[] {
  return toolCommands().map((command) => ({
    name: command.name,
    description: `${command.summary}; the JSON of evenkeel ${command.name} --report json`,
    inputSchema: inputSchema(command),
    annotations: { readOnlyHint: true },
  }));
}

function toolCommands(): readonly CliCommand[] {
  return commands.filter(({ name }) => tools[name]);
}

function listFlags({ name, flags }: CliCommand): readonly Flag[] {
  return flags.filter((flag) => tools[name]?.includes(longName(flag)));
}

/** The argument in a command's row: its name, and whether it is required. */
function parseArgument({ arguments: text = "" }: CommandRow) {
  const [, mark, name = ""] = /^([<[])([a-z]+)/.exec(text) ?? [];
  return mark === undefined ? undefined : { name, required: mark === "<" };
}

function inputSchema(command: CliCommand): Tool["inputSchema"] {
  const argument = parseArgument(command);
  const flags = listFlags(command).map((flag) => [propertyName(flag), propertySchema(flag)] as const);
  const [example = ""] = command.examples.find(([line]) => /^\S+ \S+ [^-]/.test(line)) ?? [];
  const described = { type: "string", minLength: 1, description: `as in ${example}` };
  return {
    type: "object",
    additionalProperties: false,
    properties: { ...(argument && { [argument.name]: described }), ...Object.fromEntries(flags) },
    ...(argument?.required && { required: [argument.name] }),
  };
}

function propertySchema({ flags, description, takes }: Flag): object {
  if (takes === "list") return { type: "array", items: { type: "string" }, description };
  if (!flags.includes("<")) return { type: "boolean", description };
  return { type: "string", description };
}

function longName({ flags }: Flag): string {
  return flags.split(" ")[0] ?? "";
}

/** `as_of` for `--as-of`. */
function propertyName(flag: Flag): string {
  return longName(flag).slice(2).replaceAll("-", "_");
}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

/** The context in which tools run. */
interface Place extends Pick<Terminal, "env" | "cwd"> {
  /** The server's `-C`. */
  readonly folder: string | undefined;
  readonly commandLine: RunCommandLine;
}

interface ToolCall {
  readonly name: unknown;
  readonly given: unknown;
  readonly signal: AbortSignal;
}

/** Runs a tool; undefined if there is none with this name. */
export async function callTool(place: Place, { name, given, signal }: ToolCall): Promise<ToolResult | undefined> {
  const command = toolCommands().find((each) => each.name === name);
  if (!command) return undefined;
  const faults = compile(inputSchema(command))(given);
  if (faults.length > 0 || !isObject(given)) {
    const text = faults.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n");
    return { content: [{ type: "text", text }], isError: true };
  }
  const { stdout, stderr } = await runCommand(place, toArguments(command, given, place.folder), signal);
  return limitResult(stdout, stderr, command);
}

/** The words of a command line. Words after `--` are not options, whatever they begin with. */
function toArguments(command: CliCommand, given: JsonObject, folder: string | undefined): readonly string[] {
  const argument = parseArgument(command)?.name ?? "";
  const flags = listFlags(command).flatMap((flag) => {
    const value = given[propertyName(flag)];
    if (typeof value === "boolean") return value ? [longName(flag)] : [];
    return value === undefined ? [] : [value].flat().map((each) => `${longName(flag)}=${String(each)}`);
  });
  const rest = given[argument] === undefined ? [] : ["--", String(given[argument])];
  const where = folder === undefined ? [] : ["-C", folder];
  return [command.name, ...where, "--report", "json", ...flags, ...rest];
}

async function runCommand({ env, cwd, commandLine }: Place, args: readonly string[], signal: AbortSignal) {
  const [stdout, stderr] = [collecting(), collecting()];
  const host: Host = Object.assign(new EventEmitter<Record<NodeJS.Signals, [NodeJS.Signals]>>(), {
    argv: ["node", "evenkeel", ...args],
    env,
    pid: process.pid,
    stdin: new PassThrough().end(),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => cwd,
    exit: () => {},
    unrecorded: true as const,
  });
  const interrupt = () => host.emit("SIGINT", "SIGINT");
  signal.addEventListener("abort", interrupt, { once: true });
  await commandLine(host);
  signal.removeEventListener("abort", interrupt);
  return { stdout: stdout.text().trim(), stderr: stderr.text().trim() };
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

/** Bytes of a result, as JSON. */
const mostBytes = 50_000;

/** Characters of warnings and errors. */
const mostNotes = 4000;

/** Limit for a document that cannot be shortened otherwise, in characters of up to four bytes. */
const mostStart = 10_000;

/** Limits a result: truncates the lists of the document, and adds a notice. */
function limitResult(stdout: string, stderr: string, command: CliCommand): ToolResult {
  const notes =
    stderr.length > mostNotes ? `${stderr.slice(0, mostNotes)}\n(cut: ${stderr.length} characters)` : stderr;
  const result = (text: string, cut: readonly string[] = []): ToolResult => ({
    content: [text, notes, cut.length > 0 ? cutText(cut, command) : ""]
      .filter((each) => each !== "")
      .map((each) => ({ type: "text", text: each })),
    ...(stdout === "" && { isError: true }),
  });
  const isShort = (each: ToolResult) => Buffer.byteLength(JSON.stringify(each)) <= mostBytes;
  const document = parseDocument(stdout);
  if (document === undefined) return truncateStart(stdout, result, isShort);
  const lists = findLists(document);
  for (let kept = 1; kept > 1e-6; kept /= 1.5) {
    const cut = kept === 1 ? [] : lists.map((list) => ({ ...list, length: Math.floor(list.items.length * kept) }));
    const all = result(
      JSON.stringify(withLists(document, cut)),
      cut.map(({ name, items, length }) => `${name}: ${length} of ${items.length}`),
    );
    if (isShort(all)) return all;
  }
  return truncateStart(JSON.stringify(document), result, isShort);
}

/** The start of a text without lists to shorten. */
function truncateStart(
  text: string,
  result: (text: string, cut: readonly string[]) => ToolResult,
  isShort: (result: ToolResult) => boolean,
): ToolResult {
  const whole = result(text, []);
  if (isShort(whole)) return whole;
  return result(text.slice(0, mostStart), [`the first ${mostStart} of ${text.length} characters`]);
}

function cutText(cut: readonly string[], command: CliCommand): string {
  const ways = Object.keys(inputSchema(command).properties);
  const next = ways.length > 0 ? `; narrow it with ${ways.join(", ")}` : "";
  return `Cut to 50 kB (${cut.join("; ")})${next}.`;
}

function parseDocument(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

interface List {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** The document if it is a list, else the lists among its members. */
function findLists(document: unknown): readonly List[] {
  if (Array.isArray(document)) return [{ name: "items", items: document }];
  const members = isObject(document) ? Object.entries(document) : [];
  return members.flatMap(([name, items]) => (Array.isArray(items) && items.length > 0 ? [{ name, items }] : []));
}

function withLists(document: unknown, cut: readonly (List & { readonly length: number })[]): unknown {
  if (cut.length === 0) return document;
  const [first] = cut;
  if (Array.isArray(document)) return first?.items.slice(0, first.length);
  return {
    ...(document as JsonObject),
    ...Object.fromEntries(cut.map(({ name, items, length }) => [name, items.slice(0, length)])),
  };
}
