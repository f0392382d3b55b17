import { hostname } from "node:os";
import { pid } from "node:process";
import { UnavailableError, UserError } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { CallFailed } from "../client/failure.ts";
import { problemLine } from "../model/problem-line.ts";
import { loadProviders } from "../secrets/providers-file.ts";
import { createSecrets, type Secrets } from "../secrets/secrets.ts";
import { closeWithTimeout } from "../state/close-with-timeout.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import { stateAddress, stateAt } from "../state/open-state.ts";
import type { SharedState } from "../state/state.ts";
import { saveUnstored } from "../state/unstored-outcomes.ts";
import type { ChunkResult, Work } from "./chunks.ts";
import { doChunk, Stopped } from "./do-chunk.ts";
import { keepHeartbeat } from "./membership.ts";
import type { WorkEnd } from "./queue-consumer.ts";
import { turnDown } from "./receive-work.ts";
import { watchRun } from "./watched-run.ts";
import { keepConnected } from "./worker-connection.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** Projects read or written side by side. */
const mostProjects = 64;

/** What a worker has at hand for all that it does: a state for each workspace, one connection to the server. */
export interface WorkerSession extends AsyncDisposable {
  /** Does work, and keeps its result. @throws UserError where the state of its workspace cannot be used. */
  readonly take: (work: Work) => Promise<WorkEnd>;
  /** Says what becomes of what is no work for this worker. */
  readonly turnDown: ReturnType<typeof turnDown>;
  readonly hasWorked: () => boolean;
  /** Whether a run is there that gives work out for this server. */
  readonly hasRun: () => Promise<boolean>;
  /** Lets runs know that a worker is there, also where it was paused for long. @throws UnavailableError where the state is gone. */
  readonly stayPresent: () => Promise<void>;
}

/** @throws UserError where the state cannot be used. */
export async function openWorkerSession(options: WorkerOptions): Promise<WorkerSession> {
  const { env } = options;
  const address = stateAddress(env);
  if (!address) throw new UserError("a worker needs a state that runs share: set EVENKEEL_STATE");
  const openSecrets = secretsOf(options);
  const open = (workspace: string) => stateAt(address.url, address.variable, workspace, env);
  // Who is there, and what is sent, is told to the whole state; the workspace does not matter.
  const whole = await open("");
  try {
    return await sessionIn(whole, { ...options, open, openSecrets });
  } catch (error) {
    await whole[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Secrets are those of a chunk: a value that was rotated, or that could not be had before, is asked for again with the next
 * one. A file of providers that cannot be used is told before there is any work.
 */
function secretsOf({ env, root }: WorkerOptions): () => Secrets {
  const providers = loadProviders(env, root);
  const wrong = providers?.problems.find(({ severity }) => severity === "error");
  if (wrong) throw new UserError(problemLine(wrong));
  return () => createSecrets({ env, root, plaintext: new Map(), providers });
}

interface SessionOptions extends WorkerOptions {
  readonly open: (workspace: string) => Promise<SharedState>;
  readonly openSecrets: () => Secrets;
}

async function sessionIn(whole: SharedState, options: SessionOptions): Promise<WorkerSession> {
  const { origin, duration, concurrency, signal, openSecrets } = options;
  const { workers: store, rates } = whole;
  const states = keepState(options.open);
  const connections = keepConnected(options, rates);
  const presence = keepHeartbeat(store, origin, duration, connections.sent);
  await presence.current();
  let parts = 0;
  let isBusy = false;
  return {
    hasWorked: () => parts > 0,
    turnDown: turnDown(store, options.say),
    hasRun: async () => (await store.members()).some((each) => each.role === "run" && each.origin === origin),
    stayPresent: async () => {
      // What a worker has in flight is its own until it is done.
      if (!isBusy) await presence.current();
    },
    take: async (work) => {
      const state = await states.of(work.workspace);
      const membership = await presence.current();
      const { chunk, run, part, requestTimeout } = work;
      using watched = await watchRun(state, run, chunk.kind === "write" ? chunk.token : undefined);
      if (watched.over()) return "done";
      const mine = () => membership.lost() ?? (signal.aborted ? "the worker was stopped" : undefined);
      const stopped = () => watched.over() ?? mine();
      const secrets = openSecrets();
      const writer = await connections.writer(work, secrets, stopped);
      const sender = { name: `${membership.id}.${++parts}`, member: membership.id };
      const workers = Math.min(concurrency, mostProjects);
      const unstored = sayUnstored(options, run);
      try {
        isBusy = true;
        const context = { reader: writer, writer, secrets, state, sender, requestTimeout, workers, stopped, unstored };
        const result = withSender(await doChunk(chunk, context));
        if (mine()) return "requeue";
        // Who counts the requests of a run counts those of all results that it has.
        await membership.tell();
        await state.workers.saveResult(run, part, JSON.stringify(result));
        return "done";
      } catch (error) {
        if (error instanceof UnavailableError) throw error;
        if (mine()) return "requeue";
        // Whoever came next would fail likewise: the run is told, and ends as it would by itself.
        if (!(error instanceof Stopped))
          await state.workers.saveResult(run, part, JSON.stringify({ refused: wordsOf(error) }));
        return "done";
      } finally {
        isBusy = false;
      }
    },
    [Symbol.asyncDispose]: async () => {
      await connections.drop();
      await closeWithTimeout(presence.leave());
      await Promise.all([states.close(), whole[Symbol.asyncDispose]()]);
    },
  };
}

function thisWorker(): string {
  return `the worker on ${hostname().slice(0, 100)} (process ${pid})`;
}

function wordsOf(error: unknown): string {
  const words = knownSecrets.clean(error instanceof Error ? error.message : String(error));
  return `${error instanceof UserError ? words : `internal error: ${words}`}; reported by ${thisWorker()}`;
}

/** What ends a run may have its reason in the worker's token or network, so it says whose they are. */
function withSender(result: ChunkResult): ChunkResult {
  const whose = `sent by ${thisWorker()}`;
  if ("refused" in result) return result;
  if ("failure" in result) return { failure: new CallFailed(result.failure).endingRun(whose).facts };
  if (!("events" in result)) return result;
  const events = result.events.map((event) => {
    const { outcome, ended } = event;
    if (!ended || outcome.error === undefined) return event;
    return { ...event, outcome: { ...outcome, error: `${outcome.error}; ${whose}` } };
  });
  return { events };
}

/** The state of one workspace at a time: a database has few connections, and may have many workspaces. */
function keepState(open: (workspace: string) => Promise<SharedState>) {
  let last: { readonly workspace: string; readonly state: SharedState } | undefined;
  const close = async () => {
    await last?.state[Symbol.asyncDispose]();
    last = undefined;
  };
  return {
    close,
    of: async (workspace: string): Promise<SharedState> => {
      if (last?.workspace === workspace) return last.state;
      await close();
      last = { workspace, state: await open(workspace) };
      return last.state;
    },
  };
}

function sayUnstored({ root, say }: WorkerOptions, run: string) {
  return (lines: readonly JournalLine[]) => {
    const sentence = saveUnstored(root, run, lines);
    if (sentence !== undefined) say(sentence);
  };
}
