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
import { stateAt } from "../state/open-state.ts";
import type { SharedState } from "../state/state.ts";
import { stateAddress } from "../state/state-address.ts";
import { saveUnstored } from "../state/unstored-outcomes.ts";
import type { ChunkResult, Work } from "./chunks.ts";
import { doChunk, Stopped } from "./do-chunk.ts";
import { keepHeartbeat } from "./membership.ts";
import type { WorkEnd } from "./queue-consumer.ts";
import { lateness, rejectWork } from "./receive-work.ts";
import { createRunLog } from "./run-log.ts";
import { signedOutcomes } from "./signed-outcomes.ts";
import { watchRun } from "./watched-run.ts";
import type { WorkKey } from "./work-key.ts";
import { keepConnected, type WorkerOptions } from "./worker-connection.ts";

/** Projects read or written concurrently. */
const maxProjects = 64;

/** The open state and server connection of a worker. */
export interface WorkerSession extends AsyncDisposable {
  /** Processes a chunk and saves its result. @throws UserError if the state of its workspace cannot be used. */
  readonly process: (work: Work) => Promise<WorkEnd>;
  readonly reject: ReturnType<typeof rejectWork>;
  readonly hasWorked: () => boolean;
  /** Whether a run with workers is active for this server. */
  readonly hasRun: () => Promise<boolean>;
  /** Rejoins if heartbeats were missed. @throws UnavailableError if the state is unavailable. */
  readonly keepAlive: () => Promise<void>;
}

/** @throws UserError if the state cannot be used. */
export async function openWorkerSession(options: WorkerOptions, key: WorkKey): Promise<WorkerSession> {
  const { env } = options;
  const address = stateAddress(env);
  if (!address) throw new UserError("a worker needs a state that runs share: set EVENKEEL_STATE");
  const openSecrets = secretsOf(options);
  const open = (workspace: string) => stateAt(address.url, address.variable, workspace, env);
  // Members and rates are shared by all workspaces of a state.
  const whole = await open("");
  try {
    return await sessionIn(whole, { ...options, key, open, openSecrets });
  } catch (error) {
    await whole[Symbol.asyncDispose]();
    throw error;
  }
}

/** Secrets are resolved again for each chunk, because they may be rotated. @throws UserError if the providers file is invalid. */
function secretsOf({ env, root }: WorkerOptions): () => Secrets {
  const providers = loadProviders(env, root);
  const wrong = providers?.problems.find(({ severity }) => severity === "error");
  if (wrong) throw new UserError(problemLine(wrong));
  return () => createSecrets({ env, root, plaintext: new Map(), providers });
}

interface SessionOptions extends WorkerOptions {
  readonly key: WorkKey;
  readonly open: (workspace: string) => Promise<SharedState>;
  readonly openSecrets: () => Secrets;
}

async function sessionIn(whole: SharedState, options: SessionOptions): Promise<WorkerSession> {
  const { key, duration, concurrency, signal, openSecrets } = options;
  const { workers: store, rates } = whole;
  const states = keepState(options.open);
  const connections = keepConnected(options, rates);
  const presence = keepHeartbeat(store, key.place, duration, connections.sent);
  await presence.current();
  const log = createRunLog(options.say, store.members);
  let parts = 0;
  let isBusy = false;
  return {
    hasWorked: () => parts > 0,
    reject: rejectWork(store, options.say),
    hasRun: async () => (await store.members()).some((each) => each.role === "run" && each.origin === key.place),
    keepAlive: async () => {
      // A chunk is finished under the ID with which it was started.
      if (!isBusy) await presence.current();
    },
    process: async (work) => {
      const state = await states.of(work.workspace);
      const membership = await presence.current();
      const { chunk, run, part, requestTimeout } = work;
      using watched = await watchRun(state, run, chunk.kind === "write" ? chunk.token : undefined);
      if (watched.over()) return "done";
      const save = (result: ChunkResult) =>
        state.workers.saveResult(run, part, key.sign(["result", work.workspace, run, part], JSON.stringify(result)));
      const late = lateness(work, Date.now());
      if (late !== undefined) {
        await save({ refused: `${late}; reported by ${thisWorker()}` });
        return "done";
      }
      const mine = () => membership.lost() ?? (signal.aborted ? "the worker was stopped" : undefined);
      const stopped = () => watched.over() ?? mine();
      const secrets = openSecrets();
      const writer = await connections.writer(work, secrets, stopped);
      const sender = { name: `${membership.id}.${++parts}`, member: membership.id };
      const workers = Math.min(concurrency, maxProjects);
      const unstored = reportUnstored(options, run);
      try {
        isBusy = true;
        const outcomes = signedOutcomes(key, work.workspace, run);
        const means = { reader: writer, writer, secrets, state, sender, outcomes };
        const context = { ...means, requestTimeout, workers, stopped, unstored };
        const result = withSender(await doChunk(chunk, context));
        if (mine()) return "requeue";
        // So that the request count of the run includes all requests of its results.
        await membership.heartbeat();
        await save(result);
        log.count(work);
        return "done";
      } catch (error) {
        if (error instanceof UnavailableError) throw error;
        if (mine()) return "requeue";
        // Another worker would fail in the same way, so the error ends the run.
        if (!(error instanceof Stopped)) await save({ refused: errorText(error) });
        return "done";
      } finally {
        isBusy = false;
      }
    },
    [Symbol.asyncDispose]: async () => {
      log[Symbol.dispose]();
      await connections.drop();
      await closeWithTimeout(presence.leave());
      await Promise.all([states.close(), whole[Symbol.asyncDispose]()]);
    },
  };
}

function thisWorker(): string {
  return `the worker on ${hostname().slice(0, 100)} (process ${pid})`;
}

function errorText(error: unknown): string {
  const text = knownSecrets.clean(error instanceof Error ? error.message : String(error));
  return `${error instanceof UserError ? text : `internal error: ${text}`}; reported by ${thisWorker()}`;
}

/** Names this worker in errors that end a run, because its token or network may be the cause. */
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

/** Keeps the state of one workspace open at a time, because connections to a database are limited. */
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

function reportUnstored({ root, say }: WorkerOptions, run: string) {
  return (lines: readonly JournalLine[]) => {
    const sentence = saveUnstored(root, run, lines);
    if (sentence !== undefined) say(sentence);
  };
}
