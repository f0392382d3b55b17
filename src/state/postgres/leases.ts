import type { Holder, Leases } from "../lease.ts";
import type { PostgresSession } from "./session.ts";

const take = `
  INSERT INTO evenkeel.lease AS l (workspace, name, fence, run, who, host, pid, job, since, deadline)
  VALUES ($1, $2, 1, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp() + $8 * interval '1 millisecond')
  ON CONFLICT (workspace, name) DO UPDATE
  SET fence = l.fence + 1, run = excluded.run, who = excluded.who, host = excluded.host, pid = excluded.pid,
      job = excluded.job, since = excluded.since, deadline = excluded.deadline
  WHERE l.deadline <= clock_timestamp() OR l.run = excluded.run
  RETURNING fence::float8`;

const held =
  "workspace = $1 AND name = $2 AND run = $3 AND fence = coalesce($4, fence) AND deadline > clock_timestamp()";

const renew = `
  UPDATE evenkeel.lease SET deadline = clock_timestamp() + $5 * interval '1 millisecond' WHERE ${held} RETURNING 1`;

const remaining = `
  SELECT extract(epoch FROM deadline - clock_timestamp())::float8 * 1000 AS milliseconds
  FROM evenkeel.lease WHERE ${held}`;

const release = `UPDATE evenkeel.lease SET deadline = '-infinity', run = NULL WHERE ${held} RETURNING 1`;

const find = `
  SELECT fence::float8, run, who, host, pid, job, since, deadline FROM evenkeel.lease
  WHERE workspace = $1 AND deadline > clock_timestamp() AND `;

const byName = `${find} name = $2`;
export const byStart = `${find} starts_with(name, $2)`;

interface LeaseRow extends Omit<Holder, "job" | "since" | "deadline"> {
  readonly job: string | null;
  readonly since: Date;
  readonly deadline: Date;
}

export async function findHolders(
  { query }: PostgresSession,
  by: string,
  workspace: string,
  name: string,
): Promise<readonly Holder[]> {
  const rows = await query<LeaseRow>(by, [workspace, name]);
  return rows.map(({ job, since, deadline, ...rest }) => ({
    ...{ ...rest, since: since.toISOString(), deadline: deadline.toISOString() },
    ...(job !== null && { job }),
  }));
}

export function postgresLeases(session: PostgresSession, workspace: string, name: string): Leases {
  const { query } = session;
  const holder = async () => (await findHolders(session, byName, workspace, name))[0];
  const leases: Leases = {
    take: async (claim, milliseconds) => {
      const { run, who, host, pid, job = null } = claim;
      const [row] = await query<{ fence: number }>(take, [workspace, name, run, who, host, pid, job, milliseconds]);
      if (row) return { run, fence: row.fence };
      const heldBy = await holder();
      return heldBy ? { heldBy } : leases.take(claim, milliseconds);
    },
    renew: async ({ run, fence }, milliseconds) =>
      (await query(renew, [workspace, name, run, fence, milliseconds])).length > 0,
    remaining: async ({ run, fence }) => {
      const [row] = await query<{ milliseconds: number }>(remaining, [workspace, name, run, fence]);
      return row?.milliseconds ?? 0;
    },
    holder,
    release: async (run, fence) => (await query(release, [workspace, name, run, fence ?? null])).length > 0,
  };
  return leases;
}
