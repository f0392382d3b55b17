import { knownSecrets } from "../base/known-secrets.ts";
import { isReference } from "../model/normalise.ts";
import type { Call, Scalar, Value } from "../model/types.ts";
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
export type Plain = Readonly<Record<string, Scalar>>;

/** Writes a call: in the query of a GET or DELETE, in the body of the others, as form fields or as JSON (spec). */
export function encode({ method, body: type = "form" }: Call, target: string, plain: Plain | undefined): WireRequest {
  if (!plain) return { method, target };
  if (method === "GET" || method === "DELETE") {
    const query = formOf(plain);
    return { method, target: query ? `${target}?${query}` : target };
  }
  return { method, target, type, body: type === "json" ? JSON.stringify(plain) : formOf(plain) };
}

/** true and false in words, null as an empty field. */
function formOf(plain: Plain): string {
  const pairs = Object.entries(plain).map(([name, value]): [string, string] => [name, String(value ?? "")]);
  return new URLSearchParams(pairs).toString();
}

type Secrets = ClientOptions["secrets"];

/** The parameters of a call with their secrets resolved; these are redacted from then on. @throws SecretMissing. */
export function resolvedParameters({ method, parameters }: Call, secrets: Secrets): Plain | undefined {
  if (!parameters) return undefined;
  const plain: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(parameters)) plain[name] = plainValue(method, value, secrets);
  return plain;
}

function plainValue(method: Call["method"], value: Value, secrets: Secrets): Scalar {
  if (!isReference(value)) return value;
  if (!secrets || method === "GET" || method === "DELETE") throw new RangeError(`${method} carries no secret`);
  const resolved = secrets.resolve(value);
  knownSecrets.learn(resolved, value.secret);
  return resolved;
}
