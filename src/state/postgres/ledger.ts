import { isObject } from "../../base/json.ts";
import type { Memory } from "../../diff/last-applied.ts";
import { countKeys, type LedgerLine } from "../../diff/ledger-line.ts";
import type { Problem } from "../../model/types.ts";
import { boundedName } from "../bounded-name.ts";
import { LeaseLostError } from "../lease-store.ts";
import type { LedgerContents, LedgerStore } from "../state.ts";
import { heldLease } from "./lease.ts";
import type { PostgresSession } from "./session.ts";

interface LedgerRow {
  readonly name: string;
  readonly rest: string;
  readonly key: string;
  readonly memory: string;
}

const write = `
  WITH ${heldLease},
  changed AS (
    INSERT INTO evenkeel.ledger (workspace, project, rest, name, key, memory)
    SELECT $1, lower(name), rest, name, $4, memory FROM held, unnest($5::text[], $6::text[], $7::text[]) AS t(name, rest, memory)
    WHERE memory IS NOT NULL
    ON CONFLICT (workspace, project, rest) DO UPDATE SET name = excluded.name, key = excluded.key, memory = excluded.memory),
  forgotten AS (
    DELETE FROM evenkeel.ledger AS l USING held, unnest($5::text[], $6::text[], $7::text[]) AS t(name, rest, memory)
    WHERE l.workspace = $1 AND l.project = lower(t.name) AND l.rest = t.rest AND t.memory IS NULL)
  SELECT 1 FROM held`;

/** The ledger of a workspace, one row per address, so that concurrent runs do not overwrite each other. */
export function postgresLedger({ query }: PostgresSession, workspace: string): LedgerStore {
  return {
    read: async () =>
      contentsOf(
        await query<LedgerRow>(
          "SELECT name, rest, key, memory FROM evenkeel.ledger WHERE workspace = $1 ORDER BY project, rest",
          [workspace],
        ),
      ),
    writeError: () => undefined,
    write: async ({ run, fence }, key, edits) => {
      const memories = edits.map(({ memory }) => (memory ? JSON.stringify(memory) : null));
      const columns = [
        edits.map(({ project }) => boundedName(project)),
        edits.map(({ rest }) => boundedName(rest)),
        memories,
      ];
      const rows = await query(write, [workspace, run, fence, key, ...columns]);
      if (rows.length === 0) throw new LeaseLostError(run);
    },
  };
}

/** If a project has rows with several keys, only those with the key of its first row count. */
function contentsOf(rows: readonly LedgerRow[]): LedgerContents {
  const lines = new Map<string, LedgerLine>();
  let broken = 0;
  for (const { name, rest, key, memory } of rows) {
    const read = memoryIn(memory);
    if (!read) broken++;
    else {
      const line = lines.get(name.toLowerCase()) ?? { project: name, key, resources: {} };
      if (line.key === key) line.resources[rest] = read;
      lines.set(name.toLowerCase(), line);
    }
  }
  return { lines, keys: countKeys(lines.values()), problems: broken > 0 ? [unusable(broken)] : [] };
}

function memoryIn(text: string): Memory | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) && isObject(read.sent) ? (read as unknown as Memory) : undefined;
  } catch {
    return undefined;
  }
}

function unusable(count: number): Problem {
  const message = `${count === 1 ? "1 row" : `${count} rows`} of the state's ledger cannot be read and are ignored`;
  return { severity: "warning", rule: "ledger", message };
}
