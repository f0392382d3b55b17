import type { Holder, Leases } from "../lease.ts";
import { runLease, shardLeases, type WorkerStore } from "../state.ts";
import type { PostgresSession } from "./session.ts";

interface LeaseRow {
  readonly fence: string;
  readonly run: string;
  readonly who: string;
  readonly host: string;
  readonly pid: number;
  readonly job: string | null;
  readonly since: Time;
  readonly deadline: Time;
}

/** `infinity` is returned as a number. */
type Time = Date | number;

const take = `
  INSERT INTO evenkeel.lease AS l (workspace, name, fence, run, who, host, pid, job, since, deadline)
  VALUES ($1, $2, 1, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp() + $8 * interval '1 millisecond')
  ON CONFLICT (workspace, name) DO UPDATE
  SET fence = l.fence + 1, run = excluded.run, who = excluded.who, host = excluded.host, pid = excluded.pid,
      job = excluded.job, since = excluded.since, deadline = excluded.deadline
  WHERE l.deadline <= clock_timestamp() OR l.run = excluded.run
  RETURNING fence`;

const renew = `
  UPDATE evenkeel.lease SET deadline = clock_timestamp() + $5 * interval '1 millisecond'
  WHERE workspace = $1 AND name = $2 AND run = $3 AND fence = $4 AND deadline > clock_timestamp() RETURNING 1`;

const remaining = `
  SELECT extract(epoch FROM deadline - clock_timestamp()) * 1000 AS milliseconds FROM evenkeel.lease
  WHERE workspace = $1 AND name = $2 AND run = $3 AND fence = $4 AND deadline > clock_timestamp()`;

const giveBack = `
  UPDATE evenkeel.lease SET deadline = '-infinity', run = NULL
  WHERE workspace = $1 AND name = $2 AND run = $3 AND fence = $4`;

const release = `
  UPDATE evenkeel.lease SET deadline = '-infinity', run = NULL
  WHERE workspace = $1 AND name = $2 AND run = $3 AND deadline > clock_timestamp() RETURNING 1`;

const find = `
  SELECT fence, run, who, host, pid, job, since, deadline FROM evenkeel.lease
  WHERE workspace = $1 AND name = $2 AND deadline > clock_timestamp()`;

const findAll = find.replace("name = $2", "starts_with(name, $2)");

async function listHolders({ query }: PostgresSession, workspace: string, start: string): Promise<Holder[]> {
  return (await query<LeaseRow>(findAll, [workspace, start])).map(toHolder);
}

export function postgresLeases({ query }: PostgresSession, workspace: string, name: string): Leases {
  const holder = async () => {
    const [row] = await query<LeaseRow>(find, [workspace, name]);
    return row && toHolder(row);
  };
  const leases: Leases = {
    take: async (claim, milliseconds) => {
      const { run, who, host, pid, job = null } = claim;
      const [row] = await query<{ fence: string }>(take, [workspace, name, run, who, host, pid, job, milliseconds]);
      if (row) return { run, fence: Number(row.fence) };
      const heldBy = await holder();
      return heldBy ? { heldBy } : leases.take(claim, milliseconds);
    },
    renew: async ({ run, fence }, milliseconds) =>
      (await query(renew, [workspace, name, run, fence, milliseconds])).length > 0,
    remaining: async ({ run, fence }) => {
      const [row] = await query<{ milliseconds: string }>(remaining, [workspace, name, run, fence]);
      return Number(row?.milliseconds ?? 0);
    },
    giveBack: async ({ run, fence }) => void (await query(giveBack, [workspace, name, run, fence])),
    holder,
    release: async (run) => (await query(release, [workspace, name, run])).length > 0,
  };
  return leases;
}

function toHolder({ fence, job, since, deadline, ...rest }: LeaseRow): Holder {
  return {
    ...rest,
    fence: Number(fence),
    since: toIso(since) ?? "unknown",
    deadline: toIso(deadline),
    ...(job !== null && { job }),
  };
}

function toIso(time: Time): string | undefined {
  return time instanceof Date ? time.toISOString() : undefined;
}

const forget = [
  "DELETE FROM evenkeel.part WHERE workspace = $1 AND (run = $2 OR since < clock_timestamp() - interval '1 day')",
  `DELETE FROM evenkeel.lease WHERE workspace = $1 AND name NOT IN ('apply', 'watch')
   AND (name = $2 OR starts_with(name, $3) OR (deadline < clock_timestamp() AND since < clock_timestamp() - interval '1 day'))`,
];

export function postgresWorkers(session: PostgresSession, workspace: string): WorkerStore {
  const { query } = session;
  return {
    leases: (name) => postgresLeases(session, workspace, name),
    holders: (start) => listHolders(session, workspace, start),
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
