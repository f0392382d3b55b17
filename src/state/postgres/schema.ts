import { UserError } from "../../base/exit.ts";
import type { PostgresSession } from "./session.ts";

/** Of {@link tables}: a change of them needs a new version, and a migration as soon as one is released. */
const version = 2;

/** JSON is stored as text, because messages of servers may contain what jsonb rejects. */
const tables: readonly string[] = [
  `CREATE TABLE evenkeel.lease (
     workspace text, name text, fence bigint NOT NULL, run text, who text, host text, pid integer, job text,
     since timestamptz NOT NULL, deadline timestamptz NOT NULL, noted timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (workspace, name))`,
  `CREATE TABLE evenkeel.document (
     workspace text, collection text, name text, content text NOT NULL, PRIMARY KEY (workspace, collection, name))`,
  `CREATE TABLE evenkeel.line (
     workspace text, log text, name text, batch uuid, place integer, arrival bigint GENERATED ALWAYS AS IDENTITY,
     content text NOT NULL, PRIMARY KEY (workspace, log, name, batch, place))`,
  "CREATE INDEX line_by_arrival ON evenkeel.line (workspace, log, name, arrival)",
  `CREATE TABLE evenkeel.rate (
     key text PRIMARY KEY, reserved timestamptz NOT NULL, noted timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE evenkeel.part (
     workspace text, run text, part text, since timestamptz NOT NULL, result text NOT NULL,
     PRIMARY KEY (workspace, run, part))`,
];

/**
 * Creates the tables in the schema `evenkeel`, if they are missing. A user without the right to do so can use existing
 * ones. @throws UserError if they are of another version.
 */
export async function migrate(session: PostgresSession): Promise<void> {
  if (await isCurrent(session.query)) return;
  await session.transaction(async (query) => {
    // Processes that start at the same time wait here until the end of the transaction.
    await query("SELECT pg_advisory_xact_lock(hashtext('evenkeel migrations'))");
    if (await isCurrent(query)) return;
    if ((await query(schema)).length === 0) await query("CREATE SCHEMA evenkeel");
    await query("CREATE TABLE evenkeel.migration (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())");
    for (const statement of tables) await query(statement);
    await query("INSERT INTO evenkeel.migration (version) VALUES ($1)", [version]);
  });
}

/** False if there are no tables. @throws UserError if they are of another version. */
async function isCurrent(query: PostgresSession["query"]): Promise<boolean> {
  if ((await query(table)).length === 0) return false;
  const [row] = await query<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM evenkeel.migration");
  const stored = row?.version ?? 0;
  if (stored === version) return true;
  const way =
    stored > version
      ? "upgrade evenkeel"
      : "use another database, or, if its history and ledger are no longer needed, DROP SCHEMA evenkeel CASCADE";
  throw new UserError(`the state has schema version ${stored}, and this version of evenkeel needs ${version}; ${way}`);
}

/** Queries the catalogue, which is up to date; name lookups of a connection may be cached. */
const schema = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'evenkeel'";
const table = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'evenkeel' AND tablename = 'migration'";
