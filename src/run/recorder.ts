import { pid } from "node:process";
import { UserError, userErrorOf } from "../base/exit.ts";
import { firstFew, shellWord } from "../base/text-format.ts";
import type { Problem } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import { withOutcomes } from "../plan/run-end.ts";
import { extendJournal, type JournalLine, startJournal, type UnfinishedRun, unfinishedRuns } from "../state/journal.ts";
import type { Lease } from "../state/lease.ts";
import { saveUnstored } from "../state/state-folder.ts";
import type { Outcomes, Watcher } from "./apply/apply.ts";
import { journalling } from "./apply/send-change.ts";
import type { Context } from "./context.ts";
import { ledgerWatcher } from "./keep-results.ts";
import type { Planned } from "./request.ts";

/**
 * Checks, before anything is read, that an apply can keep its record.
 * @throws UserError if the journal or the ledger cannot be written.
 */
export async function readyToRecord({ state, ledger }: Context): Promise<void> {
  const error = state.writeError();
  if (error) throw new UserError(error);
  await ledger?.ready();
}

export interface Recorder extends AsyncDisposable {
  /** Notified of each step; if the record fails, nothing else is sent. */
  readonly watchers: readonly Watcher[];
  /**
   * Ends the journal, and returns gaps of the record as problems. A recorder disposed before, as after an unexpected
   * error, still closes the journal and saves the ledger.
   */
  readonly end: (outcomes: Outcomes) => Promise<Problem[]>;
}

/** Starts the record of an apply. `listeners` are notified after the ledger and before the journal. */
export async function startRecorder(
  context: Context,
  { token }: Lease,
  { plan }: Planned,
  listeners: readonly Watcher[],
): Promise<Recorder> {
  const { state, ledger, loaded, claim } = context;
  const cutShort = await unfinishedRuns(state);
  const journal = plan.summary.writes > 0 ? startJournal(state, token, now) : undefined;
  const { commit, digest: manifests } = plan.manifests;
  const head = { who: `${claim.who}@${claim.host}`, pid, commit, manifests, server: plan.server.url };
  await journal?.write({ event: "start", ...head, changes: plan.resource_changes.length });
  const close = async () => {
    await journal?.close();
    return toProblem("ledger", await ledger?.save(token));
  };
  let ended = false;
  return {
    watchers: [
      ...(ledger ? [ledgerWatcher(ledger, token, now)] : []),
      ...listeners,
      ...(journal ? [journalling(journal)] : []),
    ],
    end: async (outcomes) => {
      const counts = withOutcomes(plan, outcomes).summary.outcomes ?? {};
      const lost = toProblem("journal", await journal?.write({ event: "end", outcomes: counts }));
      ended = true;
      const saved = journal ? saveUnstored(loaded.root, claim.run, journal.unstored()) : undefined;
      return [
        ...lost,
        ...toProblem("journal", saved),
        ...(await close()),
        ...(await noticeAll(context, token, cutShort)),
      ];
    },
    [Symbol.asyncDispose]: async () => {
      if (!ended) await close();
    },
  };
}

const now = () => new Date();

function toProblem(rule: string, error: string | undefined): Problem[] {
  return error ? [{ severity: "error", rule, message: error }] : [];
}

async function noticeAll(
  { state }: Context,
  token: Lease["token"],
  named: readonly UnfinishedRun[],
): Promise<Problem[]> {
  const line: JournalLine = { at: now().toISOString(), event: "noticed" };
  const errors = named.map(({ run }) => userErrorOf(extendJournal(state, token, run, [line])));
  const messages = (await Promise.all(errors)).flatMap((message) => message ?? []);
  return messages.map((message) => ({ severity: "warning", rule: "journal", message }));
}

/** Warns of requests in flight for which the run waits before it sends them again. */
export function warnPendingWrites({ request, loaded }: Context, plan: Plan, inFlight: readonly string[]): void {
  const late = new Set(inFlight);
  const awaited = plan.resource_changes.filter(
    ({ address, call, next_call }) => late.has(address) && [call, next_call].some((each) => each?.method === "POST"),
  );
  if (awaited.length === 0) return;
  const seconds = loaded.workspace.requestTimeout / 1000;
  const addresses = firstFew(awaited.map(({ address }) => address));
  request.warn?.(
    `${addresses}: an earlier run may have just sent it; checking after ${seconds} s before sending it again`,
  );
}

/**
 * Reports killed runs until an apply that reported them ends: the report of a run that is killed itself does not
 * count.
 */
export async function reportUnfinishedRuns({ state }: Context) {
  const runs = await unfinishedRuns(state);
  const notices = runs.map(({ run, inFlight }) => {
    const flying = inFlight.length > 0 ? `in flight: ${inFlight.join(", ")}` : "nothing was in flight";
    const message = `run ${run} did not finish: ${flying}; see evenkeel journal ${shellWord(run)}`;
    return { severity: "warning", rule: "run-cut-short", message } as const;
  });
  return { notices, inFlight: runs.flatMap(({ inFlight }) => inFlight) };
}
