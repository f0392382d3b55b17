/** The longest timer of Node in milliseconds, 24.8 days; a longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** Like `setTimeout`, for at most {@link longestTimer}. Returns a cancel function. Does not keep the process alive. */
export function callLater(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(milliseconds, longestTimer)).unref();
  return () => clearTimeout(timer);
}

/** A signal that is aborted after this time with a reason. */
export function deadline(milliseconds: number, reason: string): AbortSignal {
  const controller = new AbortController();
  callLater(milliseconds, () => controller.abort(reason));
  return controller.signal;
}

/** The end of a run. Adds only one listener to the run's signal, because Node warns of many. */
export interface Stop {
  readonly reason: string | undefined;
  /** Resolves after `milliseconds`, or at once when the run is stopped. */
  sleep(milliseconds: number): Promise<void>;
  onStop(listener: () => void): void;
  now(reason: string): void;
}

/** A stop that follows `signal` and takes over its reason, if it is a text. */
export function createStop(signal?: AbortSignal): Stop {
  const listeners = new Set<() => void>();
  let reason: string | undefined;
  const now = (why: string): void => {
    signal?.removeEventListener("abort", aborted);
    if (reason !== undefined) return;
    reason = why;
    for (const listener of listeners) listener();
    listeners.clear();
  };
  const aborted = (): void => now(abortReason(signal));
  if (signal?.aborted) aborted();
  else signal?.addEventListener("abort", aborted, { once: true });
  return {
    get reason() {
      return reason;
    },
    sleep: (milliseconds) => (reason === undefined ? sleep(milliseconds, listeners) : Promise.resolve()),
    onStop: (listener) => void listeners.add(listener),
    now,
  };
}

function sleep(milliseconds: number, listeners: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      listeners.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    listeners.add(wake);
  });
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (typeof reason === "string") return reason;
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : "the run was stopped";
}
