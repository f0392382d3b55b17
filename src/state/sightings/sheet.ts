import { createHash } from "node:crypto";
import { Refusal } from "../../base/exit.ts";
import { isObject } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import type { Fields, Kind } from "../../model/types.ts";
import type { Sheets } from "../state.ts";
import {
  type FleetSheet,
  fleetCounts,
  type SeenDifference,
  type SeenEntry,
  type Sighting,
  standings,
} from "./sighting.ts";

/**
 * Sightings as texts. A fleet is spread over a few sheets by a hash of the project, so that a look writes those that
 * changed and a page reads one; what many projects have in common stands in a sheet once.
 */
const format = 1;

/** So many that one of 100,000 projects is quickly read, and so few that a small fleet is a few files. */
const sheetCount = 64;

/** The name of the sheet that stands above all others. */
export const fleetSheet = "fleet";

/** The name of the sheet that a project is in, whichever way its path is written. */
export function sheetOf(project: string): string {
  const [byte = 0] = createHash("sha256").update(project.toLowerCase()).digest();
  return (byte % sheetCount).toString(16).padStart(2, "0");
}

/** The names of all sheets that there may be, but for that of the fleet. */
export const sheetNames = Array.from({ length: sheetCount }, (_, index) => index.toString(16).padStart(2, "0"));

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
  unverified: Sighting["unverified"],
  problems: readonly string[],
];

/** A sheet as it was read. */
export interface Sheet {
  readonly words: readonly string[];
  readonly fields: readonly Fields[];
  readonly rows: readonly SheetRow[];
}

/** Numbers of an entry in a row. */
const entrySize = 10;

/** Makes the text of a sheet: the same for the same sightings in the same order. */
export interface SheetWriter {
  readonly add: (sighting: Sighting, mark: number) => void;
  /** A row of an earlier sheet as it was, or seen again. */
  readonly copy: (sheet: Sheet, row: SheetRow, again?: Pick<Sighting, "seen" | "run">) => void;
  readonly counts: () => readonly number[];
  readonly text: () => string;
}

/** A writer of an empty sheet. */
export function sheetWriter(): SheetWriter {
  const words = numbering<string>((word) => word);
  const fields = numbering<Fields>((each) => JSON.stringify(each));
  const rows: SheetRow[] = [];
  const numbersOf = memoized(
    ({
      kind,
      key,
      policy,
      file,
      commit,
      line = -1,
      column = -1,
      until,
      reason,
      ...entry
    }: SeenEntry): readonly number[] => [
      words.number(kind),
      words.number(key),
      entry.fields === null ? -1 : fields.number(entry.fields),
      words.number(policy),
      words.number(file),
      line,
      column,
      commit === null ? -1 : words.number(commit),
      until === undefined ? -1 : words.number(until),
      reason === undefined ? -1 : words.number(reason),
    ],
  );
  const renumbered = ({ words: theirs, fields: values }: Sheet, numbers: readonly number[]) => {
    const word = (index: number | undefined = -1) => (index < 0 ? -1 : words.number(theirs[index] ?? ""));
    return numbers.map((each, index) => {
      const column = index % entrySize;
      if (column === 5 || column === 6) return each;
      return column === 2 ? (each < 0 ? -1 : fields.number(values[each] ?? {})) : word(each);
    });
  };
  return {
    add: (each, mark) => {
      const head = [each.project, each.id ?? null, mark, standings.indexOf(each.standing)] as const;
      const times = [words.number(each.since), words.number(each.seen), words.number(each.run)] as const;
      const { unmanaged, entries, differences, unverified, problems } = each;
      const numbers: number[] = [];
      for (const entry of entries) numbers.push(...numbersOf(entry));
      rows.push([...head, ...times, unmanaged, numbers, differences, unverified, problems]);
    },
    copy: (sheet, [project, id, mark, standing, since, seen, run, unmanaged, entries, ...rest], again) => {
      const word = (index: number) => words.number(sheet.words[index] ?? "");
      const times = [word(since), again ? words.number(again.seen) : word(seen)] as const;
      const by = again ? words.number(again.run) : word(run);
      rows.push([project, id, mark, standing, ...times, by, unmanaged, renumbered(sheet, entries), ...rest]);
    },
    counts: () => standings.map((_, index) => rows.filter(([, , , standing]) => standing === index).length),
    text: () => JSON.stringify({ format, words: words.all, fields: fields.all, rows }),
  };
}

/** Gives each of several things a number, those that are alike the same one. */
function numbering<Thing>(keyOf: (thing: Thing) => string) {
  const numbers = new Map<string, number>();
  const all: Thing[] = [];
  const number = (thing: Thing) => {
    const key = keyOf(thing);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, all.length);
    return all.push(thing) - 1;
  };
  return { all, number };
}

/** What a sheet's text holds; nothing where it is none. @throws Refusal for one of a later format. */
export function sheetIn(text: string | undefined): Sheet {
  const read = parsed(text);
  const isSheet = Array.isArray(read.words) && Array.isArray(read.fields) && Array.isArray(read.rows);
  return isSheet ? (read as unknown as Sheet) : { words: [], fields: [], rows: [] };
}

/** All of a project that a sheet holds. */
export function sightingIn({ words, fields }: Sheet, row: SheetRow): Sighting {
  const [project, id, , standing, since, seen, run, unmanaged, numbers, differences, unverified, problems] = row;
  const word = (index: number | undefined) => words[index ?? -1] ?? "";
  const entries: SeenEntry[] = [];
  for (let at = 0; at < numbers.length; at += entrySize) {
    const [kind, key, values = -1, policy, file, line = -1, column = -1, commit = -1, until = -1, reason = -1] =
      numbers.slice(at, at + entrySize);
    entries.push({
      kind: word(kind) as Kind,
      key: word(key),
      fields: values < 0 ? null : (fields[values] ?? {}),
      policy: word(policy),
      file: word(file),
      ...(line >= 0 && { line, column }),
      commit: commit < 0 ? null : word(commit),
      ...(until >= 0 && { until: word(until) }),
      ...(reason >= 0 && { reason: word(reason) }),
    });
  }
  const times = { since: word(since), seen: word(seen), run: word(run) };
  const head = { project, ...(id !== null && { id }), standing: standings[standing] ?? "unreadable" };
  return { ...head, ...times, entries, differences, unverified, unmanaged, problems };
}

/** What a list of projects needs of one: all but its fields and its differences. */
export interface SightingHead extends Pick<Sighting, "project" | "standing" | "since" | "seen" | "run"> {
  readonly differences: number;
  readonly labels: Labels;
}

/** The keys of a project's entries by their kind, and the policies that say them. */
export interface Labels {
  readonly keys: Readonly<Partial<Record<Kind, ReadonlySet<string>>>>;
  readonly policies: ReadonlySet<string>;
}

/** The heads of all projects of a sheet. Those with the same labels share them. */
export function headsIn({ words, rows }: Sheet): readonly SightingHead[] {
  const word = (index: number) => words[index] ?? "";
  const labelsOf = memoized((key: string) => labelsIn(key.split(",").map(Number), word));
  return rows.map(([project, , , standing, since, seen, run, , numbers, differences]) => {
    let key = "";
    for (let at = 0; at < numbers.length; at += entrySize)
      key += `${numbers[at]},${numbers[at + 1]},${numbers[at + 3]},`;
    const times = { since: word(since), seen: word(seen), run: word(run) };
    const stands = standings[standing] ?? "unreadable";
    return { project, standing: stands, ...times, differences: differences.length, labels: labelsOf(key) };
  });
}

function labelsIn(numbers: readonly number[], word: (index: number) => string): Labels {
  const keys: Partial<Record<Kind, Set<string>>> = {};
  const policies = new Set<string>();
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [kind = -1, key = -1, policy = -1] = numbers.slice(at, at + 3);
    keys[word(kind) as Kind] = (keys[word(kind) as Kind] ?? new Set()).add(word(key));
    policies.add(word(policy));
  }
  return { keys, policies };
}

/** The text of the sheet above all others. */
export function fleetSheetText(fleet: FleetSheet): string {
  return JSON.stringify({ format, ...fleet });
}

/** What such a text holds; undefined where it is none. @throws Refusal for one of a later format. */
export function fleetIn(text: string | undefined): FleetSheet | undefined {
  const { server, whole, sheets, exceptions } = parsed(text);
  if (typeof server !== "string" || !isObject(sheets)) return undefined;
  return {
    server,
    whole: (isObject(whole) ? whole : null) as FleetSheet["whole"],
    exceptions: (Array.isArray(exceptions) ? exceptions : []) as FleetSheet["exceptions"],
    sheets: sheets as FleetSheet["sheets"],
  };
}

/** How many projects a state has seen. */
export async function seenProjects(sheets: Sheets): Promise<number> {
  const fleet = fleetIn((await sheets.read([fleetSheet])).get(fleetSheet));
  return fleet ? Object.values(fleetCounts(fleet)).reduce((sum, count) => sum + count, 0) : 0;
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  const read = jsonIn(text ?? "");
  if (!isObject(read) || typeof read.format !== "number") return {};
  if (read.format <= format) return read;
  throw new Refusal(
    `what runs saw was written in format ${read.format}, and this version of evenkeel knows ${format}; upgrade evenkeel`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
