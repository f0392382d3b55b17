import { dirname } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { durationOf } from "../base/rate.ts";
import { claimFor, type Holder, holderText, leaseDuration, newRun, tryLease } from "../state/lease.ts";
import { openState } from "../state/open-state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { createWakeSignal, type WakeSignal } from "./clock.ts";
import type { Leadership, WatchOptions } from "./options.ts";
import { runWatchLoop, type WatchProgress } from "./watch-loop.ts";
import { openWatchState, settingsFor } from "./watch-state.ts";

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
      const code = await awaitLeadership(options, wakeSignal, () => {
        begun = true;
      }).then((leader) => leader && checkAsLeader(leader, progress));
      if (code !== undefined) return code;
    } catch (error) {
      const isLast = progress.checks === options.checks;
      if (!begun || isLast || !(error instanceof UserError)) throw error;
      // No notification is sent for a check that could not be stored, so the health check reports it.
      status.late ??= clock.now();
      host.warn(error.message);
      await wakeSignal.wait(betweenTries);
    }
  }
  return progress.code === exit.interrupted ? exit.interrupted : exit.done;
}

async function checkAsLeader(
  leader: Leadership & AsyncDisposable,
  progress: WatchProgress,
): Promise<ExitCode | undefined> {
  await using _ = leader;
  const { state, options } = leader;
  await using memory = await openWatchState(state.notes, options);
  options.status.checked = () => memory.now().commit;
  try {
    return await runWatchLoop(leader, memory, progress);
  } finally {
    options.status.checked = () => undefined;
  }
}

/** Waits for the lease of the watchers; undefined if it was stopped first. */
async function awaitLeadership(
  options: WatchOptions,
  wakeSignal: WakeSignal,
  begun: () => void,
): Promise<(Leadership & AsyncDisposable) | undefined> {
  const { request, status } = options;
  const { env, folder, signal } = request;
  const claim = claimFor(newRun(new Date()), env);
  const duration = leaseDuration(env, durationOf);
  const state = await openState({ root: dirname(findWorkspace(folder)), name: loadSettings(folder).name, env });
  try {
    for (let reported: string | undefined; !signal?.aborted; ) {
      const taken = await tryLease(state.watchLeases, claim, duration);
      begun();
      status.standby = "heldBy" in taken ? taken.heldBy : undefined;
      if (!("heldBy" in taken))
        return disposable({ options, wakeSignal, state, lease: taken, settings: settingsFor(request) });
      if (reported !== taken.heldBy.run) options.host.say(standbyText(taken.heldBy));
      reported = taken.heldBy.run;
      await wakeSignal.wait(Math.min(duration / 6, 5000));
    }
  } catch (error) {
    await state[Symbol.asyncDispose]();
    throw error;
  }
  await state[Symbol.asyncDispose]();
  return undefined;
}

function disposable(leader: Leadership): Leadership & AsyncDisposable {
  return {
    ...leader,
    [Symbol.asyncDispose]: async () => {
      await leader.lease[Symbol.asyncDispose]();
      await leader.state[Symbol.asyncDispose]();
    },
  };
}

function standbyText(holder: Holder): string {
  return `Standby: ${holderText(holder)} is the active watcher since ${holder.since}.`;
}
