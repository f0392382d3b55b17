import { createHmac, randomBytes } from "node:crypto";

const key = randomBytes(32);

/** A mark of a secret, equal for equal secrets within this process and worthless outside it. */
export function secretMark(secret: string): string {
  return createHmac("sha256", key).update(secret).digest("base64url");
}

/** True if a mark is that of a secret. */
export function isMarkOf(secret: string, mark: string): boolean {
  return secretMark(secret) === mark;
}
