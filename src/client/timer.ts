/** Milliseconds of the longest timer that Node has; a longer one fires at once. */
const longest = 2 ** 31 - 1;

/**
 * Calls `work` after so many milliseconds, however many, but for what it returns is called before. It does not keep the
 * process alive.
 */
export function callLater(milliseconds: number, work: () => void): () => void {
  const left = milliseconds - longest;
  let cancel = () => clearTimeout(timer);
  const next = () => {
    cancel = callLater(left, work);
  };
  const timer = setTimeout(left > 0 ? next : work, Math.min(milliseconds, longest)).unref();
  return () => cancel();
}

/** A signal that is aborted after so many milliseconds, for the reason given. */
export function deadline(milliseconds: number, reason: string): AbortSignal {
  const controller = new AbortController();
  callLater(milliseconds, () => controller.abort(reason));
  return controller.signal;
}
