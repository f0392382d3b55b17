import { setTimeout as pause } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { Away, Refusal } from "../../base/exit.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { systemCode, systemTrouble } from "../../base/system-errors.ts";
import { closeInTime } from "../close-in-time.ts";
import type { Database } from "./connection.ts";
import { openSockets } from "./sockets.ts";

/** A connection to the database, made again where it breaks. */
export interface PostgresSession extends AsyncDisposable {
  /**
   * Carries out one statement that may be repeated: where the connection breaks it is sent again, for 10 s at most.
   * @throws Away from then on; Refusal for what the database objects to.
   */
  readonly query: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Several statements that count together or not at all; what they do may be repeated. */
  readonly transaction: <Result>(work: (query: PostgresSession["query"]) => Promise<Result>) => Promise<Result>;
}

/** Milliseconds for which a database that went away is looked for. */
const patience = 10_000;

/**
 * Opens a connection. The package is loaded here and not before.
 * @throws Away where the database cannot be reached; Refusal for what it objects to.
 */
export async function openPostgres(database: Database): Promise<PostgresSession> {
  const { default: pg } = await import("pg");
  const sockets = openSockets();
  let client: Promise<Client> | undefined;
  let away: Away | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const connected = (limit: number) => {
    client ??= connect(pg.Client, database, { connectionTimeoutMillis: Math.max(1, limit), stream: sockets.stream });
    return client;
  };
  const drop = (broken: Promise<Client> | undefined) => {
    if (client === broken) client = undefined;
    broken?.then((each) => each.end()).catch(() => {});
  };
  const persist = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
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
          away ??= new Away(`the state ${database.place} has been away for ${patience / 1000} s: ${words(error)}`);
          throw away;
        }
        await pause(wait);
      }
    }
  };
  /** A connection carries out one statement after the other. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  await connected(patience).catch((error) => {
    throw refusalOf(error, database);
  });
  const queryOn =
    (on: Client) =>
    async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
      (await on.query({ text, values: [...values] })).rows;
  return {
    query: (text, values) => inTurn(() => persist((on) => queryOn(on)(text, values))),
    transaction: (work) =>
      inTurn(() =>
        persist(async (on) => {
          await on.query("BEGIN");
          try {
            const result = await work(queryOn(on));
            await on.query("COMMIT");
            return result;
          } catch (error) {
            await on.query("ROLLBACK").catch(() => {});
            throw error;
          }
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      await closeInTime(turn.then(() => client).then((last) => last?.end()));
      // Whoever still asks for something would keep the process alive with a connection of its own.
      away ??= new Away(`the state ${database.place} is closed`);
      sockets.cut();
    },
  };
}

async function connect(
  Made: new (config: ClientConfig) => Client,
  { attempts }: Database,
  settings: Pick<ClientConfig, "connectionTimeoutMillis" | "stream">,
): Promise<Client> {
  let refused: unknown;
  for (const attempt of attempts) {
    const client = new Made({ ...attempt, ...settings, keepAlive: true });
    // What breaks a connection that nobody uses at the moment is told by the next statement.
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

/** A database that does not answer is as good as away. */
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

function isAboutEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /does not support SSL|no pg_hba\.conf entry/.test(error.message) || /^ERR_SSL|^EPROTO/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return systemCode(error) ?? "";
}

/** Codes of PostgreSQL for what may be over in a moment: connections, restarts, fail-overs, deadlocks. */
const passing = /^(?:08...|57P0[123]|53300|25006|40001|40P01)$/;

function isPassing(error: unknown): boolean {
  if (error instanceof Refusal || !(error instanceof Error)) return false;
  if (isOfDatabase(error)) return passing.test(codeOf(error));
  return (
    /^E(?!RR_)[A-Z_]+$/.test(codeOf(error)) ||
    /terminated|timeout|connection error|not queryable|ended/i.test(error.message)
  );
}

function isOfDatabase(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && error instanceof Error && "severity" in error;
}

function refusalOf(error: unknown, database: Database): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  return new (isPassing(error) ? Away : Refusal)(sentence(error, database));
}

function sentence(error: Error, { place, user }: Database): string {
  const known: Readonly<Record<string, string>> = {
    "28P01": `the state ${place} refuses the password of ${user}`,
    "28000": `the state ${place} does not let ${user} in`,
    "3D000": `the state ${place} does not exist: create the database first`,
    "42501": `${user} may not do this in the state ${place}: ${words(error)}`,
  };
  if (/password must be a/.test(error.message))
    return `the state ${place} wants a password of ${user}, and none is set`;
  return known[codeOf(error)] ?? `cannot use the state ${place}: ${words(error)}`;
}

/** What a database or the system says, without secrets. */
function words(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  if (/^E(?!RR_)[A-Z_]+$/.test(codeOf(first))) return connectionWords[codeOf(first)] ?? systemTrouble(first);
  return knownSecrets.clean(first instanceof Error ? first.message : String(first));
}

const connectionWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "host not reachable",
};
