import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Job, RedisQueueBackend } from "bullmq";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { isObject } from "../../base/json.ts";
import { learnCredential } from "../../base/known-secrets.ts";
import { durationOf } from "../../base/rate.ts";
import { systemCode } from "../../base/system-errors.ts";
import { version } from "../../base/version.ts";
import { leaseDuration } from "../../state/lease.ts";
import { stateAddress } from "../../state/open-state.ts";
import {
  acceptedConfig,
  type Database,
  databaseAt,
  databaseErrorText,
  openSockets,
} from "../../state/postgres/connection.ts";
import type { Checked } from "../context.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A shard of a run that a worker plans or applies. Everything else is in the state and in the worker's checkout. */
export interface ShardJob {
  readonly run: string;
  readonly command: "plan" | "apply";
  readonly shard: string;
}

/** The queue to which a run adds its shards. Methods throw an {@link UnavailableError} if it does not answer. */
export interface WorkQueue extends AsyncDisposable {
  readonly add: (jobs: readonly ShardJob[]) => Promise<void>;
  readonly remove: (job: ShardJob) => Promise<void>;
}

/**
 * Opens the queue of EVENKEEL_QUEUE, by default the database of the state. `place` identifies workspace and manifests, so
 * that a worker with another checkout never sees the job. @throws UserError if it cannot be used.
 */
export async function openQueue(env: Environment, place: string): Promise<WorkQueue> {
  const { library, name, options, backend, call, ready, cut } = await connectQueue(env, place);
  const queue = await ready(new library.Queue(name, options, backend));
  return {
    add: async (jobs) => {
      const added = jobs.map((data) => ({
        name: data.command,
        data,
        opts: { jobId: jobId(data), removeOnComplete: true, removeOnFail: true },
      }));
      await call(queue.addBulk(added));
    },
    remove: async (job) => void (await call(queue.remove(jobId(job)))),
    [Symbol.asyncDispose]: () => closeInTime(queue.close()).then(() => cut(queue)),
  };
}

/** Must not contain a colon. */
function jobId({ run, shard }: ShardJob): string {
  return `${run}.${shard}`;
}

/**
 * Takes jobs, one at a time; disposing waits for the current one. `lock`: milliseconds without a heartbeat after which
 * a worker's job is given to another; `work` returns `requeue` to return the job to the queue.
 */
export async function openConsumer(
  env: Environment,
  place: string,
  { lock, work }: { readonly lock: number; readonly work: (job: ShardJob) => Promise<"done" | "requeue"> },
) {
  const { library, name, options, backend, call, ready, cut } = await connectQueue(env, place);
  let current: Promise<unknown> | undefined;
  const perform = async (job: Job, token?: string) => {
    if (!isShardJob(job.data)) return;
    const ending = work(job.data);
    current = ending;
    if ((await ending) === "done") return;
    await job.moveToWait(token);
    throw new library.WaitingError();
  };
  const workerOptions = {
    ...options,
    autorun: false,
    concurrency: 1,
    lockDuration: lock,
    stalledInterval: Math.ceil(lock / 2),
    // Started work must always be finished: the journal knows what was sent.
    maxStalledCount: 1_000_000,
  };
  const worker = await ready(new library.Worker(name, perform, workerOptions, backend));
  const running = worker.run().catch(() => {});
  const queue = new library.Queue(name, options, backend);
  queue.on("error", () => {});
  return {
    /** True if the queue holds no jobs. @throws UnavailableError if it does not respond. */
    isIdle: async () => (await call(queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized"))) === 0,
    [Symbol.asyncDispose]: async () => {
      const stopping = worker.pause(true).then(() => worker.getBackend().disconnectBlocking(false));
      stopping.catch(() => {});
      await current?.catch(() => {});
      // If the queue is unavailable, jobs that were not returned become available when their lock expires.
      await closeInTime(Promise.all([stopping, running]));
      // BullMQ would wait until an unavailable queue is back.
      await closeInTime(Promise.all([worker.close(true), queue.close()]));
      cut(worker, queue);
    },
  };
}

function isShardJob(data: unknown): data is ShardJob {
  if (!isObject(data)) return false;
  const { run, command, shard } = data;
  return typeof run === "string" && typeof shard === "string" && (command === "plan" || command === "apply");
}

/** A `Queue` or `Worker` of BullMQ. */
interface Opened {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  getBackend(): { close(force: boolean): Promise<void> };
}

/** BullMQ waits for a lost connection without limit, so each call goes through `call`. */
async function connectQueue(env: Environment, place: string) {
  const { words, database, redis } = queueAddressIn(env);
  const library = await importLibrary(redis !== undefined);
  const name = `evenkeel-${createHash("sha256").update(place).digest("hex").slice(0, 24)}`;
  /** @throws UnavailableError without a response within 10 s. */
  const call = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await within(queuePatience, answer);
    } catch (error) {
      throw new UnavailableError(`cannot use the queue ${words}: ${databaseErrorText(error)}`);
    }
  };
  const { stream, cut: cutSockets } = openSockets();
  const config = database && (await call(acceptedConfig(database, stream)));
  /** Closes the remaining connections of these immediately. */
  const cut = config ? cutSockets : disconnectRedis;
  /** If it cannot connect, closes it, so that nothing keeps the process alive. Later errors are reported by the calls that fail. */
  const ready = async <Each extends Opened>(opened: Each): Promise<Each> => {
    const failed = new Promise<never>((_, reject) => void opened.on("error", reject));
    failed.catch(() => {});
    try {
      await call(Promise.race([opened.waitUntilReady(), failed]));
      return opened;
    } catch (error) {
      await closeInTime(opened.getBackend().close(true));
      cut(opened);
      throw error;
    }
  };
  const connection = config ? { ...config, schema: "evenkeel_queue", migrate: true, max: 3 } : redis;
  const backend = config && library.createPostgresBackend;
  return { library, name, options: { connection: connection as never }, backend: backend as never, call, ready, cut };
}

/** The packages are optional, so they are imported only when needed. */
async function importLibrary(isRedis: boolean): Promise<typeof import("bullmq")> {
  try {
    if (isRedis) await import("ioredis");
    return await import("bullmq");
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    throw new UserError(`workers need packages that are not installed: npm install bullmq${isRedis ? " ioredis" : ""}`);
  }
}

function disconnectRedis(...left: readonly Opened[]): void {
  for (const each of left) {
    const { client, blockingClient } = each.getBackend() as unknown as RedisQueueBackend;
    for (const one of [client, blockingClient]) one?.then((open) => open.disconnect()).catch(() => {});
  }
}

/** Milliseconds to wait for a response, and for a connection to close. */
const [queuePatience, closing] = [10_000, 2000];

/** Ignores errors. */
async function closeInTime(closed: Promise<unknown>): Promise<void> {
  await within(closing, closed).catch(() => {});
}

/** Rejects after `time`. Until then the timer keeps the process alive: a connection that hangs may not. */
async function within<Result>(time: number, result: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const late = pause(time, undefined, { signal: timer.signal }).then(() => {
    throw new Error("no answer in time");
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    timer.abort();
  }
}

interface QueueAddress {
  /** For messages: host and port, without password. */
  readonly words: string;
  readonly database?: Database;
  readonly redis?: object;
}

/** The queue of EVENKEEL_QUEUE, by default the database of the state. @throws UserError if the address is invalid. */
export function queueAddressIn(env: Environment): QueueAddress {
  const { EVENKEEL_QUEUE: text } = env;
  if (text && !/^postgres(?:ql)?:/.test(text)) return redisAddress(text);
  const address = text ? { url: text, variable: "EVENKEEL_QUEUE" } : stateAddress(env);
  if (!address) throw new UserError("no queue: set EVENKEEL_STATE or EVENKEEL_QUEUE");
  const database = databaseAt(address.url, address.variable, env);
  return { words: database.place, database };
}

function redisAddress(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  learnCredential(url?.password ?? "", "[queue password]");
  const [, number] = /^\/?(\d{0,5})$/.exec(url?.pathname ?? "-") ?? [];
  const isQueue = url && /^(?:redis|valkey)s?:$/.test(url.protocol) && url.hostname;
  if (!isQueue || number === undefined || url.search || url.hash) throw new UserError(invalidAddress);
  const [username, password] = [url.username, url.password].map(decodePart);
  learnCredential(password ?? "", "[queue password]");
  const port = Number(url.port || 6379);
  const redis = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    ...(username && { username }),
    ...(password && { password }),
    ...(number && { db: Number(number) }),
    ...(/^(?:rediss|valkeys):$/.test(url.protocol) && { tls: {} }),
    maxRetriesPerRequest: null,
  };
  return { words: `${url.hostname}:${port}`, redis };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UserError(invalidAddress);
  }
}

/** Omits the address, which may contain a password. */
const invalidAddress =
  "EVENKEEL_QUEUE is not the address of a queue; expected postgres://, or redis://[USER][:PASSWORD@]HOST[:PORT][/NUMBER], with %25 for a % in user or password";

/** Identifies a queue: only workers with the same manifests for the same server see its jobs. */
export function queuePlace({ loaded, heading }: Pick<Checked, "loaded" | "heading">): string {
  return JSON.stringify([version, loaded.workspace.name ?? "", loaded.digest, heading.url]);
}

/** Milliseconds without a renewal after which a process that works on a shard counts as dead. */
export function shardDuration(env: Environment): number {
  return Math.min(leaseDuration(env), 20_000);
}

/**
 * Milliseconds that a run waits for workers, and a worker for a run. @throws UserError for an invalid
 * EVENKEEL_WORKER_WAIT.
 */
export function waitFor({ EVENKEEL_WORKER_WAIT: written }: Environment): number {
  const wait = durationOf(written || "30s");
  if (wait !== undefined) return wait;
  throw new UserError(`EVENKEEL_WORKER_WAIT is ${JSON.stringify(written)}; expected a duration such as 30s`);
}
