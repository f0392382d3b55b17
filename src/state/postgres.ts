import { groupedAs } from "../base/grouped.ts";
import { type Database, databaseAt } from "./postgres/connection.ts";
import { postgresJournals } from "./postgres/journals.ts";
import { postgresLeases } from "./postgres/lease.ts";
import { postgresLedger } from "./postgres/ledger.ts";
import { postgresRates } from "./postgres/rates.ts";
import { postgresRuns } from "./postgres/runs.ts";
import { migrate } from "./postgres/schema.ts";
import { openPostgres, type PostgresSession } from "./postgres/session.ts";
import { postgresShards } from "./postgres/shards.ts";
import { postgresWorkers } from "./postgres/workers.ts";
import type { Rates } from "./rates.ts";
import { countSnapshots } from "./snapshots/fleet-index.ts";
import type { Approvals, Contents, SharedState, Texts } from "./state.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The state of a workspace in PostgreSQL 13 or later, in the schema `evenkeel`. `name` is the setting of the URL, for
 * messages. @throws UserError if it cannot be reached, or its schema is newer than this program.
 */
export async function postgresState(
  url: string,
  name: string,
  workspace: string,
  env: Environment,
): Promise<SharedState> {
  const database = databaseAt(url, name, env);
  const session = await migrated(database);
  return {
    place: `PostgreSQL, ${database.place}, workspace ${workspace}`,
    leases: postgresLeases(session, workspace, "apply"),
    watchLeases: postgresLeases(session, workspace, "watch"),
    journals: postgresJournals(session, workspace),
    runs: postgresRuns(session, workspace),
    ledger: postgresLedger(session, workspace),
    plans: textsIn(session, workspace, { table: "plan", name: "run", text: "document", more: ", saved" }),
    approvals: approvalsIn(session, workspace),
    notes: textsIn(session, workspace, { table: "note", name: "name", text: "content", more: "" }),
    snapshots: postgresShards(session, workspace),
    workers: postgresWorkers(session, workspace),
    rates: postgresRates(session),
    contents: () => contentsOf(session, workspace),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** The rates alone, which need no workspace. */
export async function postgresRatesAt(url: string, name: string, env: Environment): Promise<Rates & AsyncDisposable> {
  const session = await migrated(databaseAt(url, name, env));
  return { ...postgresRates(session), [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}

async function migrated(database: Database): Promise<PostgresSession> {
  const session = await openPostgres(database);
  try {
    await migrate(session);
    return session;
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

/** A table of texts: its columns for name and text, and for the time, if any. */
interface TextTable {
  readonly table: string;
  readonly name: string;
  readonly text: string;
  readonly more: string;
}

function textsIn({ query }: PostgresSession, workspace: string, { table, name, text, more }: TextTable): Texts {
  return {
    read: async (wanted) => {
      const [row] = await query<{ text: string }>(
        `SELECT ${text} AS text FROM evenkeel.${table} WHERE workspace = $1 AND ${name} = $2`,
        [workspace, wanted],
      );
      return row?.text;
    },
    write: async (wanted, content) => {
      await query(
        `INSERT INTO evenkeel.${table} (workspace, ${name}, ${text}${more}) VALUES ($1, $2, $3${more && ", now()"})
         ON CONFLICT (workspace, ${name}) DO UPDATE SET ${text} = excluded.${text}`,
        [workspace, wanted, content],
      );
    },
    list: async () => {
      const rows = await query<{ name: string }>(
        `SELECT ${name} AS name FROM evenkeel.${table} WHERE workspace = $1 ORDER BY ${name}`,
        [workspace],
      );
      return rows.map((row) => row.name);
    },
    // Each write creates a new row version.
    marks: async (names) => {
      const rows = await query<{ name: string; mark: string }>(
        `SELECT ${name} AS name, concat(xmin, ' ', ctid) AS mark FROM evenkeel.${table} WHERE workspace = $1 AND ${name} = ANY ($2)`,
        [workspace, names],
      );
      return new Map(rows.map((row) => [row.name, row.mark]));
    },
  };
}

function approvalsIn({ query }: PostgresSession, workspace: string): Approvals {
  const ofRuns: Approvals["ofRuns"] = async (runs) => {
    const rows = await query<{ run: string; signature: string }>(
      "SELECT run, signature FROM evenkeel.approval WHERE workspace = $1 AND run = ANY ($2) ORDER BY position",
      [workspace, runs],
    );
    const signatureOf = ({ signature }: (typeof rows)[number]) => signature;
    return groupedAs(rows, ({ run }) => run, signatureOf);
  };
  return {
    add: async (run, signature) => {
      await query(
        `INSERT INTO evenkeel.approval (workspace, run, signature, digest)
         VALUES ($1, $2, $3, encode(sha256(convert_to($3, 'UTF8')), 'hex')) ON CONFLICT DO NOTHING`,
        [workspace, run, signature],
      );
    },
    list: async (run) => (await ofRuns([run])).get(run) ?? [],
    ofRuns,
  };
}

const tables = ["run", "journal", "plan", "approval", "ledger", "note", "snapshot"];

async function contentsOf(session: PostgresSession, workspace: string): Promise<Contents> {
  const counts = `SELECT
    (SELECT count(*) FROM evenkeel.run WHERE workspace = $1) AS runs,
    (SELECT count(*) FROM evenkeel.journal WHERE workspace = $1 AND writer = '' AND position = 0) AS journals,
    (SELECT count(*) FROM evenkeel.plan WHERE workspace = $1) AS plans,
    (SELECT count(DISTINCT run) FROM evenkeel.approval WHERE workspace = $1) AS approvals,
    (SELECT count(DISTINCT project) FROM evenkeel.ledger WHERE workspace = $1) AS ledger,
    (SELECT count(*) FROM evenkeel.note WHERE workspace = $1) AS notes,
    ${tables.map((table) => `(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM evenkeel.${table} AS t WHERE workspace = $1)`).join(" + ")} AS bytes`;
  const [row] = await session.query<Readonly<Record<keyof Contents, string>>>(counts, [workspace]);
  const number = (name: keyof Contents) => Number(row?.[name] ?? 0);
  return {
    runs: number("runs"),
    journals: number("journals"),
    plans: number("plans"),
    approvals: number("approvals"),
    ledger: number("ledger"),
    snapshots: await countSnapshots(postgresShards(session, workspace)),
    notes: number("notes"),
    bytes: number("bytes"),
  };
}
