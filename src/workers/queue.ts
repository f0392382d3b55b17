import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../base/exit.ts";
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

/** A queue to which a run adds its chunks. */
export interface WorkQueue extends AsyncDisposable {
  /** Adds texts by name; names that are already in the queue are skipped. @throws UserError if the queue is unavailable. */
  readonly add: (works: ReadonlyMap<string, string>) => Promise<void>;
  /** False if a worker has started it, or there is none of this name. */
  readonly remove: (name: string) => Promise<boolean>;
  /** Whether it is waiting or being processed. */
  readonly has: (name: string) => Promise<boolean>;
}

/** The queue of one server. BullMQ waits for a lost connection without limit, so each call goes through `call`. */
interface QueueClient {
  readonly library: BullMq;
  readonly name: string;
  readonly connection: QueueConnection;
  /** @throws UnavailableError without an answer within 10 s. */
  readonly call: <Answer>(answer: Promise<Answer>) => Promise<Answer>;
}

/** A `Queue` or `Worker` of BullMQ. */
interface Opened {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  getBackend(): { close(force: boolean): Promise<void> };
}

/** Opens the queue of EVENKEEL_QUEUE, by default the database of the state. @throws UserError if it cannot be used. */
export async function openQueue(env: Environment, place: string): Promise<WorkQueue> {
  const client = await connectQueue(env, place);
  const { library, name: queueName, connection, call } = client;
  const queue = new library.Queue(queueName, { connection: connection.options } as never, connection.backend as never);
  await untilReady(client, queue);
  const has = async (name: string) => !["unknown", "failed", "completed"].includes(await call(queue.getJobState(name)));
  return {
    add: async (works) => {
      const jobs = [...works].map(([jobId, text]) => ({
        name: "chunk",
        data: { text },
        opts: { jobId, removeOnComplete: true, removeOnFail: true },
      }));
      await call(queue.addBulk(jobs));
    },
    // On Redis, removing a missing job succeeds.
    remove: async (name) => (await has(name)) && (await call(queue.remove(name))) === 1,
    has,
    [Symbol.asyncDispose]: () => closeWithTimeout(queue.close()).then(() => connection.cut(queue)),
  };
}

/** Each place (`WorkKey`) has its own queue. @throws UserError if the queue cannot be used. */
export async function connectQueue(env: Environment, place: string): Promise<QueueClient> {
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
export async function untilReady({ call, connection }: QueueClient, opened: Opened): Promise<void> {
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
