import { setTimeout as pause } from "node:timers/promises";
import type { Job } from "bullmq";
import { UnavailableError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import { closeWithTimeout } from "../state/close-with-timeout.ts";
import { connectQueue, untilReady } from "./queue.ts";
import type { BullMq } from "./queue-address.ts";

/** Takes work from a queue, one chunk at a time. Disposing waits for the current one. */
export interface QueueConsumer extends AsyncDisposable {
  /** Whether the queue is empty. */
  readonly isIdle: () => Promise<boolean>;
  /** Why the queue is unavailable, as far as the last checks know; sends nothing. */
  readonly lost: () => UnavailableError | undefined;
}

/** What happens to work that was taken: `requeue` returns it to the queue at once, `delay` after a second. */
export type WorkEnd = "done" | "requeue" | "delay";

/** How work is processed. */
interface ConsumerOptions {
  /** Milliseconds without a heartbeat after which the work of a worker is given to another. */
  readonly lock: number;
  readonly work: (text: string) => Promise<WorkEnd>;
}

/** Consumes the queue of a place until it is disposed. @throws UserError if the queue cannot be used. */
export async function openConsumer(
  env: Readonly<Record<string, string | undefined>>,
  place: string,
  { lock, work }: ConsumerOptions,
): Promise<QueueConsumer> {
  const client = await connectQueue(env, place);
  const { library, name, connection, call } = client;
  const backend = connection.backend as never;
  const isEmpty = async () => (await queue.getJobCountByTypes("waiting", "prioritized").catch(() => 0)) === 0;
  const processor = jobProcessor(library, work, isEmpty);
  const options = {
    connection: connection.options as never,
    autorun: false,
    concurrency: 1,
    lockDuration: lock,
    stalledInterval: Math.ceil(lock / 2),
    // Started work is never given up, because the state knows what was sent.
    maxStalledCount: 1_000_000,
  };
  const worker = new library.Worker(name, processor.process, options, backend);
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
      processor.stop();
      const stopping = worker.pause(true).then(() => worker.getBackend().disconnectBlocking(false));
      stopping.catch(() => {});
      await processor.finished();
      // If the queue is unavailable, what was not returned to it becomes available when its lock expires.
      await closeWithTimeout(Promise.all([stopping, running]));
      // Otherwise BullMQ waits until an unavailable queue is back.
      await closeWithTimeout(Promise.all([worker.close(true), queue.close()]));
      connection.cut(worker, queue);
    },
  };
}

/** Milliseconds before delayed work may be taken again. */
const jobDelay = 1000;

/** Milliseconds for which a consumer pauses if there is only work that it delayed: at first, and at most. */
const [minPause, maxPause] = [500, 5000];

/** Passes jobs to `work` and returns to the queue what is not done. */
function jobProcessor(
  { WaitingError, DelayedError }: BullMq,
  work: ConsumerOptions["work"],
  isEmpty: () => Promise<boolean>,
) {
  let current: Promise<WorkEnd> | undefined;
  let pauses = 0;
  const closing = new AbortController();
  const process = async (job: Job, token?: string) => {
    current = work(jobText(job));
    const end = await current;
    if (end !== "delay") pauses = 0;
    if (end === "done") return;
    if (end === "requeue") {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await job.moveToDelayed(Date.now() + jobDelay, token);
    if (await isEmpty()) {
      const duration = Math.min(minPause * 2 ** pauses++, maxPause);
      await pause(duration, undefined, { signal: closing.signal }).catch(() => {});
    }
    throw new DelayedError();
  };
  return { process, stop: () => closing.abort(), finished: () => current };
}

/** Empty for a job of another program. */
function jobText({ data }: Job): string {
  return isObject(data) && typeof data.text === "string" ? data.text : "";
}

const probeInterval = 3000;

/** Milliseconds without an answer; longer than for a state, which is reported first if both are unavailable. */
const patience = 15_000;

/** Probes the queue, because BullMQ reports no lost connection. */
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
      if (error instanceof UnavailableError && performance.now() - answeredAt >= patience) lost ??= error;
    }
    isProbing = false;
  }, probeInterval);
  timer.unref();
  return { lost: () => lost, stop: () => clearInterval(timer) };
}
