import { knownSecrets } from "../base/known-secrets.ts";
import type { Call, Plain, Value } from "../model/types.ts";
import { isList, isScalar, replaceReferences } from "../model/values.ts";
import type { ClientOptions } from "./options.ts";

/** A call as it goes on the wire, but for its origin and headers. */
export interface WireRequest {
  readonly method: Call["method"];
  /** Prefix, path and query. */
  readonly target: string;
  readonly body?: string;
  readonly type?: "form" | "json";
}

/** Parameters with their secrets resolved. It lives no longer than the request. */
type PlainParameters = Readonly<Record<string, Plain>>;

/** Writes a call: in the query of a GET or DELETE, in the body of the others, as form fields or as JSON (spec). */
export function encode(
  { method, body: type = "form" }: Call,
  target: string,
  plain: PlainParameters | undefined,
): WireRequest {
  if (!plain) return { method, target };
  if (method === "GET" || method === "DELETE") {
    return { method, target: withQuery(target, plain) };
  }
  return { method, target, type, body: type === "json" ? JSON.stringify(plain) : formOf(plain) };
}

/** A target with parameters beside those of its own query, which stay as they are: a link to a next page repeats them. */
function withQuery(target: string, plain: PlainParameters): string {
  if (!target.includes("?")) return joined(target, "?", formOf(plain));
  const [, own] = target.split("?");
  const names = new Set(new URLSearchParams(own).keys());
  const others = Object.entries(plain).filter(([name]) => !names.has(name));
  return joined(target, "&", formOf(Object.fromEntries(others)));
}

function joined(target: string, by: string, query: string): string {
  return query ? `${target}${by}${query}` : target;
}

function formOf(plain: PlainParameters): string {
  let form = "";
  for (const name in plain) {
    for (const [word, value] of pairsOf(name, plain[name] ?? null))
      form += `${form && "&"}${formWord(word)}=${formWord(value)}`;
  }
  return form;
}

/** As forms encode it. Most words stand for themselves. */
function formWord(text: string): string {
  return /^[\w*.-]*$/.test(text) ? text : new URLSearchParams([["", text]]).toString().slice(1);
}

/**
 * true and false in words, null as an empty field; the items of a list as `name[]`, the values of a mapping as
 * `name[key]`. An empty list or mapping is one empty field.
 */
function pairsOf(name: string, value: Plain): [string, string][] {
  if (isScalar(value)) return [[name, String(value ?? "")]];
  const inside = Object.entries(value).map(([key, each]) => pairsOf(`${name}[${isList(value) ? "" : key}]`, each));
  if (inside.length === 0) return [[isList(value) ? `${name}[]` : name, ""]];
  return inside.flat();
}

type Secrets = ClientOptions["secrets"];

/** The parameters of a call with their secrets resolved; these are redacted from then on. @throws SecretMissing. */
export function resolvedParameters({ method, parameters }: Call, secrets: Secrets): PlainParameters | undefined {
  if (!parameters) return undefined;
  const plain: Record<string, Plain> = {};
  for (const name in parameters) plain[name] = plainValue(method, parameters[name] ?? null, secrets);
  return plain;
}

function plainValue(method: Call["method"], value: Value, secrets: Secrets): Plain {
  if (isScalar(value)) return value;
  const resolved = replaceReferences(value, (reference) => {
    if (!secrets || method === "GET" || method === "DELETE") throw new RangeError(`${method} carries no secret`);
    const secret = secrets.resolve(reference);
    knownSecrets.learn(secret, reference.secret);
    return secret;
  });
  return resolved ?? null;
}
