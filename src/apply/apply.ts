import { inParallel } from "../base/concurrency.ts";
import type { Reader, Writer } from "../client/client.ts";
import { inSpan, type OpenSpan } from "../client/spans.ts";
import { addressParts } from "../model/address.ts";
import type { Call, Change, Outcome } from "../model/types.ts";
import { callOf } from "../plan/requests.ts";
import type { JournalEntry } from "../state/journal-entry.ts";
import type { SecretDigests } from "../state/ledger/secret-digest.ts";
import { type SentChange, sendChange } from "./send-change.ts";
import type { Seen } from "./verify-write.ts";

/** A change to apply, or a change of a saved plan whose outcome is already known. */
export type Step = { readonly change: Change } | { readonly address: string; readonly outcome: Outcome };

/** The steps of one project, computed immediately before the first write. */
export interface Batch {
  readonly steps: () => Promise<readonly Step[]>;
}

/** Notified of each step as it happens; the journal, the ledger and a progress bar are watchers. */
export interface Watcher {
  /** Awaited before each request, so that the intent is durable before the server acts. A message prevents the request. */
  readonly intent?: (change: Change, call: Call) => Promise<string | undefined>;
  /** Another journal entry. */
  readonly noted?: (entry: JournalEntry) => Promise<void>;
  /** Whether it writes the journal; workers write their own. */
  readonly isJournal?: true;
  /** Awaited after each step, before the next step of the project. */
  readonly outcome?: (event: ChangeEvent) => Promise<void>;
}

/** The outcome of one step. */
export interface ChangeEvent extends SentChange {
  readonly address: string;
  readonly change?: Change;
  /** State after the write, if another process sent it. */
  readonly seen?: Seen;
  /** Known digests of the secrets that another process sent; undefined if this process sent it. */
  readonly sentSecrets?: SecretDigests;
  /** Whether its watchers have been notified. */
  readonly isReported?: true;
}

export interface ApplyOptions {
  /** Projects written at the same time. */
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Called before each write; a message is the reason to skip it. */
  readonly stopped: () => string | undefined;
  /** The outcome of a write that another process may have sent; undefined to send it now. */
  readonly known?: (reader: Reader, change: Change) => Promise<Pick<ChangeEvent, "outcome" | "isReported"> | undefined>;
  /** Applies batches in other processes; by default, this one does. */
  readonly delegate?: ((batches: readonly Batch[], options: ApplyOptions) => Promise<Outcomes>) | undefined;
}

/** The outcome of every change, by address. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** A record of an apply in another system. If it is disposed before `end`, it records a failure. */
export interface ApplyRecord extends AsyncDisposable {
  readonly end: (outcomes: Outcomes) => Promise<void>;
}

/**
 * Applies changes: projects concurrently, the changes of a project in order. Failed requests are outcomes, never
 * exceptions. After one, the remaining changes of that project are skipped.
 */
export async function applyChanges(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<Outcomes> {
  if (options.delegate) return options.delegate(batches, options);
  return outcomesOf(await runBatches(writer, batches, options));
}

/** Like {@link applyChanges}, in this process, with all results of each step. */
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
