import { dirname } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { durationOf } from "../manifest/duration.ts";
import { claimFor, newRun } from "../state/claim.ts";
import { holderText, leaseDuration, tryLease } from "../state/lease.ts";
import type { Holder } from "../state/lease-store.ts";
import { openState } from "../state/open-state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { createWakeSignal, type WakeSignal } from "./clock.ts";
import { notifyMissedCheck } from "./missed-check.ts";
import type { Leadership, WatchOptions } from "./options.ts";
import { runWatchLoop, type WatchProgress } from "./watch-loop.ts";
import { openWatchState, settingsFor } from "./watch-state.ts";

/** Milliseconds between two tries to open a state that went away. */
const betweenTries = 10_000;

/**
 * Checks a workspace again and again, as the only watcher that does, until it is stopped or has checked often enough.
 * Resolves to the exit code of the last check; to 0 where it was stopped between two of them.
 * @throws UserError where there is no workspace, or its state cannot be used when it starts.
 */
export async function watch(options: WatchOptions): Promise<ExitCode> {
  const { clock, request, status, host } = options;
  const bell = createWakeSignal(clock);
  status.wake = bell.ring;
  request.signal?.addEventListener("abort", bell.ring, { once: true });
  const progress: WatchProgress = { checks: 0, code: exit.done, unkept: undefined };
  for (let begun = false; !request.signal?.aborted; ) {
    try {
      const code = await takeTurn(options, bell, () => {
        begun = true;
      }).then((turn) => turn && checkAsLeader(turn, progress));
      if (code !== undefined) return code;
    } catch (error) {
      const isLast = progress.checks === options.checks;
      if (!begun || isLast || !(error instanceof UserError)) throw error;
      // People hear of no check that cannot be kept, so somebody has to see that the watcher is not well.
      status.late ??= clock.now();
      host.warn(error.message);
      await bell.wait(betweenTries);
    }
  }
  return progress.code === exit.interrupted ? exit.interrupted : exit.done;
}

async function checkAsLeader(
  turn: Leadership & AsyncDisposable,
  progress: WatchProgress,
): Promise<ExitCode | undefined> {
  await using _ = turn;
  const { state, options } = turn;
  await using memory = await openWatchState(state.notes, options);
  options.status.checked = () => memory.now().commit;
  try {
    return await runWatchLoop(turn, memory, progress);
  } finally {
    options.status.checked = () => undefined;
  }
}

/** Stands by until it is this watcher's turn; undefined where it was stopped before. */
async function takeTurn(
  options: WatchOptions,
  bell: WakeSignal,
  begun: () => void,
): Promise<(Leadership & AsyncDisposable) | undefined> {
  const { request, status } = options;
  const { env, folder, signal } = request;
  const claim = claimFor(newRun(new Date()), env);
  const duration = leaseDuration(env, durationOf);
  const state = await openState({ root: dirname(findWorkspace(folder)), name: loadSettings(folder).name, env });
  try {
    for (let told: string | undefined; !signal?.aborted; ) {
      const taken = await tryLease(state.watchLeases, claim, duration);
      begun();
      status.standby = "heldBy" in taken ? taken.heldBy : undefined;
      if (!("heldBy" in taken)) return ownTurn({ options, bell, state, lease: taken, settings: settingsFor(request) });
      if (told !== taken.heldBy.run) options.host.say(standbyText(taken.heldBy));
      told = taken.heldBy.run;
      await notifyMissedCheck(state.notes, options);
      await bell.wait(Math.min(duration / 6, 5000));
    }
  } catch (error) {
    await state[Symbol.asyncDispose]();
    throw error;
  }
  await state[Symbol.asyncDispose]();
  return undefined;
}

function ownTurn(turn: Leadership): Leadership & AsyncDisposable {
  return {
    ...turn,
    [Symbol.asyncDispose]: async () => {
      await turn.lease[Symbol.asyncDispose]();
      await turn.state[Symbol.asyncDispose]();
    },
  };
}

function standbyText(holder: Holder): string {
  return `Standby: ${holderText(holder)} is the active watcher since ${holder.since}.`;
}
