import { createHash } from "node:crypto";
import type { Fields, Kind } from "../../model/types.ts";
import { formattedText, parsedText } from "./sheet-format.ts";
import { type ProjectSnapshot, type SeenDifference, type SeenEntry, syncStatuses } from "./sighting.ts";

/** So many that one of 100,000 projects is quickly read, and so few that a small fleet is a few files. */
const sheetCount = 64;

/** The name of the sheet that a project is in, whichever way its path is written. */
export function sheetOf(project: string): string {
  const [byte = 0] = createHash("sha256").update(project.toLowerCase()).digest();
  return nameOf(byte % sheetCount);
}

/** The names of all sheets that there may be, but for that of the fleet. */
export const sheetNames = Array.from({ length: sheetCount }, (_, index) => nameOf(index));

function nameOf(index: number): string {
  return index.toString(16).padStart(2, "0");
}

/** A project as a sheet holds it: texts and fields are numbers of what its lists have. */
export type SheetRow = readonly [
  project: string,
  id: number | null,
  /** Of what a look saw of it that saw all of it; 0: no look did. */
  mark: number,
  standing: number,
  since: number,
  seen: number,
  run: number,
  unmanaged: number,
  /** Ten numbers an entry: kind, key, fields, policy, file, line, column, commit, until, reason. -1 stands for nothing. */
  entries: readonly number[],
  differences: readonly SeenDifference[],
  unverified: ProjectSnapshot["unverified"],
  problems: readonly string[],
];

/**
 * Sightings of some projects. A fleet is spread over a few sheets by a hash of the project, so that a look writes those
 * that changed and a page reads one; what many projects have in common stands in a sheet once.
 */
export interface SnapshotShard {
  readonly words: readonly string[];
  readonly fields: readonly Fields[];
  readonly rows: readonly SheetRow[];
}

/** Numbers of an entry in a row. */
export const entrySize = 10;

/** The text of a sheet. */
export function sheetText(sheet: SnapshotShard): string {
  return formattedText(sheet);
}

/** What a sheet's text holds; nothing where it is none. @throws UserError for one of a later format. */
export function sheetIn(text: string | undefined): SnapshotShard {
  const read = parsedText(text);
  const isSheet = Array.isArray(read.words) && Array.isArray(read.fields) && Array.isArray(read.rows);
  return isSheet ? (read as unknown as SnapshotShard) : { words: [], fields: [], rows: [] };
}

/** All of a project that a sheet holds. */
export function snapshotIn(sheet: SnapshotShard, row: SheetRow): ProjectSnapshot {
  const [project, id, , standing, since, seen, run, unmanaged, numbers, differences, unverified, problems] = row;
  const word = (index: number) => sheet.words[index] ?? "";
  const entries: SeenEntry[] = [];
  for (let at = 0; at < numbers.length; at += entrySize)
    entries.push(entryIn(sheet, numbers.slice(at, at + entrySize)));
  const times = { since: word(since), seen: word(seen), run: word(run) };
  const head = { project, ...(id !== null && { id }), standing: syncStatuses[standing] ?? "unreadable" };
  return { ...head, ...times, entries, differences, unverified, unmanaged, problems };
}

function entryIn({ words, fields }: SnapshotShard, numbers: readonly number[]): SeenEntry {
  const word = (index: number | undefined) => words[index ?? -1] ?? "";
  const [kind, key, values = -1, policy, file, line = -1, column = -1, commit = -1, until = -1, reason = -1] = numbers;
  return {
    kind: word(kind) as Kind,
    key: word(key),
    fields: values < 0 ? null : (fields[values] ?? {}),
    policy: word(policy),
    file: word(file),
    ...(line >= 0 && { line, column }),
    commit: commit < 0 ? null : word(commit),
    ...(until >= 0 && { until: word(until) }),
    ...(reason >= 0 && { reason: word(reason) }),
  };
}
