import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { formFields, nestedFormFields, type ReadBody, readBody } from "./body.ts";
import type { Chaos } from "./chaos.ts";
import { injectFault } from "./chaos.ts";
import { handle, type RoutedRequest } from "./handlers.ts";
import { handleKind } from "./kind-handlers.ts";
import { broken, json, notAllowed, type ServerReply, unauthorized, unknownRoute } from "./reply.ts";
import type { WritableLog } from "./request-log.ts";
import type { Match, Router } from "./routes.ts";
import { routes } from "./routes.ts";
import type { ServerContext } from "./server-context.ts";
import type { Caller } from "./state.ts";

interface Parts {
  readonly context: ServerContext;
  readonly route: Router;
  readonly log: WritableLog;
  readonly chaos: Chaos;
  /** Milliseconds. */
  readonly latency: number;
}

const prefix = "/api/v4";

const needsJson = json(415, { error: "415 Unsupported Media Type: application/json is needed" });

/** The request listener of node:http. */
export function createResponder(parts: Parts): RequestListener {
  return (request, response) => {
    respond(parts, request, response).catch(() => response.destroy());
  };
}

async function respond(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { context, log, chaos, latency } = parts;
  const { method = "GET", headers } = request;
  const { path, query, token } = split(request.url ?? "/");
  const fault = chaos(method, path);
  const isLost = fault && !fault.acted;
  const reply = isLost ? undefined : await kept(context, await replyTo(parts, request, { path, query, token }));
  if (latency > 0) await delay(latency);
  const { "private-token": _, authorization: __, ...shown } = headers;
  const status = fault ? injectFault(fault, reply, response) : send(response, reply ?? broken);
  log.add({ method, path, query, status, headers: shown });
}

/** Writes are answered once they are persisted, and so are reads, which may contain unpersisted data. */
async function kept({ state }: ServerContext, reply: ServerReply): Promise<ServerReply> {
  try {
    const settled = state.store.settled();
    if (settled) await settled;
    return reply;
  } catch {
    return broken;
  }
}

interface SplitUrl {
  readonly path: string;
  /** Without the token, so that neither the log nor links to other pages contain it. */
  readonly query: string;
  readonly token: string | undefined;
}

const tokenParameters = ["private_token", "access_token"] as const;

function split(url: string): SplitUrl {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, query: "", token: undefined };
  const [path, query] = [url.slice(0, mark), url.slice(mark + 1)];
  const fields = new URLSearchParams(query);
  const token = tokenParameters.map((name) => fields.get(name)).find((value) => value !== null);
  if (token === undefined) return { path, query, token };
  for (const name of tokenParameters) fields.delete(name);
  return { path, query: String(fields), token: token ?? undefined };
}

async function replyTo(parts: Parts, request: IncomingMessage, { path, query, token }: SplitUrl): Promise<ServerReply> {
  if (!path.startsWith(`${prefix}/`)) return unknownRoute;
  const method = request.method ?? "GET";
  const match = parts.route(method, path.slice(prefix.length));
  if (typeof match === "string") return replyOfKind(parts, request, match, { path, query, token });
  const caller = callerOf(parts.context, request, token);
  if (!caller) return unauthorized;
  const unmodifiedSince = timeIn(request.headers["if-unmodified-since"]);
  const asked = { ...match, caller, unmodifiedSince, address: `http://${request.headers.host}${path}` };
  return routes[match.endpoint].body
    ? answerBody(parts.context, asked, query, request)
    : handle(parts.context, { ...asked, raw: formFields(query) });
}

/** A path that is none of the specification may be one of a kind of resource. */
async function replyOfKind(
  { context }: Parts,
  request: IncomingMessage,
  otherwise: "unknown" | "method",
  { path, query, token }: SplitUrl,
): Promise<ServerReply> {
  const method = request.method ?? "GET";
  const match = context.kinds.route(method, path.slice(prefix.length));
  if (typeof match === "string") return [match, otherwise].includes("method") ? notAllowed : unknownRoute;
  const caller = callerOf(context, request, token);
  if (!caller) return unauthorized;
  const read = await readBody(request, nestedFormFields);
  const [body, unreadable] = "refusal" in read ? [{}, read.refusal] : [read.raw, undefined];
  const address = `http://${request.headers.host}${path}`;
  return handleKind(context, { match, method, caller, query: formFields(query), body, unreadable, address });
}

/** An invalid time is ignored. */
function timeIn(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function callerOf(
  { state }: ServerContext,
  { headers }: IncomingMessage,
  inQuery: string | undefined,
): Caller | undefined {
  const token = headers["private-token"] ?? headers.authorization?.replace(/^Bearer /i, "") ?? inQuery;
  return typeof token === "string" ? state.tokens.get(token) : undefined;
}

async function answerBody(
  context: ServerContext,
  asked: Omit<RoutedRequest, "raw"> & Match,
  query: string,
  request: IncomingMessage,
): Promise<ServerReply> {
  const read = await readBody(request);
  const raw = "refusal" in read ? {} : read.raw;
  return handle(context, {
    ...asked,
    raw: { ...formFields(query), ...raw },
    unreadable: refusalOf(context, asked, read),
  });
}

function refusalOf({ behaviour }: ServerContext, { endpoint }: Match, read: ReadBody): ServerReply | undefined {
  if ("refusal" in read) return read.refusal;
  const isFit = read.isJson || behaviour.movesTakeForms || routes[endpoint].body !== "json";
  return isFit ? undefined : needsJson;
}

function send(response: ServerResponse, { status, body, headers }: ServerReply): number {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  return status;
}
