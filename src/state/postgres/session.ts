import { setTimeout as pause } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { closeWithTimeout, type Database, openSockets } from "./connection.ts";

/** A connection to the database, opened again when it breaks. */
export interface PostgresSession extends AsyncDisposable {
  /**
   * Executes one idempotent statement. If the connection breaks, the statement is retried for up to 10 s.
   * @throws UnavailableError from then on; UserError if the database rejects the statement.
   */
  readonly query: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Executes statements in a transaction, which may be retried. */
  readonly transaction: <Result>(work: (query: PostgresSession["query"]) => Promise<Result>) => Promise<Result>;
}

/** Milliseconds for which a lost connection is retried. */
const patience = 10_000;

/** Opens a connection. @throws UnavailableError if the database cannot be reached; UserError if it rejects the connection. */
export async function openPostgres(database: Database): Promise<PostgresSession> {
  const { default: pg } = await import("pg");
  const connection = new Reconnecting(database, pg.Client);
  await connection.open();
  return {
    query: (text, values) => connection.run((on) => queryOn(on)<never>(text, values)),
    transaction: (work) => connection.run((on) => inTransaction(on, work)),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** A connection that is opened again when it breaks. It executes one statement at a time. */
class Reconnecting implements AsyncDisposable {
  readonly #database: Database;
  readonly #client: typeof Client;
  readonly #sockets = openSockets();
  #current: Promise<Client> | undefined;
  #unavailable: UnavailableError | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(database: Database, client: typeof Client) {
    this.#database = database;
    this.#client = client;
  }

  async open(): Promise<void> {
    await within(this.#connect(patience), patience).catch((error) => {
      throw toUserError(error, this.#database);
    });
  }

  run<Result>(work: (on: Client) => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => this.#retry(work));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #retry<Result>(work: (on: Client) => Promise<Result>): Promise<Result> {
    const end = performance.now() + patience;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      if (this.#unavailable) throw this.#unavailable;
      const left = end - performance.now();
      const current = this.#connect(left);
      try {
        return await within(current.then(work), left);
      } catch (error) {
        if (!isTransientError(error)) throw toUserError(error, this.#database);
        this.#drop(current);
        if (performance.now() + wait >= end) throw this.#giveUp(error);
        await pause(wait);
      }
    }
  }

  #giveUp(error: unknown): UnavailableError {
    const { place } = this.#database;
    const sentence = `the state ${place} has been unavailable for ${patience / 1000} s: ${errorText(error)}`;
    this.#unavailable ??= new UnavailableError(sentence);
    return this.#unavailable;
  }

  #connect(limit: number): Promise<Client> {
    const settings = { connectionTimeoutMillis: Math.max(1, limit), stream: this.#sockets.stream };
    this.#current ??= connect(this.#client, this.#database, settings);
    return this.#current;
  }

  #drop(broken: Promise<Client>): void {
    if (this.#current === broken) this.#current = undefined;
    broken.then((client) => client.end()).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeWithTimeout(this.#queue.then(() => this.#current).then((last) => last?.end()));
    // A later query would open a new connection and keep the process alive.
    this.#unavailable ??= new UnavailableError(`the state ${this.#database.place} is closed`);
    this.#sockets.cut();
  }
}

function queryOn(client: Client): PostgresSession["query"] {
  return async (text, values = []) => (await client.query({ text, values: [...values] })).rows;
}

async function inTransaction<Result>(
  on: Client,
  work: (query: PostgresSession["query"]) => Promise<Result>,
): Promise<Result> {
  try {
    await on.query("BEGIN");
    const result = await work(queryOn(on));
    await on.query("COMMIT");
    return result;
  } catch (error) {
    await on.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function connect(
  PgClient: typeof Client,
  { attempts }: Database,
  settings: Pick<ClientConfig, "connectionTimeoutMillis" | "stream">,
): Promise<Client> {
  let refused: unknown;
  for (const attempt of attempts) {
    const client = new PgClient({ ...attempt, ...settings, keepAlive: true });
    // An error on an idle connection is reported by the next statement.
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => {});
      refused = error;
      if (!isAboutEncryption(error)) throw error;
    }
  }
  throw refused;
}

/** A database that does not respond in time counts as unavailable. */
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

/** True if the server may accept a different encryption. */
function isAboutEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /does not support SSL|no pg_hba\.conf entry/.test(error.message) || /^ERR_SSL|^EPROTO/.test(errorCode(error));
}

function errorCode(error: unknown): string {
  return systemCode(error) ?? "";
}

/** Codes of PostgreSQL for transient errors: connections, restarts, fail-overs, deadlocks, cancelled statements. */
const transient = /^(?:08...|57P0[1235]|57014|55P03|53300|0A000|25006|25P0[34]|40001|40P01)$/;

/** True if a retry may succeed. */
function isTransientError(error: unknown): boolean {
  if (error instanceof UserError || !(error instanceof Error)) return false;
  if (isOfDatabase(error)) return transient.test(errorCode(error));
  return (
    /^E(?!RR_)[A-Z_]+$/.test(errorCode(error)) ||
    /terminated|timeout|connection error|not queryable|ended/i.test(error.message)
  );
}

function isOfDatabase(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(errorCode(error)) && error instanceof Error && "severity" in error;
}

/** Converts an error into one for users. */
function toUserError(error: unknown, database: Database): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error;
  return new (isTransientError(error) ? UnavailableError : UserError)(sentence(error, database));
}

function sentence(error: Error, { place, user }: Database): string {
  const known: Readonly<Record<string, string>> = {
    "28P01": `the state ${place} rejects the password of ${user}`,
    "28000": `the state ${place} does not accept connections of ${user}`,
    "3D000": `the state ${place} does not exist: create the database first`,
    "42501": `${user} may not do this in the state ${place}: ${errorText(error)}`,
  };
  if (/password must be a/.test(error.message))
    return `the state ${place} requires a password for ${user}, and none is set`;
  return known[errorCode(error)] ?? `cannot use the state ${place}: ${errorText(error)}`;
}

/** The message of an error, without secrets. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  if (/^E(?!RR_)[A-Z_]+$/.test(errorCode(first)))
    return connectionErrors[errorCode(first)] ?? describeSystemError(first);
  return knownSecrets.clean(first instanceof Error ? first.message : String(first));
}

const connectionErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "host not reachable",
};
