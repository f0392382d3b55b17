import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exit, Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import type { Clock } from "./clock.ts";
import type { WatchStatus } from "./options.ts";
import { type Checkout, isGenuine, judgePush } from "./push.ts";

/** What a watcher answers: pushes, and how it fares. */
export interface ServiceOptions {
  readonly port: number;
  readonly host: string;
  /** What hooks have to know; without one they are refused. */
  readonly secret: string | undefined;
  readonly status: WatchStatus;
  readonly clock: Clock;
  readonly metrics: () => string;
  /** What is known of the checkout at the time. */
  readonly checkout: () => Promise<Checkout>;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
}

/** Bytes of the largest body that a hook may send. */
const mostBytes = 10 * 1024 * 1024;

/** Milliseconds for pushes that come together to be looked at as one. */
const settling = 1000;

interface Answer {
  readonly status: number;
  readonly body: object | string;
  readonly allow?: string;
}

/** Listens until it is disposed of. @throws Refusal (64) where it cannot. */
export async function serveWatch(options: ServiceOptions): Promise<Service> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(request, options)
      .catch((): Answer => ({ status: 500, body: { error: "internal error" } }))
      .then((found) => send(request, response, found));
  });
  server.maxConnections = 256;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Refusal(unusable(options, error), exit.usage)));
    server.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function unusable({ host, port }: ServiceOptions, error: Error): string {
  return `cannot listen on ${host}, port ${port}: ${systemTrouble(error)}`;
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
  return { status: 405, body: { error: `expected ${route.methods.join(" or ")}` }, allow: route.methods.join(", ") };
}

/** Whoever stands by is well; whoever should have looked is not. */
function health({ status: { standby, late }, clock }: ServiceOptions): Answer {
  if (standby) return { status: 200, body: { status: "standby", watcher: standby.run, host: standby.host } };
  if (late === undefined) return { status: 200, body: { status: "starting" } };
  const overdue = clock.now() > late;
  return { status: overdue ? 503 : 200, body: { status: overdue ? "overdue" : "watching" } };
}

async function push(request: IncomingMessage, options: ServiceOptions): Promise<Answer> {
  const { secret, status, clock } = options;
  if (secret === undefined) return { status: 403, body: { error: "hooks are off: EVENKEEL_HOOK_SECRET is not set" } };
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = request.headers;
  const isUnknown = token === undefined ? signature === undefined : !isGenuine(request.headers, nothing, secret);
  if (isUnknown) return { status: 401, body: { error: wrongSecret } };
  const body = await bodyOf(request);
  if (!body) return { status: 413, body: { error: `expected at most ${mostBytes} bytes` } };
  if (!isGenuine(request.headers, body, secret)) return { status: 401, body: { error: wrongSecret } };
  const { commit, ...decision } = judgePush(request.headers, parsed(body), await options.checkout());
  if (decision.look) {
    status.push = { at: status.push?.at ?? clock.now() + settling, ...(commit !== undefined && { commit }) };
    status.wake();
  }
  return { status: 202, body: decision };
}

/** A secret that is said outright is judged before anything is read. */
const nothing = Buffer.alloc(0);

const wrongSecret = "wrong or missing secret";

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, body, allow }: Answer): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/plain; version=0.0.4; charset=utf-8" : "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(allow && { allow }),
    ...(status === 413 && { connection: "close" }),
  });
  response.end(method === "HEAD" ? undefined : isText ? body : `${JSON.stringify(body)}\n`);
}
