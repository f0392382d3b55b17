import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are the same; takes as long whatever differs. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
