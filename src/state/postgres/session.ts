import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { systemCode } from "../../base/system-errors.ts";
import {
  acceptedConfig,
  type Database,
  databaseErrorText,
  isSystemCode,
  openSockets,
  databasePatience as patience,
  type Sockets,
} from "./connection.ts";

export interface PostgresSession extends AsyncDisposable {
  /**
   * Executes one idempotent statement, or several without values in a transaction, again if the connection breaks.
   * @throws UnavailableError after 10 s.
   */
  readonly query: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
}

/** Opens a connection. @throws UnavailableError if the database cannot be reached; UserError if it rejects the connection. */
export async function openPostgres(database: Database): Promise<PostgresSession> {
  const sockets = openSockets();
  const pool = await connect(database, sockets);
  let unavailable: UnavailableError | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const retry = async (text: string, values: readonly unknown[]) => {
    const end = performance.now() + patience;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      if (unavailable) throw unavailable;
      try {
        // After an error, the pool closes the connection, which also rolls back its transaction.
        return (await pool.query<never>(text, [...values])).rows;
      } catch (error) {
        if (!isTransientError(error)) throw toUserError(error, database);
        const why = `has been unavailable for ${patience / 1000} s: ${databaseErrorText(error)}`;
        if (performance.now() + wait >= end) unavailable ??= new UnavailableError(`the state ${database.place} ${why}`);
        else await pause(wait);
      }
    }
  };
  return {
    query: (text, values = []) => {
      const result = queue.then(() => retry(text, values));
      queue = result.catch(() => {});
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.race([queue.then(() => pool.end()), pause(closing, undefined, { ref: false })]);
      // A database that does not answer would keep the process alive.
      sockets.cut();
      unavailable ??= new UnavailableError(`the state ${database.place} is closed`);
    },
  };
}

const closing = 2000;

/** One connection, which is opened again when it breaks. */
async function connect(database: Database, { stream }: Sockets): Promise<Pool> {
  const { default: pg } = await import("pg");
  const config = await acceptedConfig(database, stream).catch((error) => {
    throw toUserError(error, database);
  });
  const limits = { max: 1, idleTimeoutMillis: 0, connectionTimeoutMillis: patience, query_timeout: patience };
  const pool = new pg.Pool({ ...config, ...limits, keepAlive: true, allowExitOnIdle: true });
  // An error between two statements is reported by the next one.
  return pool.on("error", () => {});
}

/** Codes of PostgreSQL for transient errors: connections, restarts, fail-overs, deadlocks, cancelled statements. */
const transient = /^(?:08...|57P0[1235]|57014|55P03|53300|0A000|25006|25P0[34]|40001|40P01)$/;

function isTransientError(error: unknown): boolean {
  if (error instanceof UserError || !(error instanceof Error)) return false;
  const code = systemCode(error) ?? "";
  if (/^[0-9A-Z]{5}$/.test(code) && "severity" in error) return transient.test(code);
  return isSystemCode(code) || /terminated|timeout|connection error|not queryable|ended/i.test(error.message);
}

function toUserError(error: unknown, database: Database): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error;
  return new (isTransientError(error) ? UnavailableError : UserError)(sentence(error, database));
}

function sentence(error: Error, { place, user }: Database): string {
  const known: Readonly<Record<string, string>> = {
    "28P01": `the state ${place} rejects the password of ${user}`,
    "28000": `the state ${place} does not accept connections of ${user}`,
    "3D000": `the state ${place} does not exist: create the database first`,
    "42501": `${user} may not do this in the state ${place}: ${databaseErrorText(error)}`,
  };
  if (/password must be a/.test(error.message))
    return `the state ${place} requires a password for ${user}, and none is set`;
  return known[systemCode(error) ?? ""] ?? `cannot use the state ${place}: ${databaseErrorText(error)}`;
}
