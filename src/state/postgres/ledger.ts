import { grouped } from "../../base/grouped.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import type { Memory } from "../../diff/last-applied.ts";
import { headOfLine, type LedgerHead, type LedgerLine } from "../../diff/ledger-line.ts";
import type { Problem } from "../../model/types.ts";
import { boundedName } from "../bounded-name.ts";
import { LeaseLostError } from "../lease-store.ts";
import { PackedTexts } from "../ledger/packed-texts.ts";
import type { LedgerContents, LedgerEdit, LedgerStore } from "../state.ts";
import { heldLease } from "./lease.ts";
import type { PostgresSession } from "./session.ts";

/** The rows of a project: name, address without project, key and memory of each, as JSON. */
interface ProjectRows {
  readonly project: string;
  readonly rows: string;
}

type LedgerRow = readonly [name: string, rest: string, key: string, memory: string];

/** Projects. */
const [readAtOnce, writtenAtOnce] = [500, 500];

const read = `
  SELECT project, json_agg(json_build_array(name, rest, key, memory) ORDER BY rest)::text AS rows FROM evenkeel.ledger
  WHERE workspace = $1 AND project > $2 GROUP BY project ORDER BY project LIMIT ${readAtOnce}`;

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
    read: async () => {
      const lines = new StoredLines();
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page: readonly ProjectRows[] = await query<ProjectRows>(read, [workspace, after]);
        for (const { rows } of page) lines.add(JSON.parse(rows));
        after = page.at(-1)?.project;
      }
      return lines.contents();
    },
    writeError: () => undefined,
    write: async ({ run, fence }, key, { projects, of }) => {
      for (let at = 0; at < projects.length; at += writtenAtOnce) {
        const edits = projects.slice(at, at + writtenAtOnce).flatMap(of);
        const rows = await query(write, [workspace, run, fence, key, ...columnsOf(edits)]);
        if (rows.length === 0) throw new LeaseLostError(run);
      }
    },
  };
}

function columnsOf(edits: readonly LedgerEdit[]): readonly (readonly (string | null)[])[] {
  return [
    edits.map(({ project }) => boundedName(project)),
    edits.map(({ rest }) => boundedName(rest)),
    edits.map(({ memory }) => (memory ? JSON.stringify(memory) : null)),
  ];
}

/** The lines of a ledger, compressed, because a plan needs them one at a time. */
class StoredLines {
  readonly #lines = new PackedTexts();
  readonly #keys = new Map<string, number>();
  #broken = 0;

  /** Adds the rows of a project. If they have several keys, only those with the key of its first row count. */
  add(rows: readonly LedgerRow[]): void {
    for (const [name, own] of grouped(rows, ([project]) => project.toLowerCase())) {
      const entries = own.flatMap(entryIn);
      this.#broken += own.length - entries.length;
      const [first] = entries;
      if (first) this.#add(name, this.#get(name) ?? this.#newLine(first), entries);
    }
  }

  contents(): LedgerContents {
    const lines = this.#lines;
    return {
      lines: {
        size: lines.size,
        keys: () => lines.keys(),
        get: (name) => this.#get(name),
        headOf: (name) => this.#headOf(name),
      },
      keys: this.#keys,
      problems: this.#broken > 0 ? [unusable(this.#broken)] : [],
    };
  }

  #get(name: string): LedgerLine | undefined {
    const text = this.#lines.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #headOf(name: string): LedgerHead | undefined {
    const line = this.#get(name);
    return line && headOfLine(line);
  }

  #add(name: string, line: LedgerLine, entries: readonly LedgerEntry[]): void {
    for (const { rest, key, memory } of entries) if (key === line.key) line.resources[rest] = memory;
    this.#lines.set(name, JSON.stringify(line));
  }

  #newLine({ project, key }: LedgerEntry): LedgerLine {
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    return { project, key, resources: {} };
  }
}

interface LedgerEntry extends LedgerHead {
  readonly rest: string;
  readonly memory: Memory;
}

function entryIn([project, rest, key, text]: LedgerRow): readonly LedgerEntry[] {
  const memory = memoryIn(text);
  return memory ? [{ project, rest, key, memory }] : [];
}

function memoryIn(text: string): Memory | undefined {
  const read = parsedJson(text);
  return isObject(read) && isObject(read.sent) ? (read as unknown as Memory) : undefined;
}

function unusable(count: number): Problem {
  const message = `${count === 1 ? "1 row" : `${count} rows`} of the state's ledger cannot be read and are ignored`;
  return { severity: "warning", rule: "ledger", message };
}
