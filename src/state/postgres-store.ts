import { randomUUID } from "node:crypto";
import { UserError } from "../base/exit.ts";
import { groupedAs } from "../base/grouped.ts";
import { LeaseLostError, type LeaseToken } from "./lease.ts";
import { ledgerDocuments } from "./ledger/ledger-file.ts";
import { databaseAt } from "./postgres/connection.ts";
import { byStart, findHolders, postgresLeases } from "./postgres/leases.ts";
import { openPostgres, type PostgresSession } from "./postgres/session.ts";
import type { Rates, WorkspaceState } from "./state.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The state in PostgreSQL 13 or later. `name`: the setting of the URL. @throws UserError if it cannot be used. */
export async function postgresState(
  url: string,
  name: string,
  workspace: string,
  env: Environment,
): Promise<WorkspaceState> {
  const database = databaseAt(url, name, env);
  const session = await openPostgres(database);
  try {
    await migrate(session);
    await session.query("DELETE FROM evenkeel.rate WHERE reserved < clock_timestamp() - interval '1 day'");
    return postgresStore(session, workspace, `PostgreSQL, ${database.place}, workspace ${workspace}`);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

/** Locks the row of the lease, so that no other run takes it over during the statement. */
function held(run: string, fence: string): string {
  return `held AS (
    SELECT 1 FROM evenkeel.lease
    WHERE workspace = $1 AND name = 'apply' AND run = ${run} AND fence = ${fence} AND deadline > clock_timestamp()
    FOR SHARE)`;
}

const always = "held AS (SELECT 1)";

const put = (condition: string) => `
  WITH ${condition},
  edits AS (SELECT name, content FROM held, unnest($3::text[], $4::text[]) AS t(name, content)),
  stored AS (
    INSERT INTO evenkeel.document AS d (workspace, collection, name, content)
    SELECT $1, $2, name, content FROM edits WHERE content IS NOT NULL
    ON CONFLICT (workspace, collection, name) DO UPDATE SET content = excluded.content),
  removed AS (
    DELETE FROM evenkeel.document AS d USING edits
    WHERE d.workspace = $1 AND d.collection = $2 AND d.name = edits.name AND edits.content IS NULL)
  SELECT 1 FROM held`;

/** A batch has an identity, so that a retry stores it once. */
const append = (condition: string) => `
  WITH ${condition},
  added AS (
    INSERT INTO evenkeel.line (workspace, log, name, batch, place, content)
    SELECT $1, $2, $3, $4, place, content FROM held, unnest($5::text[]) WITH ORDINALITY AS t(content, place)
    ORDER BY place ON CONFLICT DO NOTHING)
  SELECT 1 FROM held`;

const sizes = ["document", "line"].map(
  (table) => `(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM evenkeel.${table} AS t WHERE workspace = $1)`,
);
const size = `SELECT ${sizes.join(" + ")} AS bytes`;

interface TextRow {
  readonly name: string;
  readonly content: string;
}

function postgresStore(session: PostgresSession, workspace: string, place: string): WorkspaceState {
  const { query } = session;
  const texts = async (text: string, ...values: readonly unknown[]) => {
    const rows = await query<TextRow>(text, [workspace, ...values]);
    return new Map(rows.map(({ name, content }) => [name, content]));
  };
  /** Runs a statement that may depend on a lease. @throws LeaseLostError */
  const write = async (text: (condition: string) => string, values: readonly unknown[], token?: LeaseToken) => {
    const all = [workspace, ...values, ...(token ? [token.run, token.fence] : [])];
    const condition = token ? held(`$${all.length - 1}`, `$${all.length}`) : always;
    if ((await query(text(condition), all)).length === 0) throw new LeaseLostError(token?.run ?? "");
  };
  const documents: Pick<WorkspaceState, "get" | "put" | "list"> = {
    get: async (from, names) => (names.length === 0 ? new Map() : texts(getDocuments, from, names)),
    put: async (into, edits, token) => {
      const all = new Map(edits);
      const contents = Array.from(all.values(), (text) => text ?? null);
      await write(put, [into, [...all.keys()], contents], token);
    },
    list: async (of) => {
      const isLog = of === "journals" || of === "signatures";
      return [...(await texts(isLog ? listLogs : listDocuments, of)).keys()];
    },
  };
  return {
    ...{ place, ...documents, isShared: true, writeError: () => undefined },
    marks: (of, names) => texts(getMarks, of, names),
    append: (log, name, lines, token) => write(append, [log, name, randomUUID(), lines], token),
    lines: async (log, names) => {
      const rows = await query<TextRow>(getLines, [workspace, log, names]);
      return groupedAs(rows, ({ name, content }) => [name, content]);
    },
    lastLines: (log) => texts(getLastLines, log),
    forget: async (from, names) => {
      if (from === "leases") await query(forgetLeases, [workspace, names]);
      else await query(forgetLines, [workspace, from, names]);
    },
    leases: (name) => postgresLeases(session, workspace, name),
    holders: (start) => findHolders(session, byStart, workspace, start),
    rates: postgresRates(session),
    ledger: ledgerDocuments(documents),
    bytes: async () => Number((await query<{ bytes: string }>(size, [workspace]))[0]?.bytes),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

const documents = "FROM evenkeel.document WHERE workspace = $1 AND collection = $2";

const getDocuments = `SELECT name, content ${documents} AND name = ANY ($3)`;

/** Each write creates a new row version. */
const getMarks = `SELECT name, concat(xmin, ' ', ctid) AS content ${documents} AND name = ANY ($3)`;

const listDocuments = `SELECT name ${documents} ORDER BY name COLLATE "C"`;

const lines = "FROM evenkeel.line WHERE workspace = $1 AND log = $2";

const getLines = `SELECT name, content ${lines} AND name = ANY ($3) ORDER BY arrival`;

const getLastLines = `SELECT DISTINCT ON (name) name, content ${lines} ORDER BY name, arrival DESC`;

const forgetLines = `DELETE ${lines} AND name = ANY ($3)`;

const forgetLeases = `
  DELETE FROM evenkeel.lease WHERE workspace = $1 AND (name = ANY ($2) OR
    name LIKE '%/%' AND greatest(deadline, since + interval '1 day') < clock_timestamp())`;

const listLogs = `SELECT DISTINCT name COLLATE "C" AS name ${lines} ORDER BY 1`;

const reserve = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(r.reserved, clock_timestamp()) + $2 * interval '1 millisecond'
  RETURNING extract(epoch FROM reserved - clock_timestamp())::float8 * 1000 AS until`;

const hold = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(r.reserved, clock_timestamp() + $2 * interval '1 millisecond')`;

/** The rates of all workspaces, one row per token. */
function postgresRates({ query }: PostgresSession): Rates {
  return {
    reserve: async (key, milliseconds) => {
      const [row] = await query<{ until: number }>(reserve, [key, milliseconds]);
      return Math.max(0, (row?.until ?? 0) - milliseconds);
    },
    hold: async (key, milliseconds) => void (await query(hold, [key, milliseconds])),
  };
}

/** Version of {@link tables}, which also upgrade the previous version. */
const version = 4;
const upgradable = 3;

/** JSON is stored as text, because messages of servers may contain what jsonb rejects. */
const tables = `
  SELECT pg_advisory_xact_lock(hashtext('evenkeel migrations'));
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'evenkeel') THEN CREATE SCHEMA evenkeel; END IF;
  END $$;
  CREATE TABLE IF NOT EXISTS evenkeel.migration (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS evenkeel.lease (
    workspace text, name text, fence bigint NOT NULL, run text, who text, host text, pid integer, job text,
    since timestamptz NOT NULL, deadline timestamptz NOT NULL, PRIMARY KEY (workspace, name));
  CREATE TABLE IF NOT EXISTS evenkeel.document (
    workspace text, collection text, name text, content text NOT NULL, PRIMARY KEY (workspace, collection, name));
  CREATE TABLE IF NOT EXISTS evenkeel.line (
    workspace text, log text, name text, batch uuid, place integer, arrival bigint GENERATED ALWAYS AS IDENTITY,
    content text NOT NULL, PRIMARY KEY (workspace, log, name, batch, place));
  CREATE INDEX IF NOT EXISTS line_by_arrival ON evenkeel.line (workspace, log, name, arrival);
  CREATE TABLE IF NOT EXISTS evenkeel.rate (key text PRIMARY KEY, reserved timestamptz NOT NULL);
  DROP TABLE IF EXISTS evenkeel.part;
  INSERT INTO evenkeel.migration (version) VALUES (${version}) ON CONFLICT DO NOTHING`;

/** A user without the right to create tables can use existing ones. @throws UserError for an unknown version. */
async function migrate({ query }: PostgresSession): Promise<void> {
  // The catalogue is up to date; name look-ups of a connection may be cached.
  const found = await query(
    "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'evenkeel' AND tablename = 'migration'",
  );
  const readVersion = async () => {
    const max = "SELECT coalesce(max(version), 0) AS version FROM evenkeel.migration";
    return (await query<{ version: number }>(max))[0]?.version ?? 0;
  };
  if (found.length === 0 || (await readVersion()) === upgradable) await query(tables);
  const stored = await readVersion();
  if (stored === version) return;
  const way =
    stored > version
      ? "upgrade evenkeel"
      : "use another database, or, if its history and ledger are no longer needed, DROP SCHEMA evenkeel CASCADE";
  throw new UserError(`the state has schema version ${stored}, and this version of evenkeel needs ${version}; ${way}`);
}
