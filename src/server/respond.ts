import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isObject, type JsonObject } from "../base/json.ts";
import { auditWrite } from "./audit-events.ts";
import { type Chaos, injectFault } from "./chaos.ts";
import { handle, type RoutedRequest } from "./handlers.ts";
import { handleKind } from "./kind-handlers.ts";
import {
  broken,
  json,
  malformed,
  notAllowed,
  refused,
  type ServerReply,
  tooLarge,
  unauthorized,
  unknownRoute,
} from "./reply.ts";
import type { WritableLog } from "./request-log.ts";
import { type Match, type Router, routes } from "./routes.ts";
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
  const reply = isLost
    ? undefined
    : await whenPersisted(context, await replyTo(parts, request, { path, query, token }));
  if (latency > 0) await delay(latency);
  const { "private-token": _, authorization: __, ...shown } = headers;
  const status = fault ? injectFault(fault, reply, response) : send(response, reply ?? broken);
  log.add({ method, path, query, status, headers: shown });
}

/** Waits until the state is persisted: also for reads, which may contain unpersisted data. */
async function whenPersisted({ state }: ServerContext, reply: ServerReply): Promise<ServerReply> {
  try {
    const settled = state.store.settled();
    if (settled) await settled;
    return reply;
  } catch (error) {
    return refused(500, `Internal Server Error: ${error instanceof Error ? error.message : "the data was not stored"}`);
  }
}

interface SplitUrl {
  readonly path: string;
  /** Query without the token, which must not be in the log or in links to other pages. */
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
  if (typeof match === "string") return replyForKind(parts, request, match, { path, query, token });
  const caller = findCaller(parts.context, request, token);
  if (!caller) return unauthorized;
  const asked = { ...match, caller, address: `http://${request.headers.host}${path}` };
  return routes[match.endpoint].body
    ? answerBody(parts.context, asked, query, request)
    : handle(parts.context, { ...asked, raw: formFields(query) });
}

/** A path outside the specification may belong to a kind of resource. */
async function replyForKind(
  { context }: Parts,
  request: IncomingMessage,
  otherwise: "unknown" | "method",
  { path, query, token }: SplitUrl,
): Promise<ServerReply> {
  const method = request.method ?? "GET";
  const match = context.kinds.route(method, path.slice(prefix.length));
  if (typeof match === "string") return [match, otherwise].includes("method") ? notAllowed : unknownRoute;
  const caller = findCaller(context, request, token);
  if (!caller) return unauthorized;
  const read = await readBody(request, nestedFormFields);
  const [body, unreadable] = "refusal" in read ? [{}, read.refusal] : [read.raw, undefined];
  const address = `http://${request.headers.host}${path}`;
  const unmodifiedSince = parseTime(request.headers["if-unmodified-since"]);
  const asked = { match, method, caller, query: formFields(query), body, unreadable, address, unmodifiedSince };
  const reply = handleKind(context, asked);
  auditWrite(context, { method, path: path.slice(prefix.length), caller, raw: body, reply });
  return reply;
}

/** An invalid time is ignored. */
function parseTime(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function findCaller(
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
    unreadable: findRefusal(context, asked, read),
  });
}

function findRefusal({ behaviour }: ServerContext, { endpoint }: Match, read: ReadBody): ServerReply | undefined {
  if ("refusal" in read) return read.refusal;
  const isFit = read.isJson || behaviour.movesTakeForms || routes[endpoint].body !== "json";
  return isFit ? undefined : needsJson;
}

function send(response: ServerResponse, { status, body, headers }: ServerReply): number {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  return status;
}

type ReadBody = { readonly raw: JsonObject; readonly isJson: boolean } | { readonly refusal: ServerReply };

/** The size limit of a body in bytes. */
const limit = 1024 * 1024;

/** Reads the parameters of a request from its body: JSON, form fields, or multipart form fields. */
async function readBody(request: IncomingMessage, formOf = formFields): Promise<ReadBody> {
  const type = request.headers["content-type"] ?? "";
  const body = await collect(request);
  if (!body) return { refusal: tooLarge };
  if (body.length === 0) return { raw: {}, isJson: type.includes("json") };
  try {
    if (type.includes("json")) return jsonFields(body.toString());
    if (type.includes("multipart/form-data")) return { raw: await multipartFields(body, type), isJson: false };
    return { raw: formOf(body.toString()), isJson: false };
  } catch {
    return { refusal: malformed };
  }
}

async function collect(request: IncomingMessage): Promise<Buffer | undefined> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= limit) chunks.push(chunk as Buffer);
  }
  return size > limit ? undefined : Buffer.concat(chunks);
}

function jsonFields(text: string): ReadBody {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? { raw: value, isJson: true } : { refusal: malformed };
}

/**
 * Fields of a query or a form. Fields with a name ending in `[]` are the items of a list; one empty item means an empty
 * list.
 */
function formFields(text: string): JsonObject {
  if (text === "") return {};
  const form = new URLSearchParams(text);
  const fields = [...form].map(([name, value]) =>
    name.endsWith("[]")
      ? ([name.slice(0, -2), form.getAll(name).filter((item) => item !== "")] as const)
      : ([name, value] as const),
  );
  return Object.fromEntries(fields);
}

/** Fields of a form with lists and mappings in them: `a[]=1`, `a[b]=1`, `a[][b]=1`. */
function nestedFormFields(text: string): JsonObject {
  const all: Mutable = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [, first = name, rest = ""] = /^([^[]*)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    nest(
      all,
      first,
      Array.from(rest.matchAll(/\[([^\]]*)\]/g), ([, key = ""]) => key),
      value,
    );
  }
  return all;
}

type Mutable = Record<string, unknown>;

function nest(into: Mutable, key: string, rest: readonly string[], value: string): void {
  const [next, ...further] = rest;
  if (next === undefined) into[key] = value;
  else if (next === "") into[key] = appendToList(Array.isArray(into[key]) ? into[key] : [], further, value);
  else nest(openMapping(into, key), next, further, value);
}

function openMapping(into: Mutable, key: string): Mutable {
  const known = into[key];
  const mapping: Mutable = isObject(known) ? known : {};
  into[key] = mapping;
  return mapping;
}

/** Starts a new item when its first key repeats. */
function appendToList(list: unknown[], [key, ...rest]: readonly string[], value: string): unknown[] {
  if (key === undefined) return value === "" ? list : [...list, value];
  const last = list.at(-1);
  const isNew = !isObject(last) || key in last;
  const item: Mutable = isNew ? {} : (last as Mutable);
  nest(item, key, rest, value);
  return isNew ? [...list, item] : list;
}

async function multipartFields(body: Buffer, type: string): Promise<JsonObject> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}
