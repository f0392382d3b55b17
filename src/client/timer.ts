/** Milliseconds of the longest timer that Node has; a longer one fires at once. */
const longest = 2 ** 31 - 1;

/** Calls `work` after so many milliseconds, however many. It does not keep the process alive. */
export function callLater(milliseconds: number, work: () => void): void {
  const left = milliseconds - longest;
  if (left > 0) setTimeout(() => callLater(left, work), longest).unref();
  else setTimeout(work, milliseconds).unref();
}

/** A signal that is aborted after so many milliseconds, for the reason given. */
export function deadline(milliseconds: number, reason: string): AbortSignal {
  const controller = new AbortController();
  callLater(milliseconds, () => controller.abort(reason));
  return controller.signal;
}
