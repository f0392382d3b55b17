import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isObject, type JsonObject } from "../base/json.ts";
import { type Chaos, injectFault } from "./chaos.ts";
import { broken, malformed, refused, type ServerReply, send, tooLarge, unauthorized, unknownRoute } from "./reply.ts";
import type { WritableLog } from "./request-log.ts";
import type { Router } from "./routes.ts";
import type { ServerContext, ServerRequest } from "./server-context.ts";

interface Parts {
  readonly context: ServerContext;
  readonly route: Router;
  readonly log: WritableLog;
  readonly chaos: Chaos;
  /** Milliseconds. */
  readonly latency: number;
}

const prefix = "/api/v4";

export function createResponder(parts: Parts): RequestListener {
  return (request, response) => {
    respond(parts, request, response).catch(() => response.destroy());
  };
}

async function respond(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { context, log, chaos, latency } = parts;
  const { method = "GET", headers } = request;
  const url = splitUrl(request.url ?? "/");
  const fault = chaos(method, url.path);
  const isLost = fault && !fault.acted;
  const reply = isLost ? undefined : await whenPersisted(context, await replyTo(parts, request, url));
  if (latency > 0) await delay(latency);
  const { "private-token": _, authorization: __, ...shown } = headers;
  const status = fault ? injectFault(fault, reply, response) : send(response, reply ?? broken);
  log.add({ method, path: url.path, query: url.search, status, headers: shown });
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
  readonly search: string;
  readonly token: string | undefined;
}

const tokenParameters = ["private_token", "access_token"] as const;

function splitUrl(url: string): SplitUrl {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, search: "", token: undefined };
  const [path, search] = [url.slice(0, mark), url.slice(mark + 1)];
  const fields = new URLSearchParams(search);
  const token = tokenParameters.map((name) => fields.get(name)).find((value) => value !== null);
  if (token === undefined) return { path, search, token };
  for (const name of tokenParameters) fields.delete(name);
  return { path, search: String(fields), token: token ?? undefined };
}

async function replyTo({ context, route }: Parts, incoming: IncomingMessage, url: SplitUrl): Promise<ServerReply> {
  if (!url.path.startsWith(`${prefix}/`)) return unknownRoute;
  const { method = "GET", headers } = incoming;
  const path = url.path.slice(prefix.length);
  const match = route(method, path);
  if ("status" in match) return match;
  const token = headers["private-token"] ?? headers.authorization?.replace(/^Bearer /i, "") ?? url.token;
  const caller = typeof token === "string" ? context.state.token.get(token) : undefined;
  if (!caller) return unauthorized;
  const unmodifiedSince = Date.parse(headers["if-unmodified-since"] ?? "");
  return match.answer(context, {
    method,
    path,
    address: `http://${headers.host}${url.path}`,
    search: url.search,
    caller,
    segments: match.segments,
    query: formFields(url.search),
    ...(method === "GET" || method === "HEAD" ? noBody : await readBody(incoming)),
    unmodifiedSince: Number.isNaN(unmodifiedSince) ? undefined : unmodifiedSince,
  });
}

type ReadBody = Pick<ServerRequest, "body" | "isJson" | "unreadable">;

const noBody: ReadBody = { body: {}, isJson: false };

/** The size limit of a body in bytes. */
const limit = 1024 * 1024;

/** Reads the parameters of a request from its body: JSON, form fields, or multipart form fields. */
async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const type = request.headers["content-type"] ?? "";
  const isJson = type.includes("json");
  const content = await collect(request);
  if (!content) return { ...noBody, unreadable: tooLarge };
  if (content.length === 0) return { ...noBody, isJson };
  try {
    if (type.includes("multipart/form-data")) return { ...noBody, body: await multipartFields(content, type) };
    const body: unknown = isJson ? JSON.parse(content.toString()) : formFields(content.toString());
    return isObject(body) ? { body, isJson } : { ...noBody, unreadable: malformed };
  } catch {
    return { ...noBody, unreadable: malformed };
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

/**
 * Fields of a query or a form, with lists and mappings in them: `a[]=1`, `a[b]=1`, `a[][b]=1`. One empty item means an
 * empty list.
 */
function formFields(text: string): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of text === "" ? [] : new URLSearchParams(text)) {
    const [, first = name, rest = ""] = /^([^[]*)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    const keys = Array.from(rest.matchAll(/\[([^\]]*)\]/g), ([, key = ""]) => key);
    fields[first] = withValue(fields[first], keys, value);
  }
  return fields;
}

/** A list or a mapping with one more value. A list starts a new item when its first key repeats. */
function withValue(known: unknown, [key, ...keys]: readonly string[], value: string): unknown {
  if (key === undefined) return value;
  if (key !== "") {
    const mapping = isObject(known) ? known : {};
    return { ...mapping, [key]: withValue(mapping[key], keys, value) };
  }
  const list: readonly unknown[] = Array.isArray(known) ? known : [];
  const [first] = keys;
  if (first === undefined) return value === "" ? list : [...list, value];
  const last = list.at(-1);
  const isNew = !isObject(last) || first in last;
  return [...(isNew ? list : list.slice(0, -1)), withValue(isNew ? undefined : last, keys, value)];
}

async function multipartFields(body: Buffer, type: string): Promise<JsonObject> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}
