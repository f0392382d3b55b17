import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../base/exit.ts";
import { inTrace, type Tracing } from "../client/spans.ts";
import type { Work } from "./chunks.ts";
import { openConsumer, type WorkEnd } from "./queue-consumer.ts";
import { receivedIn } from "./receive-work.ts";
import type { WorkerOptions } from "./worker-options.ts";
import { openWorkerSession, type WorkerSession } from "./worker-session.ts";

/** Milliseconds between two looks at whether there is anything to do. */
const betweenLooks = 250;

/** Milliseconds between two tries to open a state or a queue that went away. */
const betweenTries = 5000;

/**
 * Works for the runs of a state that are about one server, until it is stopped. Where state or queue go away later on, it
 * says so and comes back with them, unless it is there for one run.
 * @throws UserError where state or queue cannot be used when it starts.
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { signal, say } = options;
  let reported = "";
  for (let begun = false; !signal.aborted; ) {
    try {
      return await workWhileThere(options, () => {
        begun = true;
        reported = "";
      });
    } catch (error) {
      if (!begun || options.once !== undefined || !(error instanceof UnavailableError)) throw error;
      if (reported === "") say(`${error.message}; waiting for it to come back`);
      reported = error.message;
      await pause(betweenTries, undefined, { signal }).catch(() => {});
    }
  }
}

/** @throws UnavailableError where state or queue are not there any more. */
async function workWhileThere(options: WorkerOptions, begun: () => void): Promise<void> {
  const { env, origin, duration, say } = options;
  await using session = await openWorkerSession(options);
  let refused: UserError | undefined;
  const over = new AbortController();
  const taken = async (text: string): Promise<WorkEnd> => {
    if (over.signal.aborted || options.signal.aborted) return "requeue";
    try {
      return await received(session, options.tracing, text);
    } catch (error) {
      refused = error instanceof UserError ? error : new UserError(String(error));
      over.abort();
      return "requeue";
    }
  };
  await using consumer = await openConsumer(env, origin, { lock: Math.max(duration, 5000), work: taken });
  say(`Ready to work for ${origin}; interrupt to stop.`);
  begun();
  const isIdle = async () => (await consumer.isIdle()) && !(await session.hasRun());
  const stayThere = async () => {
    await session.stayPresent();
    const lost = consumer.lost();
    if (lost) throw lost;
  };
  const stopped = AbortSignal.any([over.signal, options.signal]);
  await untilOver(stopped, options.once, { isIdle, hasWorked: session.hasWorked, stayThere });
  over.abort();
  await consumer[Symbol.asyncDispose]();
  if (refused) throw refused;
}

function received(session: WorkerSession, tracing: Tracing | undefined, text: string): Promise<WorkEnd> {
  const found = receivedIn(text);
  return "work" in found ? takeTraced(session, tracing, found.work) : session.turnDown(found);
}

/** As a part of the run's own trace. */
function takeTraced(session: WorkerSession, tracing: Tracing | undefined, work: Work): Promise<WorkEnd> {
  const { traceparent, part, run, chunk } = work;
  if (!tracing || traceparent === undefined) return session.take(work);
  const attributes = { "evenkeel.run": run, "evenkeel.part": part };
  return inTrace(tracing, traceparent, [`${chunk.kind} chunk`, attributes], () => session.take(work));
}

interface Looks extends Pick<WorkerSession, "hasWorked"> {
  readonly isIdle: () => Promise<boolean>;
  /** @throws UnavailableError where state or queue are gone. */
  readonly stayThere: () => Promise<void>;
}

async function untilOver(signal: AbortSignal, once: number | undefined, looks: Looks): Promise<void> {
  const { isIdle, hasWorked, stayThere } = looks;
  let since = performance.now();
  while (!signal.aborted) {
    await stayThere();
    await pause(betweenLooks, undefined, { signal }).catch(() => {});
    if (once === undefined || signal.aborted) continue;
    if (!(await isIdle().catch(() => false))) since = performance.now();
    else if (hasWorked() || performance.now() - since >= once) return;
  }
}
