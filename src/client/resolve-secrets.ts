import { knownSecrets } from "../base/known-secrets.ts";
import { isReference } from "../model/normalise.ts";
import type { Call, Scalar, Value } from "../model/types.ts";
import type { Plain } from "./encode.ts";
import type { ClientOptions } from "./options.ts";

type Secrets = ClientOptions["secrets"];

/** The parameters of a call with their secrets resolved, which nobody may see from then on. @throws SecretMissing. */
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
