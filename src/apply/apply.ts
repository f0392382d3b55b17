import { inParallel } from "../base/concurrency.ts";
import type { Answer, Reader, Writer } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { passes } from "../client/retry.ts";
import { isRow, readLive, reportedFields } from "../live/read-live.ts";
import { compareField } from "../model/normalise.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Call, Change, Fields, Outcome } from "../model/types.ts";
import { callOf } from "../plan/plan.ts";
import type { Entry } from "../state/journal-entry.ts";

/** A change to carry out, or one of a saved plan that is not to be carried out any more. */
export type Step = { readonly change: Change } | { readonly address: string; readonly outcome: Outcome };

/** The steps of one project, worked out right before the first of them. */
export interface Batch {
  readonly steps: () => Promise<readonly Step[]>;
}

/** Told of each step as it happens; the journal, the ledger and a progress bar listen. */
export interface Watcher {
  /** Before a request, which waits for it: an intent is on disk before the server can act. */
  readonly intent?: (change: Change, call: Call) => Promise<void>;
  /** What else the journal is to hold. */
  readonly noted?: (entry: Entry) => Promise<void>;
  /** Once the outcome is known; the next step of the project waits for it. */
  readonly outcome?: (event: Happened) => Promise<void>;
}

/** What became of one step. */
export interface Happened {
  readonly address: string;
  readonly outcome: Outcome;
  readonly change?: Change;
  readonly answer?: Answer;
  readonly failure?: CallFailed;
}

export interface ApplyOptions {
  /** Projects written at the same time. */
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Asked before each write; a sentence is why it is skipped. */
  readonly stopped: () => string | undefined;
}

/** What became of every change, by address. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/**
 * Carries out changes: projects side by side, the changes of one project in their order. Never throws for what a
 * server does: what fails is an outcome, after which the rest of that project is skipped and every other one goes on.
 */
export async function applyChanges(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<Outcomes> {
  let ended: string | undefined;
  const end = (address: string) => {
    ended ??= `the run ended with ${address}`;
  };
  const ending = { ...options, stopped: () => options.stopped() ?? ended };
  const outcomes = await inParallel(batches, options.workers, (batch) => applyBatch(writer, batch, ending, end));
  return new Map(outcomes.flat().map(({ address, outcome }) => [address, outcome]));
}

async function applyBatch(
  writer: Writer,
  batch: Batch,
  options: ApplyOptions,
  end: (address: string) => void,
): Promise<Happened[]> {
  const happened: Happened[] = [];
  let failed: string | undefined;
  for (const step of await batch.steps()) {
    const event = await take(writer, step, failed, options);
    if (event.outcome.status === "failed" || event.outcome.status === "unknown") failed ??= event.address;
    if (event.failure?.endsRun) end(event.address);
    for (const watcher of options.watchers) await watcher.outcome?.(event);
    happened.push(event);
  }
  return happened;
}

async function take(writer: Writer, step: Step, failed: string | undefined, options: ApplyOptions): Promise<Happened> {
  if ("outcome" in step) return step;
  const { change } = step;
  const { address } = change;
  const skip = options.stopped() ?? (failed && `${failed} did not succeed, so the rest of its project waits`);
  if (skip) return { address, change, outcome: { status: "skipped", error: skip } };
  const call = callOf(change);
  for (const watcher of options.watchers) await watcher.intent?.(change, call);
  return { address, change, ...(await carryOut(writer, change, call)) };
}

type Result = Pick<Happened, "outcome" | "answer" | "failure">;

async function carryOut(writer: Writer, change: Change, call: Call): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await writer.send(call);
      const notKept = notKeptIn(change, answer);
      return { answer, outcome: { status: "applied", ...(notKept.length > 0 && { not_kept: notKept }) } };
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      if (isAnothers(error, call)) return { outcome: { status: "skipped", error: "the run ended before it was sent" } };
      const outcome = await afterFailure(writer, change, error, attempt);
      if (outcome) return { outcome, failure: error };
    }
  }
}

/** Whether a call was not sent since another one had ended the run: that one's failure is then thrown for it too. */
function isAnothers(failure: CallFailed, { method, path }: Call): boolean {
  return failure.endsRun && (failure.path !== path || failure.method !== method);
}

const createAttempts = 3;

/**
 * Where a POST may have reached the server, its effect is looked up before anything is sent again, so that nothing is
 * ever created twice (contract 7). Undefined: it surely did not act, and may be sent again.
 */
async function afterFailure(
  writer: Writer,
  change: Change,
  failure: CallFailed,
  attempt: number,
): Promise<Outcome | undefined> {
  const refusedAgain = attempt > 1 && failure.status === 400;
  const again = failure.uncertain || wouldPass(failure);
  const failed: Outcome = { status: "failed", error: explained(failure) };
  if (!again && !refusedAgain) return failed;
  try {
    if (await isInPlace(writer, change)) return { status: "applied" };
  } catch (lookup) {
    const why = lookup instanceof Error ? lookup.message : String(lookup);
    return { status: "unknown", error: `${failure.message}; looking it up failed too: ${why}` };
  }
  return again && attempt < createAttempts ? undefined : failed;
}

/** Where any other method would have been sent again by now (a resource lock, 408), a POST is looked up first. */
function wouldPass({ method, status = 0, serverMessage = "" }: CallFailed): boolean {
  return method === "POST" && status !== 429 && passes("PUT", status, serverMessage);
}

async function isInPlace(reader: Reader, change: Change): Promise<boolean> {
  const { kind, key, declared, origin } = change;
  const wanted = { kind, key, fields: declared, origin, presence: "present" } as const;
  const project = { name: change.project };
  const live = await readLive(reader, { project, kinds: new Set([kind]), resources: [wanted], exclusive: new Map() });
  return live.some((found) => found.kind === kind && found.key === key && differing(change, found.fields).length === 0);
}

/** Parameters that the answer to a write reports with another value than was sent. */
function notKeptIn(change: Change, { body }: Answer): string[] {
  if (!isRow(body) || isRemoval(change)) return [];
  return differing(change, reportedFields({ ...change, fields: change.declared }, body));
}

function differing(change: Change, live: Fields): string[] {
  const names = Object.entries(change.declared);
  return names.filter(([name, value]) => compareField(change, name, value, live[name]) === "different").map(([n]) => n);
}
