import { boundedName } from "../bounded-name.ts";
import { LeaseLostError } from "../lease-store.ts";
import type { Intent, Member, WorkerStore } from "../worker-store.ts";
import type { PostgresSession } from "./session.ts";

/** Locks the row, so that no other run takes over the lease during the statement. */
const heldLease = `held AS (
  SELECT 1 FROM evenkeel.lease
  WHERE workspace = $1 AND name = 'apply' AND run = $2 AND fence = $3 AND deadline > clock_timestamp() FOR SHARE)`;

/** If the server's clock was set back, the remaining durations of other members start again from now. */
const heartbeat = `
  WITH settled AS (
    UPDATE evenkeel.member SET deadline = clock_timestamp() + (deadline - noted), noted = clock_timestamp()
    WHERE noted > clock_timestamp() AND id <> $1)
  INSERT INTO evenkeel.member (id, role, origin, version, host, pid, deadline, requests)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond', $8)
  ON CONFLICT (id) DO UPDATE SET deadline = excluded.deadline, requests = excluded.requests, noted = clock_timestamp()`;

const members = `
  SELECT id, role, origin, version, host, pid, requests FROM evenkeel.member WHERE deadline > clock_timestamp() ORDER BY id`;

/** Whether no request of a member can be in flight. */
const isGone = `NOT EXISTS (
  SELECT 1 FROM evenkeel.member AS m WHERE m.id = i.member AND m.deadline + $7 * interval '1 millisecond' > clock_timestamp())`;

const store = `
  WITH ${heldLease},
  added AS (
    INSERT INTO evenkeel.intent (workspace, run, address, sender, member, since, sealed)
    SELECT $1, $2, $4, $5, $6, clock_timestamp(), $7 FROM held ON CONFLICT DO NOTHING)
  SELECT 1 FROM held`;

const find = `
  SELECT sender, member, outcome, sealed, ${isGone.replace("$7", "$4")} AS abandoned FROM evenkeel.intent AS i
  WHERE workspace = $1 AND run = $2 AND address = $3`;

const takeOver = `
  WITH ${heldLease},
  taken AS (
    UPDATE evenkeel.intent AS i SET sender = $5, member = $6, since = clock_timestamp(), sealed = sealed || $9 FROM held
    WHERE workspace = $1 AND run = $2 AND address = $4 AND outcome IS NULL
      AND (sender = $5 OR (sender = $8 AND ${isGone})) RETURNING 1)
  SELECT (SELECT count(*) FROM taken)::int AS taken FROM held`;

const recordOutcome = `
  UPDATE evenkeel.intent SET outcome = $5
  WHERE workspace = $1 AND run = $2 AND address = $3 AND sender = $4 AND outcome IS NULL`;

const withdraw = `
  DELETE FROM evenkeel.intent
  WHERE workspace = $1 AND run = $2 AND address = $3 AND sender = $4 AND outcome IS NULL`;

const collectResults = `
  WITH gone AS (DELETE FROM evenkeel.part WHERE workspace = $1 AND run = $2 AND part = ANY ($3))
  SELECT part, result FROM evenkeel.part
  WHERE workspace = $1 AND run = $2 AND part <> ALL ($3) LIMIT 50`;

const forget = ["part", "intent"].map(
  (table) => `
  DELETE FROM evenkeel.${table}
  WHERE workspace = $1 AND (run = $2 OR since < clock_timestamp() - interval '1 day')`,
);

const forgetMembers = "DELETE FROM evenkeel.member WHERE deadline < clock_timestamp() - interval '1 day'";

interface MemberRow extends Omit<Member, "requests"> {
  readonly requests: string | null;
}

interface IntentRow {
  readonly sender: string;
  readonly member: string;
  readonly outcome: string | null;
  readonly sealed: string;
  readonly abandoned: boolean;
}

/** What workers share, as rows. */
export function postgresWorkers(session: PostgresSession, workspace: string): WorkerStore {
  return {
    ...memberRows(session),
    ...intentRows(session, workspace),
    ...resultRows(session, workspace),
    forgetRun: async (run) => {
      for (const statement of forget) await session.query(statement, [workspace, run]);
      await session.query(forgetMembers);
    },
  };
}

/** Members belong to all workspaces. */
function memberRows({ query }: PostgresSession): Pick<WorkerStore, "heartbeat" | "leave" | "members"> {
  return {
    heartbeat: async ({ id, role, origin, version, host, pid, requests = null }, milliseconds) =>
      void (await query(heartbeat, [id, role, origin, version, host, pid, milliseconds, requests])),
    leave: async (id) => void (await query("DELETE FROM evenkeel.member WHERE id = $1", [id])),
    members: async () => (await query<MemberRow>(members)).map(memberOf),
  };
}

function intentRows(
  { query }: PostgresSession,
  workspace: string,
): Pick<WorkerStore, "claim" | "takeOver" | "recordOutcome" | "intents"> {
  return {
    claim: async ({ run, fence }, address, { name, member }, grace, sealed) => {
      const held = await query(store, [workspace, run, fence, encodeAddress(address), name, member, line(sealed)]);
      if (held.length === 0) throw new LeaseLostError(run);
      const [row] = await query<IntentRow>(find, [workspace, run, encodeAddress(address), grace]);
      return row ? intentOf(row, name) : { pending: { name, member }, abandoned: true, sealed: [] };
    },
    takeOver: async ({ run, fence }, address, { from, to }, grace, sealed) => {
      const values = [
        workspace,
        run,
        fence,
        encodeAddress(address),
        to.name,
        to.member,
        grace,
        from.name,
        line(sealed),
      ];
      const [row] = await query<{ taken: number }>(takeOver, values);
      if (!row) throw new LeaseLostError(run);
      return row.taken > 0;
    },
    recordOutcome: async (run, address, { name }, outcome) => {
      const values = [workspace, run, encodeAddress(address), name];
      if (outcome === undefined) await query(withdraw, values);
      else await query(recordOutcome, [...values, outcome]);
    },
    intents: async (run) => {
      const rows = await query<Pick<IntentRow, "outcome" | "sealed"> & { address: string }>(
        "SELECT address, outcome, sealed FROM evenkeel.intent WHERE workspace = $1 AND run = $2",
        [workspace, run],
      );
      return new Map(
        rows.map(({ address, outcome, sealed }) => [
          JSON.parse(address),
          { ...(outcome !== null && { outcome }), sealed: linesIn(sealed) },
        ]),
      );
    },
  };
}

function resultRows({ query }: PostgresSession, workspace: string): Pick<WorkerStore, "saveResult" | "collectResults"> {
  return {
    saveResult: async (run, part, result) =>
      void (await query(
        `INSERT INTO evenkeel.part (workspace, run, part, since, result)
         VALUES ($1, $2, $3, clock_timestamp(), $4) ON CONFLICT DO NOTHING`,
        [workspace, run, part, result],
      )),
    collectResults: async (run, taken) => {
      const rows = await query<{ part: string; result: string }>(collectResults, [workspace, run, taken]);
      return new Map(rows.map(({ part, result }) => [part, result]));
    },
  };
}

function memberOf({ requests, ...rest }: MemberRow): Member {
  return requests === null ? rest : { ...rest, requests: Number(requests) };
}

function intentOf({ sender, member, outcome, abandoned, sealed }: IntentRow, name: string): Intent {
  if (outcome !== null) return { outcome, sealed: linesIn(sealed) };
  if (sender === name) return { mine: true };
  return { pending: { name: sender, member }, abandoned, sealed: linesIn(sealed) };
}

function line(sealed: string): string {
  return sealed && `${sealed}\n`;
}

function linesIn(sealed: string): readonly string[] {
  return sealed.split("\n").filter(Boolean);
}

/** As JSON, because addresses may contain what a text of PostgreSQL cannot. */
function encodeAddress(address: string): string {
  const text = JSON.stringify(address);
  return text.length <= maxIndexed ? text : JSON.stringify(boundedName(address));
}

/** Characters that fit into an index entry. */
const maxIndexed = 1000;
