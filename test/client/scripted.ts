import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";
import { type ClientOptions, type Closing, connectReader, connectWriter } from "../../src/client/client.ts";
import type { CallFailed } from "../../src/client/failure.ts";
import { atEnd } from "../support/ending.ts";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as it is where it is a string or bytes, else as JSON. */
  readonly body?: unknown;
  /** `reset` before an answer, `cut` in the middle of one, `hang`: never answer. */
  readonly fault?: "reset" | "cut" | "hang";
  /** Waited for before the answer. */
  readonly after?: Promise<void>;
}

export type Script = (seen: Seen, index: number) => Scripted;

export interface Server {
  readonly url: string;
  readonly seen: Seen[];
  most: number;
  /** How often it was asked for its version. */
  versions: number;
}

export const token = "glpat-CANARY-0123456789";

/**
 * A real server on loopback that answers by script, and is gone after the test. Asked for its version, which no plan
 * counts, it says this one, has none, or never answers where that is `silent`; it is not among what was seen.
 */
export async function serve(script: Script | readonly Scripted[], version?: string): Promise<Server> {
  const answer: Script =
    typeof script === "function" ? script : (_, index) => script[Math.min(index, script.length - 1)] ?? {};
  const seen: Seen[] = [];
  const server: Server = { url: "", seen, most: 0, versions: 0 };
  let inFlight = 0;
  const listener = http.createServer(async (request, response) => {
    server.most = Math.max(server.most, ++inFlight);
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.url === "/api/v4/version") {
      inFlight--;
      server.versions++;
      if (version === "silent") return;
      reply(response, request.socket, version === undefined ? noVersion : { body: { version } });
      return;
    }
    const entry = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    seen.push(entry);
    const scripted = answer(entry, seen.length - 1);
    await scripted.after;
    inFlight--;
    reply(response, request.socket, scripted);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  atEnd(async () => {
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  });
  return Object.assign(server, { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}` });
}

const noVersion: Scripted = { status: 404, body: { error: "404 Not Found" } };

function reply(response: http.ServerResponse, socket: Socket, { status = 200, headers, body, fault }: Scripted): void {
  if (fault === "hang") return;
  if (fault === "reset") {
    socket.resetAndDestroy();
    return;
  }
  const text =
    typeof body === "string" || Buffer.isBuffer(body) ? body : body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  if (fault !== "cut") {
    response.end(text);
    return;
  }
  response.write(text.slice(0, text.length / 2), () => socket.destroy());
}

/** A server that answers every connection's first bytes with these bytes. */
export async function serveBytes(bytes: Buffer, connections: { count: number } = { count: 0 }): Promise<string> {
  const sockets = new Set<Socket>();
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      connections.count++;
      socket.end(bytes);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

/** A port on which nobody listens, nor will until the test ends: it is the near end of a connection. */
export async function closedPort(): Promise<number> {
  const listener = net.createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const socket = net.connect(port, "127.0.0.1");
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  atEnd(() => {
    listener.close();
    socket.destroy();
  });
  return socket.localPort ?? 0;
}

const quick = { token, concurrency: 4, requestTimeout: 60_000, backoff: { base: 1, cap: 4, attempts: 4 } };

export async function reader(url: string, options: Partial<ClientOptions> = {}) {
  return ended(await connectReader({ ...quick, url, ...options }));
}

export async function writer(url: string, options: Partial<ClientOptions> = {}) {
  return ended(await connectWriter({ ...quick, url, ...options }));
}

/** A scripted server, and a client that only reads from it. */
export async function reading(script: Parameters<typeof serve>[0], options?: Partial<ClientOptions>) {
  const server = await serve(script);
  return { server, client: await reader(server.url, options) };
}

export async function writing(script: Parameters<typeof serve>[0], options?: Partial<ClientOptions>) {
  const server = await serve(script);
  return { server, client: await writer(server.url, options) };
}

function ended<Client extends Closing>(client: Client): Client {
  atEnd(() => client.close());
  return client;
}

export async function failureOf(promise: Promise<unknown>): Promise<CallFailed> {
  const result = await promise.then(
    (value) => ({ value }),
    (error: CallFailed) => ({ error }),
  );
  if ("error" in result) return result.error;
  throw new Error(`expected a failure, got ${JSON.stringify(result.value)}`);
}
