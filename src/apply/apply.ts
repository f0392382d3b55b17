import { inParallel } from "../base/concurrency.ts";
import type { Reader, Writer } from "../client/client.ts";
import type { Change, Outcome } from "../model/types.ts";
import { sendRecorded } from "./send-recorded.ts";
import type { ChangeEvent, Watcher } from "./watcher.ts";

export type { ChangeEvent, Watcher } from "./watcher.ts";

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
