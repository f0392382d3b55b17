import { inParallel } from "../base/concurrency.ts";
import type { Reader, Writer } from "../client/client.ts";
import { inSpan, type OpenSpan } from "../client/spans.ts";
import { addressParts } from "../model/address.ts";
import type { Call, Change, Outcome } from "../model/types.ts";
import { callOf } from "../plan/make-plan.ts";
import type { JournalEntry } from "../state/journal-entry.ts";
import type { SecretDigests } from "../state/ledger/secret-digest.ts";
import { type SentChange, sendChange } from "./send-change.ts";
import type { Seen } from "./verify-write.ts";

/** A change to apply, or one of a saved plan that is not to be applied any more. */
export type Step = { readonly change: Change } | { readonly address: string; readonly outcome: Outcome };

/** The steps of one project, worked out right before the first of them. */
export interface Batch {
  readonly steps: () => Promise<readonly Step[]>;
}

/** Notified of each step as it happens; the journal, the ledger and a progress bar are watchers. */
export interface Watcher {
  /** Before a request, which waits for it: an intent is on disk before the server can act. A sentence is why it may not. */
  readonly intent?: (change: Change, call: Call) => Promise<string | undefined>;
  /** What else the journal is to hold. */
  readonly noted?: (entry: JournalEntry) => Promise<void>;
  /** Whether it keeps the journal, which other processes keep themselves of what they do. */
  readonly isJournal?: true;
  /** Once the outcome is known; the next step of the project waits for it. */
  readonly outcome?: (event: ChangeEvent) => Promise<void>;
}

/** The outcome of one step. */
export interface ChangeEvent extends SentChange {
  readonly address: string;
  readonly change?: Change;
  /** What the answer shows, where another process had it. */
  readonly seen?: Seen;
  /** What the secrets were that another process sent with it, as far as that is known; left out: this process sent its own. */
  readonly sentSecrets?: SecretDigests;
  /** Whether whoever sent it has notified its watchers already. */
  readonly isReported?: true;
}

export interface ApplyOptions {
  /** Projects written at the same time. */
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Asked before each write; a sentence is why it is skipped. */
  readonly stopped: () => string | undefined;
  /** What is known of a write that another process may have sent; undefined: it is to be sent here and now. */
  readonly known?: (reader: Reader, change: Change) => Promise<Pick<ChangeEvent, "outcome" | "isReported"> | undefined>;
  /** Has batches applied by other processes; left out: this one does. */
  readonly delegate?: ((batches: readonly Batch[], options: ApplyOptions) => Promise<Outcomes>) | undefined;
}

/** The outcome of every change, by address. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** A record of an apply that is kept elsewhere; one that is left without its `end` says that the apply failed. */
export interface ApplyRecord extends AsyncDisposable {
  readonly end: (outcomes: Outcomes) => Promise<void>;
}

/**
 * Carries out changes: projects side by side, the changes of one project in their order. Never throws for what a
 * server does: what fails is an outcome, after which the rest of that project is skipped and every other one goes on.
 */
export async function applyChanges(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<Outcomes> {
  if (options.delegate) return options.delegate(batches, options);
  return outcomesOf(await runBatches(writer, batches, options));
}

/** As {@link applyChanges}, with all that is known of each step. */
export async function runBatches(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<readonly ChangeEvent[]> {
  let ended: string | undefined;
  const end = (address: string) => {
    ended ??= `the run ended after ${address} failed`;
  };
  const ending = { ...options, stopped: () => options.stopped() ?? ended };
  const outcomes = await inParallel(batches, options.workers, (batch) => applyBatch(writer, batch, ending, end));
  return outcomes.flat();
}

/** The outcome of each event, by its address. */
export function outcomesOf(events: readonly ChangeEvent[]): Outcomes {
  return new Map(events.map(({ address, outcome }) => [address, outcome]));
}

async function applyBatch(
  writer: Writer,
  batch: Batch,
  options: ApplyOptions,
  end: (address: string) => void,
): Promise<ChangeEvent[]> {
  return inSpan("write project", {}, (span) => applySteps(writer, batch, { ...options, span }, end));
}

async function applySteps(
  writer: Writer,
  batch: Batch,
  options: ApplyOptions & { readonly span: Pick<OpenSpan, "set"> },
  end: (address: string) => void,
): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = [];
  let failed: string | undefined;
  for (const step of await batch.steps()) {
    if (events.length === 0) options.span.set({ "evenkeel.project": projectIn(step) });
    const event = await take(writer, step, failed, options);
    if (event.outcome.status === "failed" || event.outcome.status === "unknown") failed ??= event.address;
    if (event.failure?.endsRun) end(event.address);
    if (!event.isReported) for (const watcher of options.watchers) await watcher.outcome?.(event);
    events.push(event);
  }
  return events;
}

function projectIn(step: Step): string {
  return "change" in step ? step.change.project : addressParts(step.address)[0];
}

async function take(
  writer: Writer,
  step: Step,
  failed: string | undefined,
  options: ApplyOptions,
): Promise<ChangeEvent> {
  if ("outcome" in step) return step;
  const { change } = step;
  const { address } = change;
  const skip = options.stopped() ?? (failed && `skipped because ${failed} did not succeed`);
  if (skip) return { address, change, outcome: { status: "skipped", error: skip } };
  const known = await options.known?.(writer, change);
  if (known) return { address, change, ...known };
  const call = callOf(change, writer.catalogue);
  const unrecorded = await announce(options.watchers, change, call);
  if (unrecorded) return { address, change, outcome: { status: "skipped", error: unrecorded } };
  return { address, change, ...(await sendChange(writer, change, call)) };
}

/** Announces a request that is about to be sent. Returns why it must not be sent, if a watcher cannot record it. */
export async function announce(watchers: readonly Watcher[], change: Change, call: Call): Promise<string | undefined> {
  for (const watcher of watchers) {
    const reason = await watcher.intent?.(change, call);
    if (reason) return reason;
  }
  return undefined;
}
