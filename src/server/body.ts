import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "../base/json.ts";
import { malformed, type ServerReply, tooLarge } from "./reply.ts";

export type ReadBody = { readonly raw: JsonObject; readonly isJson: boolean } | { readonly refusal: ServerReply };

/** The size limit of a body in bytes. */
const limit = 1024 * 1024;

/** Reads the parameters of a request from its body: JSON, form fields, or multipart form fields. */
export async function readBody(request: IncomingMessage, formOf = formFields): Promise<ReadBody> {
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

/** Fields of a query or a form; those whose name ends with `[]` are the items of a list, which one empty item empties. */
export function formFields(text: string): JsonObject {
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
export function nestedFormFields(text: string): JsonObject {
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
  else if (next === "") into[key] = listWith(Array.isArray(into[key]) ? into[key] : [], further, value);
  else nest(mappingAt(into, key), next, further, value);
}

function mappingAt(into: Mutable, key: string): Mutable {
  const known = into[key];
  const mapping: Mutable = isObject(known) ? known : {};
  into[key] = mapping;
  return mapping;
}

/** An item begins where its first key comes again. */
function listWith(list: unknown[], [key, ...rest]: readonly string[], value: string): unknown[] {
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
