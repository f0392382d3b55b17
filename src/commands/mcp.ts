import { exit } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import type { Run } from "./command.ts";
import { callTool, listTools, type RunCommandLine, type ToolResult } from "./mcp-tools.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Supported revisions of the Model Context Protocol, which do not differ here; newest first. */
const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

const instructions =
  "Read-only access to an Evenkeel workspace: YAML policies for projects and groups on a GitLab server. validate, show, explain, diff, blame and overrides read the manifests; runs and journal read the history; plan, drift and unmanaged compare with the server. No tool changes anything. An address such as payments/api:label/bug names a resource.";

/**
 * `evenkeel mcp`: a server of the Model Context Protocol, whose messages are lines of JSON-RPC 2.0 on stdin and stdout.
 * Tools are commands that run in this process, one at a time.
 */
export function serveTools(commandLine: RunCommandLine): Run<Options<"mcp">> {
  return async (terminal, options) => {
    const session = new ToolSession(terminal, { commandLine, folder: options.C });
    for await (const line of terminal.lines()) session.receive(line);
    await session.finished();
    return exit.done;
  };
}

/** A request, without its parameters. */
interface Asked {
  readonly id: string | number;
  readonly method: string;
}

/** The messages of one client. */
class ToolSession {
  readonly #terminal: Terminal;
  readonly #place: Parameters<typeof callTool>[0];
  /** Calls that are waiting or running. */
  readonly #calls = new Map<string | number, AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(
    terminal: Terminal,
    { commandLine, folder }: { commandLine: RunCommandLine; folder: string | undefined },
  ) {
    const { env, cwd } = terminal;
    this.#terminal = terminal;
    this.#place = { env, cwd, folder, commandLine };
  }

  /** Resolves when all calls have ended. */
  finished(): Promise<void> {
    return this.#last;
  }

  receive(line: string): void {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    if (message === undefined) this.#fail(null, -32700, "expected one JSON-RPC message on each line");
    else this.#handle(message);
  }

  #handle({ id, method, params }: JsonObject): void {
    const parameters = isObject(params) ? params : {};
    const isId = typeof id === "string" || typeof id === "number";
    if (typeof method !== "string") {
      // A response to a request, of which this server makes none.
      if (!isId) this.#fail(null, -32600, "expected a method");
    } else if (isId) this.#answer({ id, method }, parameters);
    else if (method === "notifications/cancelled") this.#cancel(parameters.requestId);
  }

  #answer({ id, method }: Asked, parameters: JsonObject): void {
    if (method === "initialize") this.#send({ id, result: greeting(parameters.protocolVersion) });
    else if (method === "ping") this.#send({ id, result: {} });
    else if (method === "tools/list") this.#send({ id, result: { tools: listTools() } });
    else if (method === "tools/call") this.#call(id, parameters);
    else this.#fail(id, -32601, `no method ${method}`);
  }

  #call(id: string | number, { name, arguments: given = {} }: JsonObject): void {
    const controller = new AbortController();
    this.#calls.set(id, controller);
    this.#last = this.#last.then(async () => {
      const result = controller.signal.aborted ? undefined : await this.#resultOf(name, given, controller.signal);
      this.#calls.delete(id);
      // A cancelled request has no response.
      if (controller.signal.aborted) return;
      if (result) this.#send({ id, result });
      else
        this.#fail(
          id,
          -32602,
          `no tool ${String(name)}; expected one of ${listTools()
            .map((tool) => tool.name)
            .join(", ")}`,
        );
    });
  }

  #resultOf(name: unknown, given: unknown, signal: AbortSignal): Promise<ToolResult | undefined> {
    return callTool(this.#place, { name, given, signal });
  }

  #cancel(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#calls.get(id)?.abort();
  }

  #fail(id: string | number | null, code: number, message: string): void {
    this.#send({ id, error: { code, message } });
  }

  #send(message: object): void {
    this.#terminal.emit(knownSecrets.clean(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }
}

function parseMessage(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function greeting(requested: unknown) {
  return {
    protocolVersion: revisions.find((each) => each === requested) ?? revisions[0],
    capabilities: { tools: {} },
    serverInfo: { name: "evenkeel", version },
    instructions,
  };
}
