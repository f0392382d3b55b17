import { createHash } from "node:crypto";
import { UserError } from "../../base/exit.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { systemCode } from "../../base/system-errors.ts";
import { withoutTrailing } from "../../base/text-format.ts";
import type { ProjectSnapshot, SeenEntry, SyncStatus } from "./snapshot.ts";

/** Enough that one of 100,000 projects is read quickly, and few enough that a small fleet is a few files. */
const shardCount = 64;

/** The name of the shard that holds a project, whatever the case of its path. */
export function shardNameOf(project: string): string {
  const [byte = 0] = createHash("sha256").update(project.toLowerCase()).digest();
  return shardName(byte % shardCount);
}

/** The names of all shards. */
export const shardNames = Array.from({ length: shardCount }, (_, index) => shardName(index));

function shardName(index: number): string {
  return index.toString(16).padStart(2, "0");
}

/**
 * Snapshots of some projects. A fleet is split by a hash of the project, so that a run writes the shards that changed
 * and a page reads one.
 */
export interface SnapshotShard {
  /** Entries of all its projects, each once. */
  readonly entries: readonly SeenEntry[];
  readonly rows: readonly ShardRow[];
}

/** A project of a shard: a tuple, because a fleet has many. */
export type ShardRow = readonly [
  project: string,
  id: number | null,
  /** Of the last observation of the whole project; "" if there is none. */
  fingerprint: string,
  syncStatus: SyncStatus,
  since: string,
  seen: string,
  run: string,
  unmanaged: number,
  /** Indexes into the entries of the shard. */
  entries: readonly number[],
  differences: ProjectSnapshot["differences"],
  unverified: ProjectSnapshot["unverified"],
  problems: ProjectSnapshot["problems"],
  inherited?: readonly string[],
];

/** Parses a shard; empty if the text is none. @throws UserError if a newer version wrote it. */
export function parseShard(text: string | undefined): SnapshotShard {
  const { entries, rows } = parseFormat(text);
  const isShard = Array.isArray(entries) && Array.isArray(rows);
  return isShard ? { entries, rows } : { entries: [], rows: [] };
}

const format = 1;

const [beginning, between, end] = [`{"format":${format},"entries":[`, `],"rows":[`, "]}"];

/** The text of a shard: JSON with a line for each entry and each row, so that {@link eachOf} can read one after another. */
export function shardText({ entries, rows }: SnapshotShard): string {
  return [beginning, ...linesWith(entries), between, ...linesWith(rows), end].join("\n");
}

function linesWith(items: readonly unknown[]): readonly string[] {
  return items.map((item, index) => `${JSON.stringify(item)}${index < items.length - 1 ? "," : ""}`);
}

/**
 * Hands the entries of a shard over one by one, to be parsed where they are needed, then its rows, as its text comes in pieces:
 * only what is made of them is in memory. Returns whether it was read to its end; a damaged one is not. @throws UserError if a
 * newer version wrote it.
 */
export async function eachOf(
  pieces: AsyncIterable<string>,
  entry: (parse: () => SeenEntry) => void,
  row: (row: ShardRow) => void,
): Promise<boolean> {
  let use: ((line: string) => void) | undefined;
  try {
    for await (const lines of linesOf(pieces)) {
      for (const line of lines) {
        if (line === beginning) use = (each) => entry(() => parsedLine(each));
        else if (line === between) use = (each) => row(parsedLine(each));
        else if (line === end) return true;
        else if (use) use(line);
        else return inOneLine(line, entry, row);
      }
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return false;
}

/** No JSON, or not as it was compressed. */
function isDamage(error: unknown): boolean {
  return error instanceof SyntaxError || systemCode(error)?.startsWith("Z_") === true;
}

function parsedLine<Element>(line: string): Element {
  return JSON.parse(withoutTrailing(line, ","));
}

/** As texts were before each element had a line. */
function inOneLine(text: string, entry: (parse: () => SeenEntry) => void, row: (row: ShardRow) => void): boolean {
  const { entries, rows } = parseShard(text);
  for (const each of entries) entry(() => each);
  rows.forEach(row);
  return true;
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  yield [rest];
}

/** The text of the fleet index. */
export function serialized(content: object): string {
  return JSON.stringify({ format, ...content });
}

/** Parses {@link serialized} text; empty if it is invalid. @throws UserError if a newer version wrote it. */
export function parseFormat(text: string | undefined): Readonly<Record<string, unknown>> {
  const read = parsedJson(text ?? "");
  if (!isObject(read) || typeof read.format !== "number") return {};
  if (read.format <= format) return read;
  throw new UserError(
    `the state has snapshots of format ${read.format}, and this version of evenkeel knows ${format}; upgrade evenkeel`,
  );
}

/** The snapshot of one project of a shard; of the entries only its own are needed. */
export function snapshotIn(
  { entries: all }: { readonly entries: Readonly<Record<number, SeenEntry>> },
  row: ShardRow,
): ProjectSnapshot {
  const [
    project,
    id,
    ,
    syncStatus,
    since,
    seen,
    run,
    unmanaged,
    entries,
    differences,
    unverified,
    problems,
    inherited,
  ] = row;
  return {
    project,
    ...(id !== null && { id }),
    syncStatus,
    since,
    seen,
    run,
    entries: entries.flatMap((index) => all[index] ?? []),
    differences,
    unverified,
    ...(inherited && { inherited }),
    unmanaged,
    problems,
  };
}
