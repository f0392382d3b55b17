import type { RedisQueueBackend } from "bullmq";
import type { ClientConfig, PoolConfig } from "pg";
import { UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { stateAddress } from "../state/open-state.ts";
import { type Database, databaseAt } from "../state/postgres/connection.ts";
import { queueOptions } from "../state/postgres/settings.ts";
import { openSockets, type Sockets } from "../state/postgres/sockets.ts";

type Environment = Readonly<Record<string, string | undefined>>;
export type BullMq = typeof import("bullmq");

/** Where a queue is: the words for people hold no password. */
export interface QueueAddress {
  readonly words: string;
  readonly redis: boolean;
  readonly connect: (library: BullMq) => Promise<QueueConnection>;
}

/** How to connect to a queue. */
export interface QueueConnection {
  readonly options: object;
  readonly backend: unknown;
  /** Ends the connections that these still have, whether anybody answers or not. */
  readonly cut: (...left: readonly Connected[]) => void;
}

/** What of BullMQ holds connections. */
interface Connected {
  readonly getBackend: () => unknown;
}

/** Milliseconds for which a queue may take to answer at first. */
export const queuePatience = 10_000;

/** Where EVENKEEL_QUEUE says, by default the database of the state. @throws UserError where it is no address. */
export function queueAddressIn(env: Environment): QueueAddress {
  const { EVENKEEL_QUEUE: text } = env;
  if (!text) {
    const address = stateAddress(env);
    if (!address) throw new UserError("no queue: set EVENKEEL_STATE or EVENKEEL_QUEUE");
    return postgresPlace(databaseAt(address.url, address.variable, env));
  }
  if (/^postgres(?:ql)?:/.test(text)) return postgresPlace(databaseAt(text, "EVENKEEL_QUEUE", env));
  return redisPlace(text);
}

function postgresPlace(database: Database): QueueAddress {
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

/** The first way to connect that is not refused. */
async function workingConfig({ attempts }: Database, stream: Sockets["stream"]): Promise<PoolConfig> {
  const { default: pg } = await import("pg");
  // Without a listener, an error of an idle connection would end the process; its statements report it.
  class Quiet extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.on("error", () => {});
    }
  }
  let refused: unknown;
  for (const attempt of attempts) {
    const config = { ...attempt, stream, options: queueOptions };
    const client = new Quiet({ ...config, connectionTimeoutMillis: queuePatience });
    try {
      await client.connect();
      return { ...config, Client: Quiet };
    } catch (error) {
      refused = error;
    } finally {
      client.end().catch(() => {});
    }
  }
  throw refused;
}

const expected = "expected postgres://, or redis://[USER][:PASSWORD@]HOST[:PORT][/NUMBER]";

function redisPlace(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:redis|rediss|valkey|valkeys):$/.test(url.protocol) || !url.hostname) throw noPlace();
  learnCredential(url.password, "[queue password]");
  const [username, password] = [decoded(url.username), decoded(url.password)];
  learnCredential(password, "[queue password]");
  const [, number] = /^\/?(\d{0,5})$/.exec(url.pathname) ?? [];
  if (number === undefined) throw noPlace("what follows the host is not the number of a database");
  if (url.search || url.hash) throw noPlace("it takes no parameters");
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
    connect: async () => ({ options, backend: undefined, cut: cutRedis }),
  };
}

function cutRedis(...left: readonly Connected[]): void {
  const clients = left.flatMap((each) => {
    const { client, blockingClient } = each.getBackend() as RedisQueueBackend;
    return [client, blockingClient];
  });
  for (const client of clients) client?.then((each) => each.disconnect()).catch(() => {});
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw noPlace("a % in user or password begins an escape such as %25");
  }
}

/** Repeats nothing of the address, which may hold a password. */
function noPlace(why?: string): UserError {
  return new UserError(`EVENKEEL_QUEUE is not the address of a queue${why ? `: ${why}` : ""}; ${expected}`);
}
