import { UserError } from "../../base/exit.ts";
import type { PostgresSession } from "./session.ts";

/**
 * Migrations, oldest first: a released one never changes, later ones are appended. A schema version is a number of
 * migrations. JSON is stored as text, since messages of servers may contain what jsonb rejects.
 */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE evenkeel.lease (
       workspace text, name text, fence bigint NOT NULL, run text, who text, host text, pid integer, job text,
       since timestamptz NOT NULL, deadline timestamptz NOT NULL, noted timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (workspace, name))`,
    `CREATE TABLE evenkeel.run (
       workspace text, run text, command text NOT NULL, started timestamptz NOT NULL, summary text NOT NULL,
       PRIMARY KEY (workspace, run))`,
    "CREATE INDEX run_by_time ON evenkeel.run (workspace, started)",
    `CREATE TABLE evenkeel.journal (
       workspace text, run text, writer text, position integer, arrival bigint GENERATED ALWAYS AS IDENTITY,
       event text NOT NULL, entry text NOT NULL, PRIMARY KEY (workspace, run, writer, position))`,
    "CREATE INDEX journal_ends ON evenkeel.journal (workspace, run) WHERE event IN ('end', 'noticed')",
    `CREATE TABLE evenkeel.ledger (
       workspace text, project text, rest text, name text NOT NULL, key text NOT NULL, memory text NOT NULL,
       PRIMARY KEY (workspace, project, rest))`,
    `CREATE TABLE evenkeel.plan (
       workspace text, run text, saved timestamptz NOT NULL, document text NOT NULL, PRIMARY KEY (workspace, run))`,
    `CREATE TABLE evenkeel.approval (
       workspace text, run text, position bigint GENERATED ALWAYS AS IDENTITY, signature text NOT NULL,
       digest text, PRIMARY KEY (workspace, run, digest))`, // A large signature does not fit into an index entry.
    "CREATE TABLE evenkeel.note (workspace text, name text, content text NOT NULL, PRIMARY KEY (workspace, name))",
    "CREATE TABLE evenkeel.snapshot (workspace text, name text, content bytea NOT NULL, PRIMARY KEY (workspace, name))",
    `CREATE TABLE evenkeel.rate (
       key text PRIMARY KEY, reserved timestamptz NOT NULL, noted timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE evenkeel.member (
       id text PRIMARY KEY, role text NOT NULL, origin text NOT NULL, version text NOT NULL, host text NOT NULL,
       pid integer NOT NULL, requests bigint, deadline timestamptz NOT NULL,
       noted timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE evenkeel.intent (
       workspace text, run text, address text, sender text NOT NULL, member text NOT NULL, since timestamptz NOT NULL,
       outcome text, sealed text NOT NULL, PRIMARY KEY (workspace, run, address))`,
    `CREATE TABLE evenkeel.part (
       workspace text, run text, part text, since timestamptz NOT NULL, result text NOT NULL,
       PRIMARY KEY (workspace, run, part))`,
  ],
];

/**
 * Creates or upgrades the schema `evenkeel`. A user without the right to do so can use one that is up to date.
 * @throws UserError if it is newer than this program.
 */
export async function migrate(session: PostgresSession): Promise<void> {
  if ((await versionOf(session.query)) === migrations.length) return;
  await session.transaction(async (query) => {
    // Processes that start at the same time wait here until the end of the transaction.
    await query("SELECT pg_advisory_xact_lock(hashtext('evenkeel migrations'))");
    const before = await versionOf(query);
    if (before > 0 || (await isThere(query, table))) return upgrade(query, before);
    if (!(await isThere(query, schema))) await query("CREATE SCHEMA evenkeel");
    await query("CREATE TABLE evenkeel.migration (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())");
    await upgrade(query, 0);
  });
}

type Query = PostgresSession["query"];

async function upgrade(query: Query, before: number): Promise<void> {
  for (const [index, statements] of [...migrations.entries()].slice(before)) {
    for (const statement of statements) await query(statement);
    await query("INSERT INTO evenkeel.migration (version) VALUES ($1)", [index + 1]);
  }
}

/** 0 before the schema is created. */
async function versionOf(query: Query): Promise<number> {
  if (!(await isThere(query, table))) return 0;
  const [row] = await query<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM evenkeel.migration");
  const version = row?.version ?? 0;
  if (version <= migrations.length) return version;
  throw new UserError(
    `the state has schema version ${version}, and this version of evenkeel knows ${migrations.length}; upgrade evenkeel`,
  );
}

/** Queries the catalogue, which is up to date; name lookups of a connection may be cached. */
async function isThere(query: Query, lookup: string): Promise<boolean> {
  return (await query(lookup)).length > 0;
}

const schema = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'evenkeel'";
const table = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'evenkeel' AND tablename = 'migration'";
