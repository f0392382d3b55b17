import { dirname } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { claimFor, holderText, type Lease, type Leases, leaseDuration, newRun, tryLease } from "../state/lease.ts";
import { openState } from "../state/open-state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { createWakeSignal, type WakeSignal, type WatchOptions } from "./options.ts";
import { runWatchLoop, type WatchProgress } from "./watch-loop.ts";
import { openWatchState } from "./watch-state.ts";

/** Milliseconds between two attempts to open a state that became unavailable. */
const betweenTries = 10_000;

/**
 * Checks a workspace repeatedly while it is the leader among its watchers, until it is stopped or has made `checks` checks.
 * Resolves to the exit code of the last check, or to 0 if it was stopped between two checks.
 * @throws UserError if there is no workspace, or its state is unusable at the start.
 */
export async function watch(options: WatchOptions): Promise<ExitCode> {
  const { clock, request, status, host } = options;
  const wakeSignal = createWakeSignal(clock);
  status.wake = wakeSignal.wake;
  request.signal?.addEventListener("abort", wakeSignal.wake, { once: true });
  const progress: WatchProgress = { checks: 0, code: exit.done, unkept: undefined };
  for (let begun = false; !request.signal?.aborted; ) {
    try {
      const code = await watchAsLeader(options, wakeSignal, progress, () => {
        begun = true;
      });
      if (code !== undefined) return code;
    } catch (error) {
      if (!begun || progress.checks === options.checks || !(error instanceof UserError)) throw error;
      // No notification is sent for a check that could not be stored, so the health check reports it.
      status.late ??= clock.now();
      host.warn(error.message);
      await wakeSignal.wait(betweenTries);
    }
  }
  return progress.code === exit.interrupted ? exit.interrupted : exit.done;
}

/** Resolves to undefined if it lost the lease of the watchers, or was stopped before it got it. */
async function watchAsLeader(
  options: WatchOptions,
  wakeSignal: WakeSignal,
  progress: WatchProgress,
  begun: () => void,
): Promise<ExitCode | undefined> {
  const { request, status } = options;
  const { env, folder } = request;
  await using state = await openState({ root: dirname(findWorkspace(folder)), name: loadSettings(folder).name, env });
  await using lease = await awaitLease(state.leases("watch"), options, wakeSignal, begun);
  if (!lease) return undefined;
  await using memory = await openWatchState(state, options);
  status.checked = () => memory.now().commit;
  try {
    return await runWatchLoop({ options, wakeSignal, state, lease }, memory, progress);
  } finally {
    status.checked = () => undefined;
  }
}

/** Undefined if it was stopped first. */
async function awaitLease(
  leases: Leases,
  { request: { env, signal }, status, host }: WatchOptions,
  wakeSignal: WakeSignal,
  begun: () => void,
): Promise<Lease | undefined> {
  const claim = claimFor(newRun(new Date()), env);
  const duration = leaseDuration(env);
  for (let reported: string | undefined; !signal?.aborted; ) {
    const taken = await tryLease(leases, claim, duration);
    begun();
    status.standby = "heldBy" in taken ? taken.heldBy : undefined;
    if (!("heldBy" in taken)) return taken;
    const { run, since } = taken.heldBy;
    if (reported !== run) host.say(`Standby: ${holderText(taken.heldBy)} is the active watcher since ${since}.`);
    reported = run;
    await wakeSignal.wait(Math.min(duration / 6, 5000));
  }
  return undefined;
}
