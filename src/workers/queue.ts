import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { closeWithTimeout } from "../state/close-with-timeout.ts";
import {
  type BullMq,
  type QueueAddress,
  type QueueConnection,
  queueAddressIn,
  queuePatience,
} from "./queue-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Gives work out. */
export interface WorkQueue extends AsyncDisposable {
  /** Texts by their names; a name that is waiting already is left as it is. @throws UserError where nobody is there. */
  readonly add: (works: ReadonlyMap<string, string>) => Promise<void>;
  /** Removes work; false if a worker has it, or there is none of this name. */
  readonly remove: (name: string) => Promise<boolean>;
  /** Whether work of this name is waiting or being done. */
  readonly has: (name: string) => Promise<boolean>;
}

/** Takes work, one after another. Disposing waits for what is being done. */
export interface WorkConsumer extends AsyncDisposable {
  /** Whether nothing is waiting. */
  readonly isIdle: () => Promise<boolean>;
  /** Why no more work can be taken; undefined while the queue answers. Asks nobody: it is looked at beside. */
  readonly lost: () => UnavailableError | undefined;
}

/**
 * What became of work that was taken: `later` gives it back to whoever comes next, `others` to them after this taker has
 * made room for them.
 */
export type WorkEnd = "done" | "later" | "others";

/** Milliseconds after which work for others may be taken again. */
const forOthers = 1000;

/** Milliseconds for which a taker takes nothing once it has found nothing but work for others: at first, and at most. */
const [shortestRest, longestRest] = [500, 5000];

/** Work for one server: that for others is left to others (docs/fleets.md). */
function nameFor(origin: string): string {
  return `evenkeel-${createHash("sha256").update(origin).digest("hex").slice(0, 24)}`;
}

/** Opens the queue of EVENKEEL_QUEUE, by default the database of the state. @throws UserError where it cannot be used. */
export async function openQueue(env: Environment, origin: string): Promise<WorkQueue> {
  const place = queueAddressIn(env);
  const library = await loaded(place);
  const { options, backend, cut } = await reached(place, place.connect(library));
  const queue = new library.Queue(nameFor(origin), { connection: options } as never, backend as never);
  await reached(place, ready(queue)).catch((error) => refuse(error, queue, cut));
  const asked = <Answer>(work: Promise<Answer>) => reached(place, work);
  const has = async (name: string) =>
    !["unknown", "failed", "completed"].includes(await asked(queue.getJobState(name)));
  return {
    add: async (works) => {
      const jobs = [...works].map(([jobId, text]) => ({
        name: "chunk",
        data: { text },
        opts: { jobId, removeOnComplete: true, removeOnFail: true },
      }));
      await asked(queue.addBulk(jobs));
    },
    // On Redis, what is not there counts as removed.
    remove: async (name) => (await has(name)) && (await asked(queue.remove(name))) === 1,
    has,
    [Symbol.asyncDispose]: () => closeWithTimeout(queue.close()).then(() => cut(queue)),
  };
}

/**
 * Takes work for one server as long as it is not disposed of. `lock`: milliseconds after which work of a worker that is
 * gone is given to another. @throws UserError where the queue cannot be used.
 */
export async function openConsumer(
  env: Environment,
  origin: string,
  { lock, work }: { readonly lock: number; readonly work: (text: string) => Promise<WorkEnd> },
): Promise<WorkConsumer> {
  const place = queueAddressIn(env);
  const library = await loaded(place);
  const { options, backend, cut } = await reached(place, place.connect(library));
  let doing: Promise<WorkEnd> | undefined;
  let rests = 0;
  const closing = new AbortController();
  const worker = new library.Worker(
    nameFor(origin),
    async (job, token) => {
      doing = work(textIn(job.data));
      const end = await doing;
      if (end !== "others") rests = 0;
      if (end === "done") return;
      if (end === "later") {
        await job.moveToWait(token);
        throw new library.WaitingError();
      }
      await job.moveToDelayed(Date.now() + forOthers, token);
      if (!(await hasMore())) {
        const rest = Math.min(shortestRest * 2 ** rests++, longestRest);
        await pause(rest, undefined, { signal: closing.signal }).catch(() => {});
      }
      throw new library.DelayedError();
    },
    {
      connection: options as never,
      autorun: false,
      concurrency: 1,
      lockDuration: lock,
      stalledInterval: Math.ceil(lock / 2),
      // Work that was begun is never given up: what was sent is known from the state.
      maxStalledCount: 1_000_000,
    },
    backend as never,
  );
  await reached(place, ready(worker)).catch((error) => refuse(error, worker, cut));
  const running = worker.run().catch(() => {});
  const queue = new library.Queue(nameFor(origin), { connection: options } as never, backend as never);
  queue.on("error", () => {});
  const hasMore = async () => (await queue.getJobCountByTypes("waiting", "prioritized").catch(() => 0)) > 0;
  const left = () => queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized");
  const watched = watching(() => reached(place, left()));
  return {
    isIdle: async () => (await left()) === 0,
    lost: watched.lost,
    [Symbol.asyncDispose]: async () => {
      watched.stop();
      closing.abort();
      const stopping = worker.pause(true).then(() => worker.getBackend().disconnectBlocking(false));
      stopping.catch(() => {});
      await doing;
      // Of a queue that is gone nothing can be said any more: what was not given back is given out once its lock ends.
      await closeWithTimeout(Promise.all([stopping, running]));
      // By force: otherwise the library waits for a queue that went away until it is back.
      await closeWithTimeout(Promise.all([worker.close(true), queue.close()]));
      cut(worker, queue);
    },
  };
}

/** Whoever puts something else into a queue has put no text there. */
function textIn(data: unknown): string {
  return isObject(data) && typeof data.text === "string" ? data.text : "";
}

/** Milliseconds between two looks at whether the queue answers. */
const betweenLooks = 3000;

/** Milliseconds for which it may not; more than a state is given, which is told of first where both are gone. */
const patience = 15_000;

/** The library waits for a queue that went away for as long as it takes, and says nothing. */
function watching(look: () => Promise<unknown>) {
  let answered = performance.now();
  let lost: UnavailableError | undefined;
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
      answered = performance.now();
    } catch (error) {
      if (error instanceof UnavailableError && performance.now() - answered >= patience) lost ??= error;
    }
    isLooking = false;
  }, betweenLooks);
  timer.unref();
  return { lost: () => lost, stop: () => clearInterval(timer) };
}

/** The packages are optional, and loaded here and not before. */
async function loaded({ redis }: QueueAddress): Promise<BullMq> {
  try {
    if (redis) await import("ioredis");
    return await import("bullmq");
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    const packages = redis ? "bullmq ioredis" : "bullmq";
    throw new UserError(`workers need packages that are not installed: npm install ${packages}`);
  }
}

/** What the queue answers in time. @throws UnavailableError where nobody is there. */
async function reached<Answer>({ words }: QueueAddress, answer: Promise<Answer>): Promise<Answer> {
  const timer = new AbortController();
  const late = pause(queuePatience, undefined, { signal: timer.signal }).then(() => {
    throw new Error("no answer in time");
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    answer.catch(() => {});
    throw new UnavailableError(`cannot use the queue ${words}: ${knownSecrets.clean(wordsOf(error))}`);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

interface Opened {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
}

/** Later errors are reported by the calls that fail. */
function ready(opened: Opened): Promise<unknown> {
  const failed = new Promise<never>((_, reject) => void opened.on("error", reject));
  failed.catch(() => {});
  return Promise.race([opened.waitUntilReady(), failed]);
}

/** Leaves nothing open that would keep the process alive. */
async function refuse(
  error: unknown,
  left: { readonly getBackend: () => { readonly close: (force: boolean) => Promise<void> } },
  cut: QueueConnection["cut"],
): Promise<never> {
  await closeWithTimeout(left.getBackend().close(true));
  cut(left);
  throw error;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  const code = systemCode(first) ?? "";
  if (/^E(?!RR_)[A-Z_]+$/.test(code)) return describeSystemError(first);
  return first instanceof Error ? first.message.split("\n")[0] || code : String(first);
}
