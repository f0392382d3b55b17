import { type ApplyOptions, type ChangeEvent, runBatches, type Step, type Watcher } from "../apply/apply.ts";
import { afterEarlierRuns } from "../apply/earlier-writes.ts";
import { writtenState } from "../apply/verify-write.ts";
import { journalling } from "../apply/watcher.ts";
import { inParallel } from "../base/concurrency.ts";
import { markKey } from "../base/secret-mark.ts";
import type { Reader, Writer } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { readReadable } from "../live/read-live.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, SecretReference } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import { secretsSentBy } from "../plan/requests.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { startJournal } from "../state/journal.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import type { SharedState } from "../state/state.ts";
import type { Sender } from "../state/worker-store.ts";
import {
  batchesIn,
  type Chunk,
  type ChunkResult,
  projectsToRead,
  type ReadChunk,
  type ReadResult,
  type WriteChunk,
  type WriteResult,
  wireRead,
} from "./chunks.ts";
import { claimWrite, settling } from "./intents.ts";
import { recheckOf } from "./recheck.ts";
import { seal, sealDigests } from "./sealed-digests.ts";
import type { SignedOutcomes } from "./signed-outcomes.ts";

/** What a process needs to execute chunks. */
export interface ChunkContext {
  readonly reader: Reader;
  /** Undefined if the process only reads. */
  readonly writer?: Writer | undefined;
  readonly secrets: Secrets;
  readonly state: SharedState;
  readonly sender: Sender;
  readonly outcomes: SignedOutcomes;
  /** Milliseconds after which a request times out. */
  readonly requestTimeout: number;
  /** Projects processed concurrently. */
  readonly workers: number;
  /** Why to stop; undefined to continue. */
  readonly stopped: () => string | undefined;
  /** Called with the lines that the journal could not store. */
  readonly unstored: (lines: readonly JournalLine[]) => void;
}

/** Executes a chunk until it is stopped. An error that ends the run is returned as its result. */
export async function doChunk(chunk: Chunk, context: ChunkContext): Promise<ChunkResult> {
  try {
    return chunk.kind === "read" ? await read(chunk, context) : await write(chunk, context);
  } catch (error) {
    if (error instanceof CallFailed) return { failure: error.facts };
    throw error;
  }
}

async function read(chunk: ReadChunk, { reader, secrets, workers, stopped }: ChunkContext): Promise<ReadResult> {
  const projects = projectsToRead(chunk);
  // Resolved first, because responses may contain secrets, which must be redacted.
  secrets.missing(projects.flatMap(({ desired }) => desired.resources.flatMap(({ fields }) => referencesIn(fields))));
  const before = reader.counts.reads;
  const found = await inParallel(projects, workers, async ({ desired, stillAt }) => {
    const why = stopped();
    if (why) throw new Stopped(why);
    return wireRead(await readReadable(reader, desired, () => (one) => stillAt(one.desired) === one.updatedAt));
  });
  const hasMarks = found.some(({ live }) => live.some(({ returned }) => returned));
  const reads = reader.counts.reads - before;
  return { reads, projects: found, ...(hasMarks && { markKey: seal(markKey, chunk.sealFor) }) };
}

/** Thrown to abandon a chunk. */
export class Stopped extends Error {}

async function write(chunk: WriteChunk, context: ChunkContext): Promise<WriteResult> {
  const { writer, state, sender, outcomes, secrets, workers, stopped } = context;
  const { token } = chunk;
  if (!writer) throw new RangeError("this process only reads");
  const batches = batchesIn(chunk);
  const { catalogue } = writer;
  await secrets.ask(batches.flatMap((steps) => referencesOf(steps, catalogue)));
  const sealed = sealDigests(secrets, chunk.sealFor, catalogue);
  const sending = { store: state.workers, token, sender, outcomes, grace: context.requestTimeout, stopped, sealed };
  const journal = startJournal(state, token, () => new Date());
  try {
    const watchers: readonly Watcher[] = [journalling(journal), settling(sending)];
    const recheck = chunk.recheck ? recheckOf(batches.flatMap(changesIn)) : undefined;
    const earlier = afterEarlierRuns(chunk.inFlight, context.requestTimeout, stopped);
    const sentByOthers = new Map<string, readonly string[]>();
    const known: ApplyOptions["known"] = async (reader, change) => {
      const shared = await claimWrite(sending, reader, change);
      const before = shared ?? (await earlier(reader, change));
      if (before) sentByOthers.set(change.address, shared?.sealed ?? []);
      const outcome = before ? undefined : await recheck?.(reader, change);
      return outcome ? { outcome } : before;
    };
    const events = await runBatches(
      writer,
      batches.map((steps) => ({ steps: async () => withSecrets(steps, secrets, catalogue) })),
      { workers, watchers, stopped, known },
    );
    const sealedBy = ({ address, change }: ChangeEvent) =>
      sentByOthers.get(address) ?? (change ? [sealed(change)].filter(Boolean) : []);
    return { events: events.map((event) => wireEvent(writer.catalogue, event, sealedBy(event))) };
  } finally {
    await journal.close();
    context.unstored(journal.unstored());
  }
}

/** If a secret of a project cannot be resolved, none of its changes is written. */
function withSecrets(steps: readonly Step[], secrets: Secrets, catalogue: Catalogue): readonly Step[] {
  const missing = secrets.missing(referencesOf(steps, catalogue));
  if (missing.length === 0) return steps;
  const error = `a secret is needed and cannot be resolved: ${missing.join(", ")}`;
  return steps.map((step) =>
    "change" in step ? { address: step.change.address, outcome: { status: "failed", error } } : step,
  );
}

function referencesOf(steps: readonly Step[], catalogue: Catalogue): SecretReference[] {
  return changesIn(steps).flatMap((change) => secretsSentBy(change, catalogue));
}

function changesIn(steps: readonly Step[]): Change[] {
  return steps.flatMap((step) => ("change" in step ? step.change : []));
}

function wireEvent(
  catalogue: Catalogue,
  { address, outcome, change, answer, failure, isReported }: ChangeEvent,
  sealed: readonly string[],
): WriteResult["events"][number] {
  const isSeen = change && !isReported && outcome.status === "applied" && !isRemoval(change);
  return {
    address,
    outcome,
    ...(isSeen && { seen: writtenState(catalogue, change, answer) }),
    ...(failure?.endsRun && { ended: failure.facts }),
    ...(outcome.status === "applied" && sealed.length > 0 && { sealed }),
  };
}
