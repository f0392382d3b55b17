import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "../base/json.ts";
import { malformed, type ServerReply, tooLarge } from "./reply.ts";

export type ReadBody = { readonly raw: JsonObject; readonly isJson: boolean } | { readonly refusal: ServerReply };

/** The size limit of a body in bytes. */
const limit = 1024 * 1024;

/** Reads the parameters of a request from its body: JSON, form fields, or multipart form fields. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const type = request.headers["content-type"] ?? "";
  const body = await collect(request);
  if (!body) return { refusal: tooLarge };
  if (body.length === 0) return { raw: {}, isJson: type.includes("json") };
  try {
    if (type.includes("json")) return jsonFields(body.toString());
    if (type.includes("multipart/form-data")) return { raw: await multipartFields(body, type), isJson: false };
    return { raw: formFields(body.toString()), isJson: false };
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

/** Fields of a query or a form. */
export function formFields(text: string): JsonObject {
  return text === "" ? {} : Object.fromEntries(new URLSearchParams(text));
}

async function multipartFields(body: Buffer, type: string): Promise<JsonObject> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
}
