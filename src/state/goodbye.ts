import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds for which a last word to somebody may take. */
const longest = 2000;

/** Waits for a last word to somebody who may be gone; not for long, and not for whether it is taken. */
export async function goodbye(word: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = pause(longest, undefined, { signal: timer.signal });
  await Promise.race([word, late]).catch(() => {});
  timer.abort();
  word.catch(() => {});
  late.catch(() => {});
}
