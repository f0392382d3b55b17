import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parsedJson } from "../base/json.ts";
import { cannotListen, hostAndPort } from "../base/system-errors.ts";
import { decidePush, isGenuine } from "./checkout.ts";
import type { Clock } from "./clock.ts";
import type { WatchStatus } from "./options.ts";

export interface ServiceOptions {
  readonly port: number;
  readonly host: string;
  /** The secret of webhooks; without one they are rejected. */
  readonly secret: string | undefined;
  readonly status: WatchStatus;
  readonly clock: Clock;
  readonly metrics: () => string;
  readonly branch: () => string | undefined;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
}

const mostBytes = 2 ** 20;

const mostConnections = 256;

/** Pushes within this many milliseconds are checked together. */
const settling = 1000;

interface Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function serveWatch(options: ServiceOptions): Promise<Service> {
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 };
  const server = createServer(limits, (request, response) => {
    answer(request, options)
      .catch((): Answer => ({ status: 500, body: { error: "internal error" } }))
      .then((found) => send(request, response, found));
  });
  limitConnections(server);
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

type Handler = (request: IncomingMessage, options: ServiceOptions) => Promise<Answer> | Answer;

const routes: Readonly<Record<string, { readonly methods: readonly string[]; readonly handler: Handler }>> = {
  "/healthz": { methods: ["GET", "HEAD"], handler: (_, options) => health(options) },
  "/metrics": { methods: ["GET", "HEAD"], handler: (_, { metrics }) => ({ status: 200, body: `${metrics()}\n` }) },
  "/hooks/push": { methods: ["POST"], handler: push },
};

async function answer(request: IncomingMessage, options: ServiceOptions): Promise<Answer> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return { status: 404, body: { error: "expected /hooks/push, /healthz or /metrics" } };
  if (route.methods.includes(request.method ?? "")) return route.handler(request, options);
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

async function push(request: IncomingMessage, options: ServiceOptions): Promise<Answer> {
  const { secret, status, clock, branch } = options;
  if (secret === undefined) return { status: 403, body: { error: "hooks are off: EVENKEEL_HOOK_SECRET is not set" } };
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = request.headers;
  const isUnknown = token === undefined ? signature === undefined : !isGenuine(request.headers, nothing, secret);
  if (isUnknown) return { status: 401, body: { error: wrongSecret } };
  const body = await readBody(request);
  if (!body) {
    const error = `expected at most ${mostBytes} bytes`;
    return { status: 413, body: { error }, headers: { connection: "close" } };
  }
  if (!isGenuine(request.headers, body, secret)) return { status: 401, body: { error: wrongSecret } };
  const checkout = { branch: branch(), checked: status.checked() };
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
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > mostBytes) return undefined;
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

/** Closes the oldest connection when there are too many, so that idle ones keep nobody out. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > mostConnections) oldest?.destroy();
  });
}
