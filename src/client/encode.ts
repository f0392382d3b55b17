import { knownSecrets } from "../base/known-secrets.ts";
import type { Call, Plain, Value } from "../model/types.ts";
import { isList, isScalar, joinCredentials, replaceReferences } from "../model/values.ts";
import type { ClientOptions } from "./reader.ts";

export interface WireRequest {
  readonly method: Call["method"];
  readonly target: string;
  readonly body?: string;
  readonly type?: "form" | "json";
}

/** Parameters with their secrets resolved. They live no longer than the request. */
type PlainParameters = Readonly<Record<string, Plain>>;

/** Encodes a call: parameters in the query of a GET or DELETE, else in the body as form fields or JSON (spec). */
export function encode(
  { method, body: type = "form" }: Call,
  target: string,
  plain: PlainParameters | undefined,
): WireRequest {
  if (!plain) return { method, target };
  if (method === "GET" || method === "DELETE") {
    return { method, target: withQuery(target, plain) };
  }
  return { method, target, type, body: type === "json" ? JSON.stringify(plain) : encodeForm(plain) };
}

/** Appends parameters to the target's own query, which a link to a next page contains. */
function withQuery(target: string, plain: PlainParameters): string {
  if (!target.includes("?")) return appendQuery(target, "?", encodeForm(plain));
  const [, own] = target.split("?");
  const names = new Set(new URLSearchParams(own).keys());
  const others = Object.entries(plain).filter(([name]) => !names.has(name));
  return appendQuery(target, "&", encodeForm(Object.fromEntries(others)));
}

function appendQuery(target: string, by: string, query: string): string {
  return query ? `${target}${by}${query}` : target;
}

function encodeForm(plain: PlainParameters): string {
  let form = "";
  for (const name in plain) {
    for (const [word, value] of toPairs(name, plain[name] ?? null))
      form += `${form && "&"}${encodeFormWord(word)}=${encodeFormWord(value)}`;
  }
  return form;
}

function encodeFormWord(text: string): string {
  return /^[\w*.-]*$/.test(text) ? text : new URLSearchParams([["", text]]).toString().slice(1);
}

/** Items of a list are `name[]`, values of a mapping `name[key]`; an empty list or mapping is one empty field. */
function toPairs(name: string, value: Plain): [string, string][] {
  if (isScalar(value)) return [[name, String(value ?? "")]];
  const inside = Object.entries(value).map(([key, each]) => toPairs(`${name}[${isList(value) ? "" : key}]`, each));
  if (inside.length === 0) return [[isList(value) ? `${name}[]` : name, ""]];
  return inside.flat();
}

type Secrets = ClientOptions["secrets"];

/** Resolves the secrets in a call's parameters, which are redacted from then on. @throws SecretMissing. */
export function resolveParameters({ method, parameters }: Call, secrets: Secrets): PlainParameters | undefined {
  if (!parameters) return undefined;
  const plain: Record<string, Plain> = {};
  for (const name in parameters) plain[name] = resolveValue(method, parameters[name] ?? null, secrets);
  return plain;
}

function resolveValue(method: Call["method"], value: Value, secrets: Secrets): Plain {
  if (isScalar(value)) return value;
  const resolved = replaceReferences(value, (reference) => {
    if (!secrets || method === "GET" || method === "DELETE") throw new RangeError(`${method} carries no secret`);
    const secret = secrets.resolve(reference);
    knownSecrets.learn(secret, reference.secret);
    return secret;
  });
  return joinCredentials(resolved ?? null);
}
