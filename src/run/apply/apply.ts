import { setTimeout as pause } from "node:timers/promises";
import { inParallel } from "../../base/concurrency.ts";
import type { Reader, Writer } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import type { Change, Outcome } from "../../model/types.ts";
import { bareCallsOf } from "../../plan/requests.ts";
import { type ChangeEvent, isInPlace, isVisible, sendRecorded, type Watcher } from "./send-change.ts";

export type { ChangeEvent, Watcher } from "./send-change.ts";

/** A change to apply, or a change of a saved plan whose outcome is already known. */
export type Step = { readonly change: Change } | { readonly address: string; readonly outcome: Outcome };

/** The steps of one project, computed immediately before the first write. */
export interface Batch {
  readonly steps: () => Promise<readonly Step[]>;
}

export interface ApplyOptions {
  /** Projects written at the same time. */
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Called before each write; a message is the reason to skip it. */
  readonly stopped: () => string | undefined;
  /** The outcome of a write that another process may have sent; undefined to send it now. */
  readonly known?: (reader: Reader, change: Change) => Promise<Pick<ChangeEvent, "outcome"> | undefined>;
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
  let ended: string | undefined;
  const end = (address: string) => {
    ended ??= `the run ended after ${address} failed`;
  };
  const ending = { ...options, stopped: () => options.stopped() ?? ended };
  const outcomes = await inParallel(batches, options.workers, (batch) => applyBatch(writer, batch, ending, end));
  return outcomesOf(outcomes.flat());
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
  const events: ChangeEvent[] = [];
  let failed: string | undefined;
  for (const step of await batch.steps()) {
    const event = await take(writer, step, failed, options);
    if (event.outcome.status === "failed" || event.outcome.status === "unknown") failed ??= event.address;
    if (event.failure?.endsRun) end(event.address);
    for (const watcher of options.watchers) await watcher.outcome?.(event);
    events.push(event);
  }
  return events;
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
  const skip = options.stopped() ?? (failed && `${failed} did not succeed`);
  if (skip) return { address, change, outcome: { status: "skipped", error: skip } };
  const known = await options.known?.(writer, change);
  if (known) return { address, change, ...known };
  return { address, change, ...(await sendRecorded(writer, change, options.watchers)) };
}

type Known = Awaited<ReturnType<NonNullable<ApplyOptions["known"]>>>;

/** Whether reading shows a change, or why it could not be read. */
async function observe(reader: Reader, change: Change): Promise<"there" | "missing" | CallFailed> {
  if (!isVisible(change)) return "missing";
  try {
    return (await isInPlace(reader, change)) ? "there" : "missing";
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** The outcome of a write that a stopped process may have sent; undefined, to send it again, if reading does not show it. */
async function lookUpWrite(reader: Reader, change: Change): Promise<Known> {
  const shown = await observe(reader, change);
  if (shown === "there") return { outcome: { status: "applied" } };
  if (shown === "missing") return undefined;
  const error = `a process that stopped may have sent it, and looking it up failed: ${shown.message}`;
  return { outcome: { status: "unknown", error } };
}

/** Milliseconds. */
const pollInterval = 500;

function isPosted({ catalogue }: Reader, change: Change): boolean {
  return bareCallsOf(change, catalogue).some(({ method }) => method === "POST");
}

/**
 * Requests that an interrupted run or worker left in flight may still be executed. Changes that would then exist twice wait until
 * those have timed out, `milliseconds` from now, and are sent if reading does not show them.
 */
export function afterEarlierRuns(
  inFlight: readonly string[],
  milliseconds: number,
  stopped: ApplyOptions["stopped"],
): NonNullable<ApplyOptions["known"]> {
  const addresses = new Set(inFlight);
  const over = performance.now() + milliseconds;
  return async (reader, change) => {
    if (!addresses.has(change.address) || !isPosted(reader, change)) return undefined;
    for (let left = milliseconds; left > 0 && !stopped(); left = over - performance.now()) {
      await pause(Math.min(left, pollInterval));
    }
    return lookUpWrite(reader, change);
  };
}
