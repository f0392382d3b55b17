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

/** What ends waiting: one listener on the run's signal for all that wait, since signals warn of many. */
export interface Stop {
  /** Why nothing more is sent; undefined while the run goes on. */
  readonly reason: string | undefined;
  /** Resolves after `milliseconds`, or at once when the run is stopped. */
  sleep(milliseconds: number): Promise<void>;
  /** Calls `listener` once, when the run is stopped. */
  onStop(listener: () => void): void;
  /** Stops by itself: nothing more is sent, and the signal is let go. */
  now(reason: string): void;
}

/** A stop that follows `signal`; its reason is that of the signal, where it says one in words. */
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
  const aborted = (): void => now(reasonOf(signal));
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

function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (typeof reason === "string") return reason;
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : "the run was stopped";
}
