import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parsedJson } from "../base/json.ts";
import { cannotListen, hostAndPort } from "../base/system-errors.ts";
import { type Checkout, decidePush, isGenuine } from "./checkout.ts";
import type { Clock } from "./clock.ts";
import type { WatchStatus } from "./options.ts";

/** The HTTP service of a watcher: push webhooks, health and metrics. */
export interface ServiceOptions {
  readonly port: number;
  readonly host: string;
  /** The secret of webhooks; without one they are rejected. */
  readonly secret: string | undefined;
  readonly status: WatchStatus;
  readonly clock: Clock;
  readonly metrics: () => string;
  /** The current checkout. */
  readonly checkout: () => Promise<Checkout>;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
}

/** Maximum bytes of a body: if the sender sent the secret, and if its signature can only be verified afterwards. */
const [mostBytes, mostUnverified] = [10 * 2 ** 20, 2 ** 20];

/** Concurrent connections; see {@link limitConnections}. */
const mostConnections = 256;

/** Pushes within this many milliseconds are checked together. */
const settling = 1000;

interface Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Receiver extends ServiceOptions {
  readonly connections: Connections;
}

/** Listens until it is disposed of. @throws UserError if it cannot. */
export async function serveWatch(options: ServiceOptions): Promise<Service> {
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 };
  const server = createServer(limits, (request, response) => {
    answer(request, { ...options, connections })
      .catch((): Answer => ({ status: 500, body: { error: "internal error" } }))
      .then((found) => send(request, response, found));
  });
  const connections = limitConnections(server, mostConnections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(options.host, options.port, error)));
    server.listen(options.port, options.host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${hostAndPort(address, port)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Handler = (request: IncomingMessage, receiver: Receiver) => Promise<Answer> | Answer;

const routes: Readonly<Record<string, { readonly methods: readonly string[]; readonly handler: Handler }>> = {
  "/healthz": { methods: ["GET", "HEAD"], handler: (_, receiver) => health(receiver) },
  "/metrics": { methods: ["GET", "HEAD"], handler: (_, { metrics }) => ({ status: 200, body: `${metrics()}\n` }) },
  "/hooks/push": { methods: ["POST"], handler: push },
};

async function answer(request: IncomingMessage, receiver: Receiver): Promise<Answer> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return { status: 404, body: { error: "expected /hooks/push, /healthz or /metrics" } };
  if (route.methods.includes(request.method ?? "")) return route.handler(request, receiver);
  const headers = { allow: route.methods.join(", ") };
  return { status: 405, body: { error: `expected ${route.methods.join(" or ")}` }, headers };
}

/** A standby is healthy; a leader with an overdue check is not. */
function health({ status: { standby, late }, clock }: ServiceOptions): Answer {
  if (standby) return { status: 200, body: { status: "standby", watcher: standby.run, host: standby.host } };
  if (late === undefined) return { status: 200, body: { status: "starting" } };
  const overdue = clock.now() > late;
  return { status: overdue ? 503 : 200, body: { status: overdue ? "overdue" : "watching" } };
}

async function push(request: IncomingMessage, receiver: Receiver): Promise<Answer> {
  const { secret, status, clock, connections } = receiver;
  if (secret === undefined) return { status: 403, body: { error: "hooks are off: EVENKEEL_HOOK_SECRET is not set" } };
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = request.headers;
  const isUnknown = token === undefined ? signature === undefined : !isGenuine(request.headers, nothing, secret);
  if (isUnknown) return { status: 401, body: { error: wrongSecret } };
  if (token !== undefined) connections.keep(request.socket);
  const most = token === undefined ? mostUnverified : mostBytes;
  const body = await readBody(request, most);
  if (!body)
    return { status: 413, body: { error: `expected at most ${most} bytes` }, headers: { connection: "close" } };
  if (!isGenuine(request.headers, body, secret)) return { status: 401, body: { error: wrongSecret } };
  const checkout = { ...(await receiver.checkout()), checked: status.checked() };
  const { commit, project, ...decision } = decidePush(request.headers, parsedJson(body.toString("utf8")), checkout);
  if (decision.check) {
    status.push = {
      at: status.push?.at ?? clock.now() + settling,
      ...(commit !== undefined && { commit }),
      ...projectsOf(status.push, project),
    };
    status.wake();
  }
  return { status: 202, body: decision };
}

/** The projects to check; none if an event concerns everything. */
function projectsOf(
  waiting: WatchStatus["push"],
  project: readonly string[] | undefined,
): { readonly projects?: readonly string[] } {
  if (project === undefined || (waiting && !waiting.projects)) return {};
  return { projects: [...new Set([...(waiting?.projects ?? []), ...project])] };
}

/** A secret in a header is verified before the body is read. */
const nothing = Buffer.alloc(0);

const wrongSecret = "wrong or missing secret";

/** Undefined for a body that is too large or incomplete: the rest is not read. */
async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > most) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > most) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/plain; version=0.0.4; charset=utf-8" : "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(method === "HEAD" ? undefined : isText ? body : `${JSON.stringify(body)}\n`);
}

/** The open connections of a server. */
interface Connections {
  /** Exempts the connection of an authenticated client from the limit. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Limits the connections of a server. A new connection is always accepted: if there are too many, the slowest of the older
 * half of the unauthenticated ones is closed. So neither idle nor slow clients nor a burst of new ones block others.
 */
function limitConnections(server: Server, most: number): Connections {
  const unauthenticated = new Map<Socket, number>();
  server.on("connection", (socket) => {
    unauthenticated.set(socket, performance.now());
    socket.once("close", () => unauthenticated.delete(socket));
    if (unauthenticated.size > most) slowest(unauthenticated)?.destroy();
  });
  return { keep: (socket) => void unauthenticated.delete(socket) };
}

/** Compares bytes per millisecond; the oldest of equals comes first. `since` is in the order of connecting. */
function slowest(since: ReadonlyMap<Socket, number>): Socket | undefined {
  const now = performance.now();
  const older = [...since].slice(0, Math.ceil(since.size / 2));
  const rates = older.map(([socket, begun]) => socket.bytesRead / Math.max(1, now - begun));
  return older[rates.indexOf(Math.min(...rates))]?.[0];
}
