import type { LeaseToken } from "../state/lease-store.ts";
import type { SharedState } from "../state/state.ts";

/** A run whose work a worker processes. */
export interface WatchedRun extends Disposable {
  /** Why to stop; undefined to continue. Sends nothing: the state is polled in the background. */
  readonly over: () => string | undefined;
}

/** Milliseconds. */
const pollInterval = 1000;

/** Polls, starting now, whether a run is alive and, if it has a lease, still holds it. */
export async function watchRun(state: SharedState, run: string, token: LeaseToken | undefined): Promise<WatchedRun> {
  let until = Number.POSITIVE_INFINITY;
  let reason: string | undefined;
  const poll = async () => {
    const asked = performance.now();
    const members = await state.workers.members();
    if (!members.some(({ id }) => id === run)) reason ??= "the run was stopped";
    if (!token) return;
    const left = await state.leases.remaining(token);
    if (left > 0) until = asked + left;
    else reason ??= `run ${run} lost its lease`;
  };
  await poll();
  let isPolling = false;
  const timer = setInterval(async () => {
    if (isPolling) return;
    isPolling = true;
    // While the state is unavailable, the lease expires by itself.
    await poll().catch(() => {});
    isPolling = false;
  }, pollInterval);
  timer.unref();
  return {
    over: () => {
      if (performance.now() > until) reason ??= `run ${run} lost its lease`;
      return reason;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
