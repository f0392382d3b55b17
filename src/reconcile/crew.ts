import {
  type ApplyOptions,
  announce,
  type Batch,
  type ChangeEvent,
  type Outcomes,
  outcomesOf,
  type Step,
  type Watcher,
} from "../apply/apply.ts";
import { inParallel } from "../base/concurrency.ts";
import { Refusal } from "../base/exit.ts";
import type { ClientOptions, Reader, Writer } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { parseServerUrl } from "../client/server-url.ts";
import { type ChunkResult, partlyRead, readChunk, type WriteResult, writeChunk } from "../fleet/chunks.ts";
import { type Crew, openCrew } from "../fleet/crew.ts";
import { doChunk } from "../fleet/do-chunk.ts";
import { membershipFor, sentBy } from "../fleet/membership.ts";
import type { ReadElsewhere, SurveyScope } from "../live/survey.ts";
import { durationOf } from "../manifest/duration.ts";
import type { Change, Outcome } from "../model/types.ts";
import { callOf } from "../plan/make-plan.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import { type Lease, leaseDuration } from "../state/lease.ts";
import { saveUnstored } from "../state/unstored.ts";
import type { Context } from "./context.ts";

/** The workers of a run that asked for them. @throws Refusal where there is no state or queue that they share. */
export async function crewOf(
  context: Context,
  connection: ClientOptions,
  hands: { readonly reader: Reader; readonly writer?: Writer; readonly lease?: Lease },
): Promise<Crew | undefined> {
  const { request, state, claim, secrets, concurrency, loaded, meter } = context;
  if (!request.workers) return undefined;
  if (!state.shared) throw new Refusal(unshared);
  const { url, urlName, requestTimeout, allowInsecure = false, dialect, signal, rate } = connection;
  const workspace = loaded.workspace.name ?? "";
  const { run } = claim;
  let parts = 0;
  const warn = request.warn ?? (() => {});
  const unstored = (lines: readonly JournalLine[]) => {
    const sentence = saveUnstored(loaded.root, run, lines);
    if (sentence !== undefined) warn(sentence);
  };
  const stopped = () => (signal?.aborted ? "the run was stopped" : hands.lease?.lost());
  return openCrew({
    env: request.env,
    fleet: state.fleet,
    origin: parseServerUrl(url, allowInsecure, urlName).origin,
    heading: { workspace, run, requestTimeout, allowInsecure, dialect, rateLimit: rate?.limit },
    duration: membershipFor(leaseDuration(request.env, durationOf)),
    patience: waitFor(request.env),
    stopped,
    say: warn,
    sent: () => sentBy(hands.reader),
    watch: (seen) => {
      meter.see(seen);
      const progress = meter.at(performance.now(), new Date());
      if (progress) request.following?.(progress);
    },
    alone: async (chunk, lost) => {
      const sender = { name: `${run}.${++parts}`, member: run };
      const workers = Math.min(concurrency, mostProjects);
      const mayGoOn = () => stopped() ?? (chunk.kind === "write" ? lost() : undefined);
      const own = { ...hands, secrets, state, sender, requestTimeout, workers, stopped: mayGoOn, unstored };
      const result = await doChunk(chunk, own);
      // Its own requests are counted already.
      return "reads" in result ? { ...result, reads: 0 } : result;
    },
  });
}

/** Why a run cannot have workers. */
export const unshared = "workers need a state that they share: set EVENKEEL_STATE to a PostgreSQL database";

const mostProjects = 64;
const standardWait = 30_000;

/** Milliseconds for which a run waits for workers, and a worker for a run. @throws Refusal where EVENKEEL_WORKER_WAIT is no duration. */
export function waitFor({ EVENKEEL_WORKER_WAIT: written }: Context["request"]["env"]): number {
  const wait = written ? durationOf(written) : standardWait;
  if (wait !== undefined) return wait;
  throw new Refusal(`EVENKEEL_WORKER_WAIT is ${JSON.stringify(written)}; expected a duration such as 30s`);
}

/** A scope whose projects are read by workers, where there are any. */
export function readBy(crew: Crew | undefined, scope: SurveyScope): SurveyScope {
  return crew ? { ...scope, elsewhere: readingBy(crew, scope.stillAt) } : scope;
}

function readingBy(crew: Crew, stillAt: SurveyScope["stillAt"]): ReadElsewhere {
  return async (desired, arrived) => {
    const size = await crew.chunkSize(desired.length);
    let reads = 0;
    let left = desired.length;
    async function* chunks() {
      for (let start = 0; start < desired.length; start += size) {
        yield readChunk(desired.slice(start, start + size), stillAt);
      }
    }
    await crew.give(chunks(), async (index, result) => {
      if ("failure" in result) throw new CallFailed(result.failure);
      if (!("projects" in result)) return;
      reads += result.reads;
      left -= result.projects.length;
      for (const [offset, read] of result.projects.entries()) arrived(index * size + offset, partlyRead(read));
    });
    if (left > 0) throw interrupted(crew.why() ?? "the run was stopped");
    return reads;
  };
}

function interrupted(why: string): CallFailed {
  const facts = { method: "GET", path: "/projects", url: "the rest of the projects", kind: "aborted" } as const;
  return new CallFailed({ ...facts, what: `was not sent: ${why}`, endsRun: true, sent: false, attempts: 0 });
}

/** Has changes carried out by workers, with the lease of a run; they keep the journal of what they do. */
export function applyingBy(
  crew: Crew,
  context: Context,
  { token }: Lease,
  inFlight: readonly string[],
): NonNullable<ApplyOptions["elsewhere"]> {
  const { recheck = false, saved, savedRun } = context.request;
  const given = { token, recheck: recheck || saved !== undefined || savedRun !== undefined, inFlight };
  return (batches, options) => applyBy(crew, context, batches, { ...options, ...given });
}

type GivenOut = Pick<ApplyOptions, "watchers" | "workers" | "stopped"> & Parameters<typeof writeChunk>[0];

async function applyBy(crew: Crew, context: Context, batches: readonly Batch[], given: GivenOut): Promise<Outcomes> {
  const listeners = given.watchers.filter(({ isJournal }) => !isJournal);
  const size = await crew.chunkSize(batches.length);
  const under = new Map<number, readonly (readonly Step[])[]>();
  const events: ChangeEvent[] = [];
  let ended: string | undefined;
  let begun = 0;
  const why = () => given.stopped() ?? ended;
  async function* chunks() {
    while (begun < batches.length && !why()) {
      const some = batches.slice(begun, begun + size);
      const steps = await inParallel(some, given.workers, (batch) => batch.steps());
      ended ??= await unrecordable(listeners, steps);
      if (why()) return;
      under.set(begun / size, steps);
      begun += some.length;
      yield writeChunk(given, steps);
    }
  }
  const told = async (event: ChangeEvent) => {
    events.push(event);
    for (const watcher of listeners) await watcher.outcome?.(event);
  };
  const arrived = async (index: number, result: ChunkResult) => {
    const changes = changesIn(under.get(index) ?? []);
    under.delete(index);
    if ("failure" in result) throw new CallFailed(result.failure);
    if (!("events" in result)) return;
    for (const { ended: failure, ...event } of await withIntents(context, result.events)) {
      if (failure) ended ??= `the run ended after ${event.address} failed`;
      const change = changes.get(event.address);
      await told({ ...event, ...(change && { change }) });
    }
  };
  await crew.give(chunks(), arrived).catch((error) => {
    if (!(error instanceof Refusal)) throw error;
    ended ??= error.message;
  });
  const reason = why() ?? "the run was stopped";
  const known = under.size > 0 ? await intentsOf(context) : nobodySent;
  const unbegun = await inParallel(batches.slice(begun), given.workers, (batch) => batch.steps());
  const left = [
    ...[...under.values()].flat(2).map((step) => leftOver(step, reason, known)),
    ...unbegun.flat().map((step) => leftOver(step, reason, nobodySent)),
  ];
  for (const event of left) await told(event);
  return outcomesOf(events);
}

/** What keeps a watcher from recording a change keeps all of them from being sent. */
async function unrecordable(watchers: readonly Watcher[], steps: readonly (readonly Step[])[]) {
  const [first] = changesIn(steps).values();
  return first && announce(watchers, first, callOf(first));
}

function changesIn(steps: readonly (readonly Step[])[]): ReadonlyMap<string, Change> {
  return new Map(
    steps.flat().flatMap((step) => ("change" in step ? [[step.change.address, step.change] as const] : [])),
  );
}

/** What one worker skipped, another one may have sent before. */
async function withIntents(context: Context, events: WriteResult["events"]): Promise<WriteResult["events"]> {
  if (!events.some(({ outcome }) => outcome.status === "skipped")) return events;
  const known = await intentsOf(context);
  return events.map((event) => {
    const outcome = event.outcome.status === "skipped" ? known(event.address) : undefined;
    return outcome ? { ...event, outcome } : event;
  });
}

/** What is known of writes that others may have sent for this run; undefined: nobody did. */
type Intents = (address: string) => Outcome | undefined;

const nobodySent: Intents = () => undefined;

/** What the state knows of them; while it is away, any of them may have been sent. */
async function intentsOf({ state, claim }: Context): Promise<Intents> {
  try {
    const intents = await state.fleet.intents(claim.run);
    return (address) =>
      intents.has(address)
        ? (intents.get(address) ?? { status: "unknown", error: "a worker was sending it when the run ended" })
        : undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return () => ({ status: "unknown", error: `a worker may have sent it: ${error.message}` });
  }
}

/** What became of a step that no worker told of any more: what it had begun to send is known to the state alone. */
function leftOver(step: Step, why: string, known: Intents): ChangeEvent {
  if (!("change" in step)) return step;
  const { change } = step;
  const { address } = change;
  return { address, change, outcome: known(address) ?? { status: "skipped", error: why } };
}
