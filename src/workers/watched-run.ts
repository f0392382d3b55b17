import type { LeaseToken } from "../state/lease-store.ts";
import type { SharedState } from "../state/state.ts";

/** The run that a worker works for, as far as it may go on. */
export interface WatchedRun extends Disposable {
  /** Why nothing more is to be done for it. Asks nobody: the state is looked at beside it. */
  readonly over: () => string | undefined;
}

const betweenLooks = 1000;

/** Watches whether a run is still there and, where it writes, holds its lease. The first look is made at once. */
export async function watchRun(state: SharedState, run: string, token: LeaseToken | undefined): Promise<WatchedRun> {
  let until = Number.POSITIVE_INFINITY;
  let reason: string | undefined;
  const look = async () => {
    const asked = performance.now();
    const members = await state.workers.members();
    if (!members.some(({ id }) => id === run)) reason ??= "the run was stopped";
    if (!token) return;
    const left = await state.leases.remaining(token);
    if (left > 0) until = asked + left;
    else reason ??= `run ${run} lost its lease`;
  };
  await look();
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // A state that cannot be reached says nothing: the lease ends by itself.
    await look().catch(() => {});
    isLooking = false;
  }, betweenLooks);
  timer.unref();
  return {
    over: () => {
      if (performance.now() > until) reason ??= `run ${run} lost its lease`;
      return reason;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
