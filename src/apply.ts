import type { Answer, Reader, Writer } from "./client/client.ts";
import { CallFailed } from "./client/failure.ts";
import { compareField } from "./compare.ts";
import type { Difference } from "./diff.ts";
import { isRemoval } from "./guard.ts";
import { isRow, readLive, reportedFields } from "./live.ts";
import type { Call, Change, Fields, Outcome } from "./model.ts";
import { inParallel } from "./parallel.ts";
import { callOf } from "./plan.ts";

/** Told of each step as it happens; a journal or a progress bar listens. */
export interface Watcher {
  /** Before the request; awaited, so that an intent is on disk before the server can act. */
  readonly intent?: (change: Change, call: Call) => void;
  readonly outcome?: (change: Change, outcome: Outcome, answer?: Answer) => void;
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
 * Carries out changes: projects side by side, the changes of one project in their order. Never throws: what fails
 * is an outcome, after which the rest of that project is skipped and every other project goes on.
 */
export async function applyChanges(
  writer: Writer,
  differences: readonly Difference[],
  options: ApplyOptions,
): Promise<Outcomes> {
  const changed = differences.filter(({ changes }) => changes.length > 0);
  const outcomes = await inParallel(changed, options.workers, ({ changes }) => applyProject(writer, changes, options));
  return new Map(outcomes.flat());
}

async function applyProject(
  writer: Writer,
  changes: readonly Change[],
  options: ApplyOptions,
): Promise<[string, Outcome][]> {
  const outcomes: [string, Outcome][] = [];
  let failed: string | undefined;
  for (const change of changes) {
    const skip = failed ? `an earlier change of this project, ${failed}, did not succeed` : options.stopped();
    const outcome = skip ? skipped(change, skip, options) : await applyChange(writer, change, options);
    if (outcome.status === "failed" || outcome.status === "unknown") failed = change.address;
    outcomes.push([change.address, outcome]);
  }
  return outcomes;
}

function skipped(change: Change, error: string, { watchers }: ApplyOptions): Outcome {
  const outcome: Outcome = { status: "skipped", error };
  for (const watcher of watchers) watcher.outcome?.(change, outcome);
  return outcome;
}

async function applyChange(writer: Writer, change: Change, { watchers }: ApplyOptions): Promise<Outcome> {
  const call = callOf(change);
  for (const watcher of watchers) watcher.intent?.(change, call);
  const [outcome, answer] = await carryOut(writer, change, call);
  for (const watcher of watchers) watcher.outcome?.(change, outcome, answer);
  return outcome;
}

async function carryOut(writer: Writer, change: Change, call: Call): Promise<[Outcome, Answer?]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await writer.send(call);
      const notKept = notKeptIn(change, answer);
      return [notKept.length > 0 ? { status: "applied", not_kept: notKept } : { status: "applied" }, answer];
    } catch (error) {
      const outcome = await afterFailure(writer, change, asFailure(error), attempt);
      if (outcome) return [outcome];
    }
  }
}

const createAttempts = 3;

/**
 * Where a POST may have reached the server, its effect is looked up before anything is sent again, so that nothing is
 * ever created twice (contract 7). Undefined: it surely did not act, and may be sent again.
 */
async function afterFailure(
  writer: Writer,
  change: Change,
  failure: CallFailed | Error,
  attempt: number,
): Promise<Outcome | undefined> {
  const uncertain = failure instanceof CallFailed && failure.uncertain;
  if (!uncertain && !(attempt > 1 && failure instanceof CallFailed && failure.status === 400)) {
    return { status: "failed", error: failure.message };
  }
  try {
    if (await isInPlace(writer, change)) return { status: "applied" };
  } catch (lookup) {
    return { status: "unknown", error: `${failure.message}; looking it up failed too: ${asFailure(lookup).message}` };
  }
  if (uncertain && attempt < createAttempts) return undefined;
  return { status: "failed", error: failure.message };
}

async function isInPlace(reader: Reader, change: Change): Promise<boolean> {
  const { kind, key, declared, origin } = change;
  const wanted = { kind, key, fields: declared, origin, presence: "present" } as const;
  const project = { name: change.project };
  const live = await readLive(reader, { project, kinds: new Set([kind]), resources: [wanted], exclusive: new Map() });
  return live.some((found) => found.kind === kind && found.key === key && differing(change, found.fields).length === 0);
}

function asFailure(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
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
