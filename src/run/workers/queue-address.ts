import { setTimeout as pause } from "node:timers/promises";
import type { RedisQueueBackend } from "bullmq";
import type { ClientConfig, PoolConfig } from "pg";
import { UserError } from "../../base/exit.ts";
import { learnCredential } from "../../base/known-secrets.ts";
import { stateAddress } from "../../state/open-state.ts";
import { type Database, databaseAt, openSockets, type Sockets } from "../../state/postgres/connection.ts";

type Environment = Readonly<Record<string, string | undefined>>;
export type BullMq = typeof import("bullmq");

export interface QueueAddress {
  /** For messages: host and port, without password. */
  readonly words: string;
  readonly redis: boolean;
  readonly connect: (library: BullMq) => Promise<QueueConnection>;
}

export interface QueueConnection {
  readonly options: object;
  readonly backend: unknown;
  /** Closes the remaining connections of these immediately. */
  readonly cut: (...left: readonly Connected[]) => void;
}

/** A `Queue` or `Worker` of BullMQ. */
interface Connected {
  readonly getBackend: () => unknown;
}

/** Milliseconds to wait for a response. */
export const queuePatience = 10_000;

/** The queue of EVENKEEL_QUEUE, by default the database of the state. @throws UserError if the address is invalid. */
export function queueAddressIn(env: Environment): QueueAddress {
  const { EVENKEEL_QUEUE: text } = env;
  if (!text) {
    const address = stateAddress(env);
    if (!address) throw new UserError("no queue: set EVENKEEL_STATE or EVENKEEL_QUEUE");
    return postgresQueue(databaseAt(address.url, address.variable, env));
  }
  if (/^postgres(?:ql)?:/.test(text)) return postgresQueue(databaseAt(text, "EVENKEEL_QUEUE", env));
  return redisQueue(text);
}

function postgresQueue(database: Database): QueueAddress {
  return {
    words: database.place,
    redis: false,
    connect: async ({ createPostgresBackend }) => {
      const { stream, cut } = openSockets();
      const config = await workingConfig(database, stream);
      return {
        options: { ...config, schema: "evenkeel_queue", migrate: true, max: 3 },
        backend: createPostgresBackend,
        cut,
      };
    },
  };
}

/** The first encryption setting that the database accepts. */
async function workingConfig({ attempts }: Database, stream: Sockets["stream"]): Promise<PoolConfig> {
  const { default: pg } = await import("pg");
  // Without a listener, an error of an idle connection would end the process; its statements report it.
  class Quiet extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.on("error", () => {});
    }
  }
  let failure: unknown;
  for (const attempt of attempts) {
    const config = { ...attempt, stream };
    const client = new Quiet({ ...config, connectionTimeoutMillis: queuePatience });
    try {
      await client.connect();
      return { ...config, Client: Quiet };
    } catch (error) {
      failure = error;
    } finally {
      client.end().catch(() => {});
    }
  }
  throw failure;
}

const expected = "expected postgres://, or redis://[USER][:PASSWORD@]HOST[:PORT][/NUMBER]";

function redisQueue(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:redis|rediss|valkey|valkeys):$/.test(url.protocol) || !url.hostname) throw invalidAddress();
  learnCredential(url.password, "[queue password]");
  const [username, password] = [decodePart(url.username), decodePart(url.password)];
  learnCredential(password, "[queue password]");
  const [, number] = /^\/?(\d{0,5})$/.exec(url.pathname) ?? [];
  if (number === undefined) throw invalidAddress("what follows the host is not the number of a database");
  if (url.search || url.hash) throw invalidAddress("it takes no parameters");
  const port = Number(url.port || 6379);
  const options = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    ...(username && { username }),
    ...(password && { password }),
    ...(number && { db: Number(number) }),
    ...(/^(?:rediss|valkeys):$/.test(url.protocol) && { tls: {} }),
    maxRetriesPerRequest: null,
  };
  return {
    words: `${url.hostname}:${port}`,
    redis: true,
    connect: async () => ({ options, backend: undefined, cut: disconnectRedis }),
  };
}

function disconnectRedis(...left: readonly Connected[]): void {
  const clients = left.flatMap((each) => {
    const { client, blockingClient } = each.getBackend() as RedisQueueBackend;
    return [client, blockingClient];
  });
  for (const client of clients) client?.then((each) => each.disconnect()).catch(() => {});
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidAddress("a % in user or password begins an escape such as %25");
  }
}

/** Omits the address, which may contain a password. */
function invalidAddress(why?: string): UserError {
  return new UserError(`EVENKEEL_QUEUE is not the address of a queue${why ? `: ${why}` : ""}; ${expected}`);
}

/** Waits up to 2 seconds for a connection to close, and ignores errors. */
export async function closeWithTimeout(closing: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = pause(2000, undefined, { signal: timer.signal });
  await Promise.race([closing, late]).catch(() => {});
  timer.abort();
  closing.catch(() => {});
  late.catch(() => {});
}
