import type { WorkerStore } from "../worker-store.ts";
import { runLease, shardLeases } from "../worker-store.ts";
import { holdersOf, postgresLeases } from "./leases.ts";
import type { PostgresSession } from "./session.ts";

const forget = [
  "DELETE FROM evenkeel.part WHERE workspace = $1 AND (run = $2 OR since < clock_timestamp() - interval '1 day')",
  `DELETE FROM evenkeel.lease WHERE workspace = $1 AND name NOT IN ('apply', 'watch')
   AND (name = $2 OR starts_with(name, $3) OR (deadline < clock_timestamp() AND since < clock_timestamp() - interval '1 day'))`,
];

/** What workers share, as rows. */
export function postgresWorkers(session: PostgresSession, workspace: string): WorkerStore {
  const { query } = session;
  return {
    leases: (name) => postgresLeases(session, workspace, name),
    holders: (start) => holdersOf(session, workspace, start),
    write: async (run, name, text) =>
      void (await query(
        `INSERT INTO evenkeel.part (workspace, run, part, since, result)
         VALUES ($1, $2, $3, clock_timestamp(), $4) ON CONFLICT DO NOTHING`,
        [workspace, run, name, text],
      )),
    read: async (run, names) => {
      const rows = await query<{ part: string; result: string }>(
        "SELECT part, result FROM evenkeel.part WHERE workspace = $1 AND run = $2 AND part = ANY ($3)",
        [workspace, run, names],
      );
      return new Map(rows.map(({ part, result }) => [part, result]));
    },
    forget: async (run) => {
      const [parts = "", leases = ""] = forget;
      await query(parts, [workspace, run]);
      await query(leases, [workspace, runLease(run), shardLeases(run)]);
    },
  };
}
