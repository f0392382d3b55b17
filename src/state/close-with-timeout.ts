import { setTimeout as pause } from "node:timers/promises";

/** Waits up to 2 seconds for a connection to close, and ignores errors. */
export async function closeWithTimeout(closing: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = pause(2000, undefined, { signal: timer.signal });
  await Promise.race([closing, late]).catch(() => {});
  timer.abort();
  closing.catch(() => {});
  late.catch(() => {});
}
