import { createHash } from "node:crypto";
import type { Plain, SecretReference, Value } from "../../model/types.ts";
import { isScalar, referencesWithin, replaceReferences } from "../../model/values.ts";

/** A list or mapping with digests in place of the secrets in it; undefined where one of them has none. */
export function withDigests(
  value: Value,
  digestOf: (reference: SecretReference) => string | undefined,
): Plain | undefined {
  if (isScalar(value)) return value;
  if (!referencesWithin(value).every((each) => digestOf(each) !== undefined)) return undefined;
  return replaceReferences(value, (each) => ({ digest: digestOf(each) ?? "", version: each.version ?? null }));
}

/** The digest of a secret's value. */
export function secretDigest(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}
