import { kept, maxReadRuns, readCommands } from "../retention.ts";
import { type RunSummary, summaryIn } from "../run-summary.ts";
import type { Runs } from "../state.ts";
import type { PostgresSession } from "./session.ts";

const record = `
  INSERT INTO evenkeel.run (workspace, run, command, started, summary) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (workspace, run) DO UPDATE SET summary = excluded.summary`;

const prune = `
  WITH gone AS (DELETE FROM evenkeel.plan
    WHERE workspace = $1 AND saved < now() - $2 * interval '1 millisecond' RETURNING run),
  unsigned AS (DELETE FROM evenkeel.approval WHERE workspace = $1 AND run IN (SELECT run FROM gone))
  DELETE FROM evenkeel.run
  WHERE workspace = $1 AND command = ANY ($4) AND started <= greatest(now() - $3 * interval '1 millisecond',
    (SELECT started FROM evenkeel.run WHERE workspace = $1 AND command = ANY ($4)
     ORDER BY started DESC OFFSET $5 LIMIT 1))`;

const pruneRates = "DELETE FROM evenkeel.rate WHERE reserved < clock_timestamp() - $1 * interval '1 millisecond'";

const day = "floor(extract(epoch FROM started) / 86400)::int";

/** A fingerprint of the runs of each day. */
const marks = `
  SELECT ${day} AS day, count(*) || ' ' || sum(hashtextextended(summary, 0)) AS mark
  FROM evenkeel.run WHERE workspace = $1 GROUP BY day ORDER BY day DESC`;

const ofDays = `
  SELECT ${day} AS day, summary FROM evenkeel.run WHERE workspace = $1 AND ${day} = ANY ($2)
  ORDER BY started DESC, run DESC`;

interface KnownDay {
  readonly mark: string;
  readonly runs: readonly RunSummary[];
}

/** Summaries as rows. Days with the same fingerprint as before are not read again. */
export function postgresRuns({ query }: PostgresSession, workspace: string): Runs {
  let known: ReadonlyMap<number, KnownDay> = new Map();
  return {
    record: async (summary) => {
      const { run, command, started } = summary;
      await query(record, [workspace, run, command, started, JSON.stringify(summary)]);
      await query(prune, [workspace, kept.plans, kept.readRuns, readCommands, maxReadRuns]);
      await query(pruneRates, [kept.rates]);
    },
    list: async () => {
      const days = await query<{ day: number; mark: string }>(marks, [workspace]);
      const changed = days.filter(({ day, mark }) => known.get(day)?.mark !== mark).map(({ day }) => day);
      const read = await runsOf(changed);
      known = new Map(
        days.map(({ day, mark }) => [day, { mark, runs: read.get(day) ?? known.get(day)?.runs ?? [] }] as const),
      );
      return [...known.values()].flatMap(({ runs }) => runs);
    },
  };

  async function runsOf(days: readonly number[]): Promise<ReadonlyMap<number, readonly RunSummary[]>> {
    const rows = days.length === 0 ? [] : await query<{ day: number; summary: string }>(ofDays, [workspace, days]);
    const found = new Map<number, RunSummary[]>(days.map((day) => [day, []]));
    for (const { day, summary } of rows) found.get(day)?.push(...[summaryIn(summary) ?? []].flat());
    return found;
  }
}
