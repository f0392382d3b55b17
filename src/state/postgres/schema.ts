import { UserError } from "../../base/exit.ts";
import type { PostgresSession } from "./session.ts";

/**
 * What was done to the schema, oldest first: a step is never changed, a new one is added. Versions are their numbers,
 * from 1 on. An entry of a journal and a summary are JSON as texts: what servers say may hold what jsonb refuses.
 */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE evenkeel.lease (
       workspace text PRIMARY KEY, fence bigint NOT NULL, run text, who text, host text, pid integer, job text,
       since timestamptz NOT NULL, deadline timestamptz NOT NULL)`,
    `CREATE TABLE evenkeel.run (
       workspace text, run text, command text NOT NULL, started timestamptz NOT NULL, summary text NOT NULL,
       PRIMARY KEY (workspace, run))`,
    "CREATE INDEX run_by_time ON evenkeel.run (workspace, started)",
    `CREATE TABLE evenkeel.journal (
       workspace text, run text, position integer, event text NOT NULL, entry text NOT NULL,
       PRIMARY KEY (workspace, run, position))`,
    "CREATE INDEX journal_ends ON evenkeel.journal (workspace, run) WHERE event IN ('end', 'noticed')",
    `CREATE TABLE evenkeel.ledger (
       workspace text, project text, rest text, name text NOT NULL, key text NOT NULL, memory text NOT NULL,
       PRIMARY KEY (workspace, project, rest))`,
    `CREATE TABLE evenkeel.plan (
       workspace text, run text, saved timestamptz NOT NULL, document text NOT NULL, PRIMARY KEY (workspace, run))`,
    `CREATE TABLE evenkeel.approval (
       workspace text, run text, position bigint GENERATED ALWAYS AS IDENTITY, signature text NOT NULL,
       PRIMARY KEY (workspace, run, signature))`,
    `CREATE TABLE evenkeel.note (
       workspace text, name text, content text NOT NULL, PRIMARY KEY (workspace, name))`,
  ],
  ["CREATE TABLE evenkeel.rate (key text PRIMARY KEY, reserved timestamptz NOT NULL)"],
  [
    "ALTER TABLE evenkeel.journal ADD COLUMN writer text NOT NULL DEFAULT ''",
    "ALTER TABLE evenkeel.journal ADD COLUMN arrival bigint GENERATED ALWAYS AS IDENTITY",
    "ALTER TABLE evenkeel.journal DROP CONSTRAINT journal_pkey, ADD PRIMARY KEY (workspace, run, writer, position)",
    `CREATE TABLE evenkeel.member (
       id text PRIMARY KEY, role text NOT NULL, origin text NOT NULL, version text NOT NULL, host text NOT NULL,
       pid integer NOT NULL, deadline timestamptz NOT NULL)`,
    `CREATE TABLE evenkeel.intent (
       workspace text, run text, address text, sender text NOT NULL, member text NOT NULL, since timestamptz NOT NULL,
       outcome text, PRIMARY KEY (workspace, run, address))`,
    `CREATE TABLE evenkeel.part (
       workspace text, run text, part text, since timestamptz NOT NULL, result text NOT NULL,
       PRIMARY KEY (workspace, run, part))`,
  ],
  [
    "ALTER TABLE evenkeel.lease ADD COLUMN name text NOT NULL DEFAULT 'apply'",
    "ALTER TABLE evenkeel.lease DROP CONSTRAINT lease_pkey, ADD PRIMARY KEY (workspace, name)",
  ],
  ["ALTER TABLE evenkeel.member ADD COLUMN requests bigint"],
  ["CREATE TABLE evenkeel.sighting (workspace text, name text, content bytea NOT NULL, PRIMARY KEY (workspace, name))"],
  ["lease", "member", "rate"].map(
    (table) => `ALTER TABLE evenkeel.${table} ADD COLUMN noted timestamptz NOT NULL DEFAULT now()`,
  ),
  // A signature of a large key is larger than an entry of an index.
  [
    "ALTER TABLE evenkeel.approval DROP CONSTRAINT approval_pkey, ADD COLUMN digest text",
    "UPDATE evenkeel.approval SET digest = encode(sha256(convert_to(signature, 'UTF8')), 'hex')",
    "ALTER TABLE evenkeel.approval ADD PRIMARY KEY (workspace, run, digest)",
  ],
];

/**
 * Brings the schema `evenkeel` to the version that this program knows. Who finds it there needs no right beyond its tables.
 * @throws UserError where it is newer.
 */
export async function migrate(session: PostgresSession): Promise<void> {
  if ((await versionOf(session.query)) === migrations.length) return;
  await session.transaction(async (query) => {
    // Until the end of the transaction, whoever comes at the same time waits here.
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

/** 0 where nothing has been made yet. */
async function versionOf(query: Query): Promise<number> {
  if (!(await isThere(query, table))) return 0;
  const [row] = await query<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM evenkeel.migration");
  const version = row?.version ?? 0;
  if (version <= migrations.length) return version;
  throw new UserError(
    `the state has schema version ${version}, and this version of evenkeel knows ${migrations.length}; upgrade evenkeel`,
  );
}

/** Looked up in the catalogue, which sees what another run has just made; what a connection remembers of names may not. */
async function isThere(query: Query, look: string): Promise<boolean> {
  return (await query(look)).length > 0;
}

const schema = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'evenkeel'";
const table = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'evenkeel' AND tablename = 'migration'";
