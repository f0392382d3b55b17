import { UserError } from "../base/exit.ts";
import type { ClientOptions, Reader, Writer } from "../client/client.ts";
import { parseServerUrl, serverAt } from "../client/server-url.ts";
import { durationOf } from "../manifest/duration.ts";
import { ownKindsOf } from "../manifest/own-kinds.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import { type Lease, leaseDuration } from "../state/lease.ts";
import { isShared, type SharedState } from "../state/state.ts";
import { unshared } from "../state/state-address.ts";
import { saveUnstored } from "../state/unstored-outcomes.ts";
import type { Chunk, ChunkResult } from "../workers/chunks.ts";
import { type Dispatcher, openDispatcher } from "../workers/dispatcher.ts";
import { doChunk } from "../workers/do-chunk.ts";
import { membershipFor, sentBy } from "../workers/membership.ts";
import { type SignedOutcomes, signedOutcomes } from "../workers/signed-outcomes.ts";
import { workKey } from "../workers/work-key.ts";
import type { Context } from "./context.ts";

/** The run's own connection; a run that only reads has neither writer nor lease. */
interface OwnConnection {
  readonly reader: Reader;
  readonly writer?: Writer;
  readonly lease?: Lease;
}

/** Dispatches the work of a run to workers if it has `--workers`. @throws UserError if the state or the queue is not shared. */
export async function dispatcherOf(
  context: Context,
  connection: ClientOptions,
  own: OwnConnection,
): Promise<Dispatcher | undefined> {
  const { request, state, claim, loaded, meter } = context;
  if (!request.workers) return undefined;
  if (!isShared(state)) throw new UserError(unshared);
  const { url, urlName, token, requestTimeout, allowInsecure = false, dialect, signal, rate } = connection;
  const { run } = claim;
  const origin = serverAt(parseServerUrl(url, allowInsecure, urlName));
  const stopped = () => (signal?.aborted ? "the run was stopped" : own.lease?.lost());
  const workspace = loaded.workspace.name ?? "";
  const key = workKey(request.env, { token, origin });
  const outcomes = signedOutcomes(key, workspace, run);
  return openDispatcher({
    env: request.env,
    store: state.workers,
    origin,
    key,
    outcomes,
    common: {
      ...{ workspace, run },
      ...{ requestTimeout, allowInsecure, dialect, kinds: ownKindsOf(own.reader.catalogue), rateLimit: rate?.limit },
    },
    duration: membershipFor(leaseDuration(request.env, durationOf)),
    patience: waitFor(request.env),
    stopped,
    say: warningOf(context),
    sent: () => sentBy(own.reader),
    watch: (status) => {
      meter.see(status);
      const progress = meter.at(performance.now(), new Date());
      if (progress) request.following?.(progress);
    },
    runHere: runningChunks(context, state, { ...own, outcomes }, requestTimeout, stopped),
  });
}

function warningOf({ request }: Context): (sentence: string) => void {
  return request.warn ?? (() => {});
}

/** Runs chunks in this process, each with its own sender name. */
function runningChunks(
  context: Context,
  state: SharedState,
  own: OwnConnection & { readonly outcomes: SignedOutcomes },
  requestTimeout: number,
  stopped: () => string | undefined,
): (chunk: Chunk, lost: () => string | undefined) => Promise<ChunkResult> {
  const { claim, secrets, concurrency, loaded } = context;
  const { run } = claim;
  const workers = Math.min(concurrency, mostProjects);
  const unstored = (lines: readonly JournalLine[]) => {
    const sentence = saveUnstored(loaded.root, run, lines);
    if (sentence !== undefined) warningOf(context)(sentence);
  };
  let parts = 0;
  return async (chunk, lost) => {
    const sender = { name: `${run}.${++parts}`, member: run };
    const mayGoOn = () => stopped() ?? (chunk.kind === "write" ? lost() : undefined);
    const means = { ...own, secrets, state, sender, requestTimeout, workers, stopped: mayGoOn, unstored };
    const result = await doChunk(chunk, means);
    // Its own requests are counted already.
    return "reads" in result ? { ...result, reads: 0 } : result;
  };
}

/** Projects processed at the same time. */
const mostProjects = 64;
const standardWait = 30_000;

/** Milliseconds that a run waits for workers, and a worker for a run. @throws UserError for an invalid EVENKEEL_WORKER_WAIT. */
export function waitFor({ EVENKEEL_WORKER_WAIT: written }: Context["request"]["env"]): number {
  const wait = written ? durationOf(written) : standardWait;
  if (wait !== undefined) return wait;
  throw new UserError(`EVENKEEL_WORKER_WAIT is ${JSON.stringify(written)}; expected a duration such as 30s`);
}
