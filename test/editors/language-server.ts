import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../readme.ts";
import { killWithRun } from "../support/processes.ts";

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Position };
}

interface Completion {
  readonly label: string;
  readonly insertText: string;
}

/** The language server that editors use for YAML, asked as an editor asks it. A `|` in a text is the cursor. */
export interface Editor {
  readonly complete: (text: string) => Promise<readonly Completion[]>;
  /** Markdown; empty where nothing is shown. */
  readonly hover: (text: string) => Promise<string>;
  readonly check: (text: string) => Promise<readonly Diagnostic[]>;
  readonly close: () => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

const program = join(root, "node_modules/yaml-language-server/bin/yaml-language-server");
// The server is to know the schema from the file's first line alone, and to ask nobody else for one.
const settings = { yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false } } };

/** Starts it for files of a folder. */
export async function openEditor(folder: string): Promise<Editor> {
  const server = spawn(process.execPath, [program, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  killWithRun(server);
  const answers = new Map<number, (result: unknown) => void>();
  const diagnosed = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  receive(server, (message) => {
    const { id, method } = message;
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = message.params as { uri: string; diagnostics: readonly Diagnostic[] };
      diagnosed.get(uri)?.(diagnostics);
    } else if (id === undefined) return;
    else if (method) send(server, { id, result: answerTo(method, message.params) });
    else answers.get(id)?.(message.result);
  });
  let asked = 0;
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      asked += 1;
      answers.set(asked, resolve);
      send(server, { id: asked, method, params });
    });
  await ask("initialize", { processId: process.pid, rootUri: String(pathToFileURL(folder)), capabilities });
  send(server, { method: "initialized", params: {} });

  let opened = 0;
  const open = async (marked: string) => {
    opened += 1;
    const uri = String(pathToFileURL(join(folder, `${opened}.yaml`)));
    const text = marked.replace("|", "");
    const diagnostics = new Promise<readonly Diagnostic[]>((resolve) => diagnosed.set(uri, resolve));
    send(server, {
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
    });
    return { at: { textDocument: { uri }, position: cursor(marked) }, diagnostics: await diagnostics };
  };
  return {
    complete: async (text) => {
      const list = await ask("textDocument/completion", (await open(text)).at);
      return (list as { items: readonly Completion[] }).items;
    },
    hover: async (text) => {
      const shown = await ask("textDocument/hover", (await open(text)).at);
      return (shown as { contents: { value: string } } | null)?.contents.value ?? "";
    },
    check: async (text) => (await open(text)).diagnostics,
    close: () => void server.kill(),
  };
}

const capabilities = {
  workspace: { configuration: true },
  textDocument: {
    hover: { contentFormat: ["markdown"] },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
  },
};

function answerTo(method: string, params: unknown): unknown {
  if (method !== "workspace/configuration") return null;
  const { items } = params as { items: readonly { section?: string }[] };
  return items.map(({ section }) => (section === "yaml" ? settings.yaml : null));
}

function cursor(marked: string): Position {
  const lines = marked.slice(0, Math.max(0, marked.indexOf("|"))).split("\n");
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function send({ stdin }: ChildProcess, message: Message): void {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function receive({ stdout }: ChildProcess, take: (message: Message) => void): void {
  let buffer = Buffer.alloc(0);
  stdout?.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const start = buffer.indexOf("\r\n\r\n") + 4;
      const length = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(0, start)).toString())?.[1]);
      if (start < 4 || !(buffer.length >= start + length)) return;
      take(JSON.parse(buffer.subarray(start, start + length).toString()));
      buffer = buffer.subarray(start + length);
    }
  });
}
