import { createHash } from "node:crypto";

/** By reference, what tells a secret's value from others without holding it; one that can be guessed can be found by it. */
export type SecretDigests = Readonly<Record<string, string>>;

/** The digest of a secret's value. */
export function secretDigest(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}
