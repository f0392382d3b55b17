import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../base/exit.ts";
import { openConsumer, type WorkEnd } from "./queue-consumer.ts";
import { type QueuedWork, receivedIn } from "./receive-work.ts";
import { workKey } from "./work-key.ts";
import type { WorkerOptions } from "./worker-connection.ts";
import { openWorkerSession, type WorkerSession } from "./worker-session.ts";

/** Milliseconds. */
const pollInterval = 250;

/** Milliseconds between attempts to reconnect to the state and the queue. */
const reconnectInterval = 5000;

/**
 * Processes the work of all runs for one server until it is stopped. If the state or the queue becomes unavailable later,
 * it waits until they are back, except with `once`.
 * @throws UserError if the state or the queue cannot be used at the start.
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { signal, say } = options;
  let reported = "";
  for (let isReady = false; !signal.aborted; ) {
    try {
      return await workUntilUnavailable(options, () => {
        isReady = true;
        reported = "";
      });
    } catch (error) {
      if (!isReady || options.once !== undefined || !(error instanceof UnavailableError)) throw error;
      if (reported === "") say(`${error.message}; waiting for it to come back`);
      reported = error.message;
      await pause(reconnectInterval, undefined, { signal }).catch(() => {});
    }
  }
}

/** @throws UnavailableError if the state or the queue becomes unavailable. */
async function workUntilUnavailable(options: WorkerOptions, onReady: () => void): Promise<void> {
  const { env, origin, duration, say } = options;
  const key = workKey(env, options);
  await using session = await openWorkerSession(options, key);
  let failure: UserError | undefined;
  const failed = new AbortController();
  const process = async (text: string): Promise<WorkEnd> => {
    if (failed.signal.aborted || options.signal.aborted) return "requeue";
    try {
      return await processWork(session, receivedIn(text, key));
    } catch (error) {
      failure = error instanceof UserError ? error : new UserError(String(error));
      failed.abort();
      return "requeue";
    }
  };
  await using consumer = await openConsumer(env, key.place, { lock: Math.max(duration, 5000), work: process });
  say(`Ready to work for ${origin}; interrupt to stop.`);
  onReady();
  const isIdle = async () => (await consumer.isIdle()) && !(await session.hasRun());
  const keepAlive = async () => {
    await session.keepAlive();
    const lost = consumer.lost();
    if (lost) throw lost;
  };
  const stopped = AbortSignal.any([failed.signal, options.signal]);
  await untilDone(stopped, options.once, { isIdle, hasWorked: session.hasWorked, keepAlive });
  failed.abort();
  await consumer[Symbol.asyncDispose]();
  if (failure) throw failure;
}

function processWork(session: WorkerSession, found: QueuedWork): Promise<WorkEnd> {
  return "work" in found ? session.process(found.work) : session.reject(found);
}

interface Probes extends Pick<WorkerSession, "hasWorked"> {
  readonly isIdle: () => Promise<boolean>;
  /** @throws UnavailableError if the state or the queue is unavailable. */
  readonly keepAlive: () => Promise<void>;
}

async function untilDone(signal: AbortSignal, once: number | undefined, probes: Probes): Promise<void> {
  const { isIdle, hasWorked, keepAlive } = probes;
  let since = performance.now();
  while (!signal.aborted) {
    await keepAlive();
    await pause(pollInterval, undefined, { signal }).catch(() => {});
    if (once === undefined || signal.aborted) continue;
    if (!(await isIdle().catch(() => false))) since = performance.now();
    else if (hasWorked() || performance.now() - since >= once) return;
  }
}
