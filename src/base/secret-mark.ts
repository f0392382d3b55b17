import { createHash } from "node:crypto";

/** The digest of a secret, to compare it by within a run. It is stored nowhere but in a keyed fingerprint. */
export function secretMark(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function isMarkOf(secret: string, mark: string): boolean {
  return secretMark(secret) === mark;
}
