import { batchWriter } from "../../base/batch-writer.ts";
import { journalLineIn } from "../journal.ts";
import type { JournalLine } from "../journal-entry.ts";
import { LeaseLostError, type LeaseToken } from "../lease-store.ts";
import type { JournalAppender, Journals } from "../state.ts";
import { heldLease } from "./lease.ts";
import type { PostgresSession } from "./session.ts";

/** Idempotent, because lines have positions. */
const append = `
  WITH ${heldLease},
  added AS (
    INSERT INTO evenkeel.journal (workspace, run, writer, position, event, entry)
    SELECT $1, $4, $8, position, event, entry
    FROM held, unnest($5::int[], $6::text[], $7::text[]) AS t(position, event, entry) ORDER BY position
    ON CONFLICT DO NOTHING)
  SELECT 1 FROM held`;

const unfinished = `
  SELECT DISTINCT run FROM evenkeel.journal AS j
  WHERE workspace = $1 AND writer = '' AND position = 0 AND NOT EXISTS (
    SELECT 1 FROM evenkeel.journal AS e
    WHERE e.workspace = j.workspace AND e.run = j.run AND e.event IN ('end', 'noticed'))
  ORDER BY run`;

/** The journals of a workspace, one row per line. */
export function postgresJournals({ query }: PostgresSession, workspace: string): Journals {
  const store = async (token: LeaseToken, { run, writer = "" }: Part, from: number, lines: readonly JournalLine[]) => {
    const positions = lines.map((_, index) => from + index);
    const events = lines.map(({ event }) => event);
    const entries = lines.map((line) => JSON.stringify(line));
    const values = [workspace, token.run, token.fence, run, positions, events, entries, writer];
    if ((await query(append, values)).length === 0) throw new LeaseLostError(token.run);
  };
  const names = async (text: string) => (await query<{ run: string }>(text, [workspace])).map(({ run }) => run);
  return {
    writeError: () => undefined,
    open: (token, writer) => appender((from, lines) => store(token, { run: token.run, writer }, from, lines)),
    list: () =>
      names("SELECT run FROM evenkeel.journal WHERE workspace = $1 AND writer = '' AND position = 0 ORDER BY run"),
    read: async (run) => {
      const rows = await query<{ entry: string }>(
        "SELECT entry FROM evenkeel.journal WHERE workspace = $1 AND run = $2 ORDER BY arrival",
        [workspace, run],
      );
      return rows.length > 0 ? rows.flatMap(({ entry }) => journalLineIn(entry) ?? []) : undefined;
    },
    unfinished: () => names(unfinished),
    extend: async (token, run, lines) => {
      const [last] = await query<{ next: number | null }>(
        "SELECT max(position) + 1 AS next FROM evenkeel.journal WHERE workspace = $1 AND run = $2 AND writer = ''",
        [workspace, run],
      );
      await store(token, { run }, last?.next ?? 0, lines);
    },
  };
}

/** The lines of one writer in a journal. */
interface Part {
  readonly run: string;
  readonly writer?: string | undefined;
}

type Store = (from: number, lines: readonly JournalLine[]) => Promise<void>;

/** Executes one statement at a time. */
function appender(store: Store): JournalAppender {
  let position = 0;
  const { add, idle } = batchWriter<JournalLine>((lines) => {
    const from = position;
    position += lines.length;
    return store(from, lines);
  });
  return { append: add, close: idle };
}
