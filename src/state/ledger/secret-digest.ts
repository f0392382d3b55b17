import { createHash } from "node:crypto";

/** Digests of secrets by reference. They are sensitive: a value that can be guessed can be found by its digest. */
export type SecretDigests = Readonly<Record<string, string>>;

/** The digest of a secret's value. */
export function secretDigest(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}
