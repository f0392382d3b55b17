import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "bullmq";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { isObject } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import {
  type BullMq,
  closeWithTimeout,
  type QueueAddress,
  type QueueConnection,
  queueAddressIn,
  queuePatience,
} from "./queue-address.ts";

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

/** BullMQ waits for a lost connection without limit, so each call goes through `call`. */
interface QueueClient {
  readonly library: BullMq;
  readonly name: string;
  readonly connection: QueueConnection;
  /** @throws UnavailableError without a response within 10 s. */
  readonly call: <Answer>(answer: Promise<Answer>) => Promise<Answer>;
}

/** A `Queue` or `Worker` of BullMQ. */
interface Opened {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  getBackend(): { close(force: boolean): Promise<void> };
}

/**
 * Opens the queue of EVENKEEL_QUEUE, by default the database of the state. `place` identifies workspace and manifests, so
 * that a worker with another checkout never sees the job. @throws UserError if it cannot be used.
 */
export async function openQueue(env: Environment, place: string): Promise<WorkQueue> {
  const client = await connectQueue(env, place);
  const { library, name, connection, call } = client;
  const queue = new library.Queue(name, { connection: connection.options } as never, connection.backend as never);
  await untilReady(client, queue);
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
    [Symbol.asyncDispose]: () => closeWithTimeout(queue.close()).then(() => connection.cut(queue)),
  };
}

/** Must not contain a colon. */
function jobId({ run, shard }: ShardJob): string {
  return `${run}.${shard}`;
}

/** Takes jobs from a queue, one at a time. Disposing waits for the current one. */
export interface QueueConsumer extends AsyncDisposable {
  readonly isIdle: () => Promise<boolean>;
  /** The reason why the queue is unavailable according to the last probes; sends nothing. */
  readonly lost: () => UnavailableError | undefined;
}

interface ConsumerOptions {
  /** Milliseconds without a heartbeat after which a worker's job is given to another. */
  readonly lock: number;
  /** `requeue` returns the job to the queue. */
  readonly work: (job: ShardJob) => Promise<"done" | "requeue">;
}

export async function openConsumer(
  env: Environment,
  place: string,
  { lock, work }: ConsumerOptions,
): Promise<QueueConsumer> {
  const client = await connectQueue(env, place);
  const { library, name, connection, call } = client;
  const backend = connection.backend as never;
  let current: Promise<unknown> | undefined;
  const perform = async (job: Job, token?: string) => {
    if (!isShardJob(job.data)) return;
    const ending = work(job.data);
    current = ending;
    if ((await ending) === "done") return;
    await job.moveToWait(token);
    throw new library.WaitingError();
  };
  const options = {
    connection: connection.options as never,
    autorun: false,
    concurrency: 1,
    lockDuration: lock,
    stalledInterval: Math.ceil(lock / 2),
    // Started work must always be finished: the journal knows what was sent.
    maxStalledCount: 1_000_000,
  };
  const worker = new library.Worker(name, perform, options, backend);
  await untilReady(client, worker);
  const running = worker.run().catch(() => {});
  const queue = new library.Queue(name, { connection: connection.options } as never, backend);
  queue.on("error", () => {});
  const countJobs = () => queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized");
  const monitor = monitorQueue(() => call(countJobs()));
  return {
    isIdle: async () => (await countJobs()) === 0,
    lost: monitor.lost,
    [Symbol.asyncDispose]: async () => {
      monitor.stop();
      const stopping = worker.pause(true).then(() => worker.getBackend().disconnectBlocking(false));
      stopping.catch(() => {});
      await current?.catch(() => {});
      // If the queue is unavailable, jobs that were not returned become available when their lock expires.
      await closeWithTimeout(Promise.all([stopping, running]));
      // BullMQ would wait until an unavailable queue is back.
      await closeWithTimeout(Promise.all([worker.close(true), queue.close()]));
      connection.cut(worker, queue);
    },
  };
}

function isShardJob(data: unknown): data is ShardJob {
  if (!isObject(data)) return false;
  const { run, command, shard } = data;
  return typeof run === "string" && typeof shard === "string" && (command === "plan" || command === "apply");
}

const probeInterval = 3000;

/** Milliseconds without a response; longer than for a state, which is reported first if both are unavailable. */
const probePatience = 15_000;

/** Probes the queue, because BullMQ does not report lost connections. */
function monitorQueue(probe: () => Promise<unknown>) {
  let answeredAt = performance.now();
  let lost: UnavailableError | undefined;
  let isProbing = false;
  const timer = setInterval(async () => {
    if (isProbing) return;
    isProbing = true;
    try {
      await probe();
      answeredAt = performance.now();
    } catch (error) {
      if (error instanceof UnavailableError && performance.now() - answeredAt >= probePatience) lost ??= error;
    }
    isProbing = false;
  }, probeInterval);
  timer.unref();
  return { lost: () => lost, stop: () => clearInterval(timer) };
}

async function connectQueue(env: Environment, place: string): Promise<QueueClient> {
  const address = queueAddressIn(env);
  const library = await importLibrary(address);
  const call: QueueClient["call"] = (answer) => answerInTime(address, answer);
  const connection = await call(address.connect(library));
  const name = `evenkeel-${createHash("sha256").update(place).digest("hex").slice(0, 24)}`;
  return { library, name, connection, call };
}

/** The packages are optional, so they are imported only when needed. */
async function importLibrary({ redis }: QueueAddress): Promise<BullMq> {
  try {
    if (redis) await import("ioredis");
    return await import("bullmq");
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    const packages = redis ? "bullmq ioredis" : "bullmq";
    throw new UserError(`workers need packages that are not installed: npm install ${packages}`);
  }
}

async function answerInTime<Answer>({ words }: QueueAddress, answer: Promise<Answer>): Promise<Answer> {
  const timer = new AbortController();
  const late = pause(queuePatience, undefined, { signal: timer.signal }).then(() => {
    throw new Error("no answer in time");
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    answer.catch(() => {});
    throw new UnavailableError(`cannot use the queue ${words}: ${knownSecrets.clean(errorText(error))}`);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

/** If it cannot connect, closes it, so that nothing keeps the process alive. Later errors are reported by the calls that fail. */
async function untilReady({ call, connection }: QueueClient, opened: Opened): Promise<void> {
  const failed = new Promise<never>((_, reject) => void opened.on("error", reject));
  failed.catch(() => {});
  try {
    await call(Promise.race([opened.waitUntilReady(), failed]));
  } catch (error) {
    await closeWithTimeout(opened.getBackend().close(true));
    connection.cut(opened);
    throw error;
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  const code = systemCode(first) ?? "";
  if (/^E(?!RR_)[A-Z_]+$/.test(code)) return describeSystemError(first);
  return first instanceof Error ? first.message.split("\n")[0] || code : String(first);
}
