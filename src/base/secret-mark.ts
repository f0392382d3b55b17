import { createHmac, randomBytes } from "node:crypto";

const ofProcess = randomBytes(32);

/** A mark of a secret, equal for equal secrets within this process and worthless outside of it. */
export function secretMark(secret: string): string {
  return createHmac("sha256", ofProcess).update(secret).digest("base64url");
}
