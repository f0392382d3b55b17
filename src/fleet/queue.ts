import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { Refusal } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { systemCode } from "../base/system-errors.ts";
import { stateAddress } from "../state/open-state.ts";
import { type Database, databaseAt } from "../state/postgres/connection.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type BullMq = typeof import("bullmq");

/** Gives work out. */
export interface WorkQueue extends AsyncDisposable {
  /** Texts by their names; a name that is waiting already is left as it is. @throws Refusal where nobody is there. */
  readonly add: (works: ReadonlyMap<string, string>) => Promise<void>;
  /** Takes work back; false where somebody has it, or nobody knows it. */
  readonly remove: (name: string) => Promise<boolean>;
  /** Whether work of this name is waiting or being done. */
  readonly has: (name: string) => Promise<boolean>;
}

/** Takes work, one after another. Disposing waits for what is being done. */
export interface WorkTaker extends AsyncDisposable {
  /** Whether nothing is waiting. */
  readonly isIdle: () => Promise<boolean>;
}

/** What became of work that was taken: `later` gives it back to whoever comes next. */
export type WorkEnd = "done" | "later";

/** Where a queue is: the words for people hold no password. */
interface QueuePlace {
  readonly words: string;
  readonly redis: boolean;
  readonly connect: (library: BullMq) => Promise<Connection>;
}

interface Connection {
  readonly options: object;
  readonly backend: unknown;
}

/** Milliseconds for which a queue may take to answer at first. */
const patience = 10_000;

/** Work for one server: that for others is left to others (contract 12). */
function nameFor(origin: string): string {
  return `evenkeel-${createHash("sha256").update(origin).digest("hex").slice(0, 24)}`;
}

/** Opens the queue of EVENKEEL_QUEUE, by default the database of the state. @throws Refusal where it cannot be used. */
export async function openQueue(env: Environment, origin: string): Promise<WorkQueue> {
  const place = placeOf(env);
  const library = await loaded(place);
  const { options, backend } = await reached(place, place.connect(library));
  const queue = new library.Queue(nameFor(origin), { connection: options } as never, backend as never);
  await reached(place, ready(queue)).catch((error) => refuse(error, () => queue.disconnect()));
  const asked = <Answer>(work: Promise<Answer>) => reached(place, work);
  return {
    add: async (works) => {
      const jobs = [...works].map(([jobId, text]) => ({
        name: "chunk",
        data: { text },
        opts: { jobId, removeOnComplete: true, removeOnFail: true },
      }));
      await asked(queue.addBulk(jobs));
    },
    remove: async (name) => (await asked(queue.remove(name))) === 1,
    has: async (name) => !["unknown", "failed", "completed"].includes(await asked(queue.getJobState(name))),
    [Symbol.asyncDispose]: () => closed(queue.close()),
  };
}

/**
 * Takes work for one server as long as it is not disposed of. `lock`: milliseconds after which work of a worker that is
 * gone is given to another. @throws Refusal where the queue cannot be used.
 */
export async function openTaker(
  env: Environment,
  origin: string,
  { lock, work }: { readonly lock: number; readonly work: (text: string) => Promise<WorkEnd> },
): Promise<WorkTaker> {
  const place = placeOf(env);
  const library = await loaded(place);
  const { options, backend } = await reached(place, place.connect(library));
  const worker = new library.Worker(
    nameFor(origin),
    async (job, token) => {
      const { text } = job.data as { readonly text: string };
      if ((await work(text)) === "done") return;
      await job.moveToWait(token);
      throw new library.WaitingError();
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
  await reached(place, ready(worker)).catch((error) => refuse(error, () => worker.disconnect()));
  const running = worker.run().catch(() => {});
  const queue = new library.Queue(nameFor(origin), { connection: options } as never, backend as never);
  queue.on("error", () => {});
  return {
    isIdle: async () => (await queue.getJobCountByTypes("waiting", "active", "delayed", "prioritized")) === 0,
    [Symbol.asyncDispose]: async () => {
      await worker.close();
      await running;
      await closed(queue.close());
    },
  };
}

function placeOf(env: Environment): QueuePlace {
  const { EVENKEEL_QUEUE: text } = env;
  if (!text) {
    const address = stateAddress(env);
    if (!address) throw new Refusal("no queue: set EVENKEEL_STATE or EVENKEEL_QUEUE");
    return postgresPlace(databaseAt(address.url, address.variable, env));
  }
  if (/^postgres(?:ql)?:/.test(text)) return postgresPlace(databaseAt(text, "EVENKEEL_QUEUE", env));
  return redisPlace(text);
}

function postgresPlace(database: Database): QueuePlace {
  return {
    words: database.place,
    redis: false,
    connect: async ({ createPostgresBackend }) => ({
      options: { ...(await workingConfig(database)), schema: "evenkeel_queue", migrate: true, max: 3 },
      backend: createPostgresBackend,
    }),
  };
}

/** The first way to connect that is not refused. */
async function workingConfig({ attempts }: Database): Promise<ClientConfig> {
  const { default: pg } = await import("pg");
  let refused: unknown;
  for (const attempt of attempts) {
    const client = new pg.Client({ ...attempt, connectionTimeoutMillis: patience });
    client.on("error", () => {});
    try {
      await client.connect();
      return attempt;
    } catch (error) {
      refused = error;
    } finally {
      client.end().catch(() => {});
    }
  }
  throw refused;
}

const expected = "expected postgres://, redis:// or rediss://USER:PASSWORD@HOST:PORT";

function redisPlace(text: string): QueuePlace {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:redis|rediss|valkey|valkeys):$/.test(url.protocol) || !url.hostname) {
    throw new Refusal(`EVENKEEL_QUEUE is no address of a queue; ${expected}`);
  }
  knownSecrets.learn(url.password, "[queue password]");
  const port = Number(url.port || 6379);
  const options = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length > 1 && { db: Number(url.pathname.slice(1)) || 0 }),
    ...(url.protocol.endsWith("s:") && { tls: {} }),
    maxRetriesPerRequest: null,
  };
  return {
    words: `${url.hostname}:${port}`,
    redis: true,
    connect: async () => ({ options, backend: undefined }),
  };
}

/** The packages are optional, and loaded here and not before. */
async function loaded({ redis }: QueuePlace): Promise<BullMq> {
  try {
    if (redis) await import("ioredis");
    return await import("bullmq");
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    const packages = redis ? "bullmq ioredis" : "bullmq";
    throw new Refusal(`workers need packages that are not installed: npm install ${packages}`);
  }
}

/** What the queue answers in time. @throws Refusal where nobody is there. */
async function reached<Answer>({ words }: QueuePlace, answer: Promise<Answer>): Promise<Answer> {
  const timer = new AbortController();
  const late = pause(patience, undefined, { signal: timer.signal }).then(() => {
    throw new Error("no answer in time");
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    answer.catch(() => {});
    throw new Refusal(`cannot use the queue ${words}: ${knownSecrets.clean(wordsOf(error))}`);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

interface Opened {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
}

/** Later errors are told by the calls that they break. */
function ready(opened: Opened): Promise<unknown> {
  const failed = new Promise<never>((_, reject) => void opened.on("error", reject));
  failed.catch(() => {});
  return Promise.race([opened.waitUntilReady(), failed]);
}

/** Leaves nothing open that would keep the process alive. */
async function refuse(error: unknown, leave: () => Promise<unknown>): Promise<never> {
  await closed(leave());
  throw error;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  const code = systemCode(first);
  if (code === "ECONNREFUSED") return "connection refused";
  return first instanceof Error ? first.message.split("\n")[0] || String(code) : String(first);
}

/** A connection that is gone is closed already. */
async function closed(closing: Promise<unknown>): Promise<void> {
  await Promise.race([closing.catch(() => {}), pause(2000, undefined, { ref: false })]);
}
