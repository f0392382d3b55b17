import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds that a connection may take to close. */
const longest = 2000;

/** Waits for a connection to close, for 2 seconds at most and whatever its error: the other side may be gone. */
export async function closeWithTimeout(closing: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = pause(longest, undefined, { signal: timer.signal });
  await Promise.race([closing, late]).catch(() => {});
  timer.abort();
  closing.catch(() => {});
  late.catch(() => {});
}
