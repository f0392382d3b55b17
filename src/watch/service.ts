import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { parsedJson } from "../base/json.ts";
import { cannotListen, hostAndPort } from "../base/system-errors.ts";
import { decidePush, isGenuine } from "./checkout.ts";
import type { Clock, WatchStatus } from "./options.ts";

interface ServiceOptions {
  readonly port: number;
  readonly host: string;
  /** The secret of webhooks; without one they are rejected. */
  readonly secret: string | undefined;
  readonly status: WatchStatus;
  readonly clock: Clock;
  readonly metrics: () => string;
  readonly branch: () => string | undefined;
}

export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Serves an app; slow and idle connections are closed. @throws UserError if it cannot listen. */
export async function listen(app: Hono, host: string, port: number): Promise<Listening> {
  const serverOptions = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 };
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server;
  await once(server.listen(port, host), "listening").catch((error) => {
    throw cannotListen(host, port, error);
  });
  return {
    url: `http://${hostAndPort(host, (server.address() as AddressInfo).port)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const mostBytes = 2 ** 20;

/** Pushes within this many milliseconds are checked together. */
const settling = 1000;

export function serveWatch(options: ServiceOptions): Promise<Listening> {
  const app = new Hono();
  app.use(async ({ header }, next) => {
    header("cache-control", "no-store");
    header("x-content-type-options", "nosniff");
    await next();
  });
  app.get("/healthz", (context) => health(context, options));
  app.get("/metrics", ({ body }) =>
    body(`${options.metrics()}\n`, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
  app.post("/hooks/push", headersGate(options), sizeGate, (context) => push(context, options));
  app.notFound(({ json }) => json({ error: "expected GET /healthz, GET /metrics or POST /hooks/push" }, 404));
  app.onError((_, { json }) => json({ error: "internal error" }, 500));
  return listen(app, options.host, options.port);
}

/** A standby is healthy; a leader with an overdue check is not. */
function health({ json }: Context, { status: { standby, late }, clock }: ServiceOptions) {
  if (standby) return json({ status: "standby", watcher: standby.run, host: standby.host });
  if (late === undefined) return json({ status: "starting" });
  const overdue = clock.now() > late;
  return json({ status: overdue ? "overdue" : "watching" }, overdue ? 503 : 200);
}

const wrongSecret = { error: "wrong or missing secret" };

/** Verifies a secret in a header before the body is read. */
function headersGate({ secret }: ServiceOptions): MiddlewareHandler {
  return async ({ req, json }, next) => {
    if (secret === undefined) return json({ error: "hooks are off: EVENKEEL_HOOK_SECRET is not set" }, 403);
    const { "x-gitlab-token": token, "x-hub-signature-256": signature } = req.header();
    const isUnknown = token === undefined ? signature === undefined : !isGenuine(req.header(), Buffer.alloc(0), secret);
    return isUnknown ? json(wrongSecret, 401) : next();
  };
}

const sizeGate = bodyLimit({
  maxSize: mostBytes,
  onError: ({ json }) => json({ error: `expected at most ${mostBytes} bytes` }, 413, { connection: "close" }),
});

async function push({ req, json }: Context, { secret = "", status, clock, branch }: ServiceOptions) {
  const body = Buffer.from(await req.arrayBuffer());
  if (!isGenuine(req.header(), body, secret)) return json(wrongSecret, 401);
  const checkout = { branch: branch(), checked: status.checked() };
  const { commit, project, ...decision } = decidePush(req.header(), parsedJson(body.toString("utf8")), checkout);
  if (decision.check) {
    const waiting = status.push;
    // If any event concerns everything, the check is not limited to projects.
    const isLimited = project !== undefined && (!waiting || waiting.projects !== undefined);
    status.push = {
      at: waiting?.at ?? clock.now() + settling,
      ...(commit !== undefined && { commit }),
      ...(isLimited && { projects: [...new Set([...(waiting?.projects ?? []), ...project])] }),
    };
    status.wake();
  }
  return json(decision, 202);
}
