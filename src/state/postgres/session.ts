import { setTimeout as pause } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { UnavailableError } from "../../base/exit.ts";
import { closeWithTimeout } from "../close-with-timeout.ts";
import type { Database } from "./connection.ts";
import { isAboutEncryption, isPassing, refusalOf, words } from "./failures.ts";
import { beginWith, correctionsOf } from "./settings.ts";
import { openSockets } from "./sockets.ts";

/** A connection to the database, made again where it breaks. */
export interface PostgresSession extends AsyncDisposable {
  /**
   * Executes one idempotent statement: if the connection breaks it is sent again, for 10 s at most.
   * @throws UnavailableError from then on; UserError for what the database objects to.
   */
  readonly query: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Several statements that count together or not at all; what they do may be repeated. */
  readonly transaction: <Result>(work: (query: PostgresSession["query"]) => Promise<Result>) => Promise<Result>;
}

/** A connection, and how a transaction on it begins. */
interface Connection {
  readonly client: Client;
  readonly begin: string;
  /** Whether the defaults of the role and the database will do, so that a statement needs no transaction around it. */
  readonly isPlain: boolean;
}

/** Milliseconds for which a lost connection is retried. */
const patience = 10_000;

/**
 * Opens a connection. The package is loaded here and not before.
 * @throws UnavailableError where the database cannot be reached; UserError for what it objects to.
 */
export async function openPostgres(database: Database): Promise<PostgresSession> {
  const { default: pg } = await import("pg");
  const sockets = openSockets();
  let connection: Promise<Connection> | undefined;
  let away: UnavailableError | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const connected = (limit: number) => {
    connection ??= connect(pg.Client, database, {
      connectionTimeoutMillis: Math.max(1, limit),
      stream: sockets.stream,
    });
    return connection;
  };
  const drop = (broken: Promise<Connection> | undefined) => {
    if (connection === broken) connection = undefined;
    broken?.then(({ client }) => client.end()).catch(() => {});
  };
  const persist = async <Result>(work: (on: Connection) => Promise<Result>): Promise<Result> => {
    const end = performance.now() + patience;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      if (away) throw away;
      const left = end - performance.now();
      const current = connected(left);
      try {
        return await within(current.then(work), left);
      } catch (error) {
        if (!isPassing(error)) throw refusalOf(error, database);
        drop(current);
        if (performance.now() + wait >= end) {
          away ??= new UnavailableError(
            `the state ${database.place} has been unavailable for ${patience / 1000} s: ${words(error)}`,
          );
          throw away;
        }
        await pause(wait);
      }
    }
  };
  /** A connection executes one statement at a time. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  await within(connected(patience), patience).catch((error) => {
    throw refusalOf(error, database);
  });
  return {
    query: (text, values) => {
      const work = (query: PostgresSession["query"]) => query<never>(text, values);
      return inTurn(() => persist((on) => (on.isPlain ? work(queryOn(on)) : inTransaction(on, work))));
    },
    transaction: (work) => inTurn(() => persist((on) => inTransaction(on, work))),
    [Symbol.asyncDispose]: async () => {
      await closeWithTimeout(turn.then(() => connection).then((last) => last?.client.end()));
      // A later query would open a new connection and keep the process alive.
      away ??= new UnavailableError(`the state ${database.place} is closed`);
      sockets.cut();
    },
  };
}

function queryOn({ client }: Connection): PostgresSession["query"] {
  return async (text, values = []) => (await client.query({ text, values: [...values] })).rows;
}

async function inTransaction<Result>(
  on: Connection,
  work: (query: PostgresSession["query"]) => Promise<Result>,
): Promise<Result> {
  try {
    await on.client.query(on.begin);
    const result = await work(queryOn(on));
    await on.client.query("COMMIT");
    return result;
  } catch (error) {
    await on.client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function connect(
  Made: new (config: ClientConfig) => Client,
  { attempts }: Database,
  settings: Pick<ClientConfig, "connectionTimeoutMillis" | "stream">,
): Promise<Connection> {
  let refused: unknown;
  for (const attempt of attempts) {
    const client = new Made({ ...attempt, ...settings, keepAlive: true });
    // An error on an idle connection is reported by the next statement.
    client.on("error", () => {});
    try {
      await client.connect();
      const corrections = await correctionsOf((text, values) => client.query({ text, values: [...values] }));
      return { client, begin: beginWith(corrections), isPlain: corrections.size === 0 };
    } catch (error) {
      client.end().catch(() => {});
      refused = error;
      if (!isAboutEncryption(error)) throw error;
    }
  }
  throw refused;
}

/** A database that does not answer counts as unavailable. */
async function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  const timer = new AbortController();
  const end = pause(Math.max(1, milliseconds), undefined, { signal: timer.signal }).then(() => {
    throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    timer.abort();
    end.catch(() => {});
    work.catch(() => {});
  }
}
