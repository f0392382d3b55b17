import { inParallel } from "../base/concurrency.ts";
import { Refusal } from "../base/exit.ts";
import type { Answer, Reader, Writer } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import type { CallFailed } from "../client/failure.ts";
import type { Settled } from "../client/reader.ts";
import { inSpan, type OpenSpan } from "../client/spans.ts";
import { isRow, readLive, reportedFields } from "../live/read-live.ts";
import { addressParts } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { compareField, isOff } from "../model/normalise.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Call, Change, Fields, Outcome, Value } from "../model/types.ts";
import { callOf } from "../plan/make-plan.ts";
import type { JournalEntry } from "../state/journal-entry.ts";
import { adviceOn, amended } from "./amend.ts";
import type { Seen } from "./seen.ts";
import { isCarriedOut, isVisible } from "./verify-write.ts";

/** A change to carry out, or one of a saved plan that is not to be carried out any more. */
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
export interface ChangeEvent {
  readonly address: string;
  readonly outcome: Outcome;
  readonly change?: Change;
  readonly answer?: Answer;
  readonly failure?: CallFailed;
  /** What the answer shows, where another process had it. */
  readonly seen?: Seen;
  /** Whether whoever sent it has told it already. */
  readonly told?: true;
}

export interface ApplyOptions {
  /** Projects written at the same time. */
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Asked before each write; a sentence is why it is skipped. */
  readonly stopped: () => string | undefined;
  /** What is known of a write that another process may have sent; undefined: it is to be sent here and now. */
  readonly known?: (reader: Reader, change: Change) => Promise<Pick<ChangeEvent, "outcome" | "told"> | undefined>;
  /** Has batches carried out by other processes; left out: this one does. */
  readonly elsewhere?: ((batches: readonly Batch[], options: ApplyOptions) => Promise<Outcomes>) | undefined;
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
  if (options.elsewhere) return options.elsewhere(batches, options);
  return outcomesOf(await carryOutBatches(writer, batches, options));
}

/** As {@link applyChanges}, with all that is known of each step. */
export async function carryOutBatches(
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
    if (!event.told) for (const watcher of options.watchers) await watcher.outcome?.(event);
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
  const call = callOf(change);
  const unrecorded = await announce(options.watchers, change, call);
  if (unrecorded) return { address, change, outcome: { status: "skipped", error: unrecorded } };
  return { address, change, ...(await carryOut(writer, change, call)) };
}

/** Announces a request that is about to be sent. Returns why it must not be sent, if a watcher cannot record it. */
export async function announce(watchers: readonly Watcher[], change: Change, call: Call): Promise<string | undefined> {
  for (const watcher of watchers) {
    const reason = await watcher.intent?.(change, call);
    if (reason) return reason;
  }
  return undefined;
}

type Result = Pick<ChangeEvent, "outcome" | "answer" | "failure">;

async function carryOut(writer: Writer, change: Change, call: Call): Promise<Result> {
  try {
    const settled = await settledAs(writer, change, call);
    if ("answer" in settled)
      return { answer: settled.answer, outcome: answered(writer.catalogue, change, settled.answer) };
    if ("found" in settled) return { outcome: { status: "applied" } };
    return advised(unanswered(settled, call), adviceOn(writer.catalogue, change, settled.failure));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { outcome: { status: "failed", error: error.message } };
  }
}

function advised(result: Result, advice: string | undefined): Result {
  const { outcome } = result;
  if (!advice || outcome.status !== "failed") return result;
  return { ...result, outcome: { ...outcome, error: `${outcome.error}; ${advice}` } };
}

/** Sent as it is and, where the server refuses that and asks for another form, in that one. */
async function settledAs(writer: Writer, change: Change, call: Call): Promise<Settled> {
  const look = isVisible(change) ? (reader: Reader) => isInPlace(reader, change) : undefined;
  const settled = await writer.settle(call, look);
  const other =
    "failure" in settled && !settled.unknown ? amended(writer.catalogue, change, call, settled.failure) : undefined;
  return other ? writer.settle(other, look) : settled;
}

function unanswered({ failure, unknown, lookUp }: Extract<Settled, { failure: unknown }>, call: Call): Result {
  if (unknown) return { outcome: { status: "unknown", error: doubtIn(failure, lookUp) }, failure };
  if (isUnsent(failure, call)) return { outcome: { status: "skipped", error: "the run ended before it was sent" } };
  return { outcome: { status: "failed", error: explained(failure) }, failure };
}

function doubtIn(failure: CallFailed, lookUp: CallFailed | undefined): string {
  if (lookUp) return `${explained(failure)}; looking it up failed too: ${lookUp.message}`;
  return `${explained(failure)}; the server may or may not have acted`;
}

/** Whether the run ended before a call was sent: by a signal, or by another call, whose failure is then thrown for it too. */
function isUnsent(failure: CallFailed, { method, path }: Call): boolean {
  if (!failure.endsRun) return false;
  return failure.path !== path || failure.method !== method || (failure.kind === "aborted" && failure.attempts === 0);
}

/** Whether what is live now shows that a change was carried out. Only for one that {@link isVisible}. @throws CallFailed. */
export async function isInPlace(reader: Reader, change: Change): Promise<boolean> {
  const { kind, key, declared, origin } = change;
  const presence = isRemoval(change) ? "absent" : "present";
  const project = { name: change.project };
  const resources = [{ kind, key, fields: declared, origin, presence }] as const;
  return isCarriedOut(
    reader.catalogue,
    change,
    await readLive(reader, { project, kinds: new Set([kind]), resources, exclusive: new Map() }),
  );
}

/** What an answer to a write says of it (contract 13): servers may keep another value, or nothing at all. */
function answered(catalogue: Catalogue, change: Change, { body }: Answer): Outcome {
  if (!isRow(body) || isRemoval(change)) return { status: "applied" };
  if (body.inherited === true) {
    return { status: "failed", error: "inherited from the group, nothing was changed" };
  }
  const notKept = [
    ...differing(catalogue, change, reportedFields(catalogue, { ...change, fields: change.declared }, body)),
    ...offIn(change, body),
  ];
  return { status: "applied", ...(notKept.length > 0 && { not_kept: notKept }) };
}

/** What is written is meant to be on, unless it says itself whether it is. */
function offIn({ declared }: Change, { active }: Readonly<Record<string, unknown>>): string[] {
  return isOff(active) && !("active" in declared) ? ["active"] : [];
}

function differing(catalogue: Catalogue, change: Change, live: Fields): string[] {
  const isDifferent = ([name, value]: readonly [string, Value]) =>
    compareField(catalogue, change, name, value, live[name]) === "different";
  return Object.entries(change.declared)
    .filter(isDifferent)
    .map(([name]) => name);
}
