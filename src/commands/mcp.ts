import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { type ExitCode, exit } from "../base/exit.ts";
import { isObject, type JsonObject, parsedJson } from "../base/json.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { compile } from "../base/schema.ts";
import { version } from "../base/version.ts";
import { type CliCommand, type CommandRow, commands, type Flag, type Options, type Run, wordOf } from "./command.ts";
import type { Host, Terminal } from "./terminal.ts";

/** Supported revisions of the Model Context Protocol, which do not differ here; newest first. */
const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

const instructions =
  "Read-only access to an Evenkeel workspace: YAML policies for projects and groups on a GitLab server. validate, show, explain, diff, blame and overrides read the manifests; runs and journal read the history; plan, drift and unmanaged compare with the server. No tool changes anything. An address such as payments/api:label/bug names a resource.";

/**
 * `evenkeel mcp`: a server of the Model Context Protocol, whose messages are lines of JSON-RPC 2.0 on stdin and stdout.
 * Tools are commands that run in this process, one at a time.
 */
export function serveTools(commandLine: RunCommandLine): Run<Options<"mcp">> {
  return async (terminal, { C: folder }) => {
    const { env, cwd } = terminal;
    const send = (message: object) => terminal.emit(knownSecrets.clean(JSON.stringify({ jsonrpc: "2.0", ...message })));
    /** Calls that are waiting or running. */
    const calls = new Map<unknown, AbortController>();
    let last: Promise<void> = Promise.resolve();
    const call = (id: unknown, { name, arguments: given = {} }: JsonObject) => {
      const controller = new AbortController();
      const { signal } = controller;
      calls.set(id, controller);
      last = last.then(async () => {
        const result = signal.aborted
          ? undefined
          : await callTool({ env, cwd, folder, commandLine }, { name, given, signal });
        calls.delete(id);
        // A cancelled request has no response.
        if (!signal.aborted) send({ id, ...(result ? { result } : failure(-32602, unknownTool(name))) });
      });
    };
    for await (const line of terminal.lines()) {
      if (line.trim() === "") continue;
      const message = parsedJson(line);
      const { id, method, params }: JsonObject = isObject(message) ? message : {};
      const parameters = isObject(params) ? params : {};
      const isId = typeof id === "string" || typeof id === "number";
      if (!isObject(message)) send({ id: null, ...failure(-32700, "expected one JSON-RPC message on each line") });
      else if (method === "notifications/cancelled") calls.get(parameters.requestId)?.abort();
      else if (typeof method !== "string" && !isId) send({ id: null, ...failure(-32600, "expected a method") });
      // Other notifications need no answer, nor do responses: this server sends no requests.
      else if (typeof method !== "string" || !isId) continue;
      else if (method === "tools/call") call(id, parameters);
      else send({ id, ...answer(method, parameters) });
    }
    await last;
    return exit.done;
  };
}

function answer(method: string, { protocolVersion }: JsonObject): object {
  if (method === "initialize") {
    const revision = revisions.find((each) => each === protocolVersion) ?? revisions[0];
    const serverInfo = { name: "evenkeel", version };
    return { result: { protocolVersion: revision, capabilities: { tools: {} }, serverInfo, instructions } };
  }
  if (method === "ping") return { result: {} };
  if (method === "tools/list") return { result: { tools: listTools() } };
  return failure(-32601, `no method ${method}`);
}

function failure(code: number, message: string): object {
  return { error: { code, message } };
}

function unknownTool(name: unknown): string {
  return `no tool ${String(name)}; expected one of ${toolCommands.map((each) => each.name).join(", ")}`;
}

type RunCommandLine = (host: Host) => Promise<ExitCode>;

function listTools() {
  return toolCommands.map((command) => ({
    name: command.name,
    description: `${command.summary}; the JSON of evenkeel ${command.name} --report json`,
    inputSchema: inputSchema(command),
    annotations: { readOnlyHint: true },
  }));
}

const toolCommands = commands.filter(({ tool }) => tool);

function listFlags({ tool, flags }: CliCommand): readonly Flag[] {
  return flags.filter((flag) => tool?.includes(wordOf(flag)));
}

function parseArgument({ arguments: text = "" }: CommandRow) {
  const [, mark, name = ""] = /^([<[])([a-z]+)/.exec(text) ?? [];
  return mark === undefined ? undefined : { name, required: mark === "<" };
}

function inputSchema(command: CliCommand) {
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
  return { type: flags.includes("<") ? "string" : "boolean", description };
}

function propertyName(flag: Flag): string {
  return wordOf(flag).slice(2).replaceAll("-", "_");
}

interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

interface Place extends Pick<Terminal, "env" | "cwd"> {
  readonly folder: string | undefined;
  readonly commandLine: RunCommandLine;
}

async function callTool(
  place: Place,
  { name, given, signal }: { readonly name: unknown; readonly given: unknown; readonly signal: AbortSignal },
): Promise<ToolResult | undefined> {
  const command = toolCommands.find((each) => each.name === name);
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
    if (typeof value === "boolean") return value ? [wordOf(flag)] : [];
    return value === undefined ? [] : [value].flat().map((each) => `${wordOf(flag)}=${String(each)}`);
  });
  const rest = given[argument] === undefined ? [] : ["--", String(given[argument])];
  const where = folder === undefined ? [] : ["-C", folder];
  return [command.name, ...where, "--report", "json", ...flags, ...rest];
}

async function runCommand({ env, cwd, commandLine }: Place, args: readonly string[], signal: AbortSignal) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const host: Host = Object.assign(new EventEmitter<Record<NodeJS.Signals, [NodeJS.Signals]>>(), {
    argv: ["node", "evenkeel", ...args],
    env,
    pid: process.pid,
    stdin: new PassThrough().end(),
    stdout,
    stderr,
    cwd: () => cwd,
    exit: () => {},
    unrecorded: true as const,
  });
  const interrupt = () => host.emit("SIGINT", "SIGINT");
  signal.addEventListener("abort", interrupt, { once: true });
  await commandLine(host);
  signal.removeEventListener("abort", interrupt);
  const [out = "", notes = ""] = await Promise.all([stdout, stderr].map((stream) => text(stream.end())));
  return { stdout: out.trim(), stderr: notes.trim() };
}

/** Bytes of a result, as JSON. */
const mostBytes = 50_000;

/** Characters of warnings and errors. */
const mostNotes = 4000;

/** Lengths to which the lists of a document are cut, until the result is short enough. */
const lengths = [Number.POSITIVE_INFINITY, 1000, 300, 100, 30, 10, 3, 0];

function limitResult(stdout: string, stderr: string, command: CliCommand): ToolResult {
  const notes =
    stderr.length > mostNotes ? `${stderr.slice(0, mostNotes)}\n(cut: ${stderr.length} characters)` : stderr;
  const document: unknown = parsedJson(stdout) ?? stdout;
  for (const most of lengths) {
    const notice = Number.isFinite(most) ? cutText(document, most, command) : "";
    const texts = [shorten(document, most), notes, notice].filter((text) => text !== "");
    const content = texts.map((text) => ({ type: "text", text }) as const);
    const result: ToolResult = { content, ...(stdout === "" && { isError: true }) };
    if (Buffer.byteLength(JSON.stringify(result)) <= mostBytes) return result;
  }
  return { content: [{ type: "text", text: cutText(document, 0, command) }], isError: true };
}

function shorten(document: unknown, most: number): string {
  if (typeof document === "string") return document;
  const cut = (value: unknown) => (Array.isArray(value) ? value.slice(0, most) : value);
  if (!isObject(document)) return JSON.stringify(cut(document));
  return JSON.stringify(Object.fromEntries(Object.entries(document).map(([name, value]) => [name, cut(value)])));
}

function cutText(document: unknown, most: number, command: CliCommand): string {
  const lists = Object.entries(Array.isArray(document) ? { items: document } : (document as object));
  const cut = lists.flatMap(([name, list]) =>
    Array.isArray(list) && list.length > most ? [`${name}: ${most} of ${list.length}`] : [],
  );
  const ways = Object.keys(inputSchema(command).properties);
  const next = ways.length > 0 ? `; narrow it with ${ways.join(", ")}` : "";
  return `Cut to 50 kB (${cut.join("; ")})${next}.`;
}
