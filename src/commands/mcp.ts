import { exit } from "../base/exit.ts";
import { isObject, type JsonObject, parsedJson } from "../base/json.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import type { Run } from "./command.ts";
import { callTool, listTools, type RunCommandLine } from "./mcp-tools.ts";
import type { Options } from "./table.ts";

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
      const message = parseMessage(line);
      const { id, method, params } = message ?? {};
      const parameters = isObject(params) ? params : {};
      const isId = typeof id === "string" || typeof id === "number";
      if (!message) send({ id: null, ...failure(-32700, "expected one JSON-RPC message on each line") });
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
  if (method === "initialize") return { result: greeting(protocolVersion) };
  if (method === "ping") return { result: {} };
  if (method === "tools/list") return { result: { tools: listTools() } };
  return failure(-32601, `no method ${method}`);
}

function failure(code: number, message: string): object {
  return { error: { code, message } };
}

function unknownTool(name: unknown): string {
  const names = listTools().map((tool) => tool.name);
  return `no tool ${String(name)}; expected one of ${names.join(", ")}`;
}

function parseMessage(line: string): JsonObject | undefined {
  const message = parsedJson(line);
  return isObject(message) ? message : undefined;
}

function greeting(requested: unknown) {
  return {
    protocolVersion: revisions.find((each) => each === requested) ?? revisions[0],
    capabilities: { tools: {} },
    serverInfo: { name: "evenkeel", version },
    instructions,
  };
}
