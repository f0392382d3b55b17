import { memoized } from "../../base/memoize.ts";
import type { Fields } from "../../model/types.ts";
import { entrySize, type SheetRow, type SnapshotShard, sheetText } from "./sheet.ts";
import { type ProjectSnapshot, type SeenEntry, syncStatuses } from "./sighting.ts";

/** Makes the text of a sheet: the same for the same sightings in the same order. */
export interface SheetWriter {
  readonly add: (sighting: ProjectSnapshot, mark: number) => void;
  /** A row of an earlier sheet as it was, or seen again. */
  readonly copy: (sheet: SnapshotShard, row: SheetRow, again?: Pick<ProjectSnapshot, "seen" | "run">) => void;
  readonly counts: () => readonly number[];
  readonly text: () => string;
}

/** A writer of an empty sheet. */
export function sheetWriter(): SheetWriter {
  const lists = { words: numbering<string>((word) => word), fields: numbering<Fields>((each) => JSON.stringify(each)) };
  const { words, fields } = lists;
  const rows: SheetRow[] = [];
  const numbersOf = memoized((entry: SeenEntry) => entryNumbers(entry, lists));
  return {
    add: (each, mark) => {
      const head = [each.project, each.id ?? null, mark, syncStatuses.indexOf(each.standing)] as const;
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
      rows.push([project, id, mark, standing, ...times, by, unmanaged, renumbered(entries, sheet, lists), ...rest]);
    },
    counts: () => syncStatuses.map((_, index) => rows.filter(([, , , standing]) => standing === index).length),
    text: () => sheetText({ words: words.all, fields: fields.all, rows }),
  };
}

interface Lists {
  readonly words: Numbering<string>;
  readonly fields: Numbering<Fields>;
}

/** As {@link SheetRow} has them. */
function entryNumbers(entry: SeenEntry, { words, fields }: Lists): readonly number[] {
  const { kind, key, policy, file, commit, line = -1, column = -1, until, reason } = entry;
  const optional = (word: string | null | undefined) => (word === null || word === undefined ? -1 : words.number(word));
  return [
    words.number(kind),
    words.number(key),
    entry.fields === null ? -1 : fields.number(entry.fields),
    words.number(policy),
    words.number(file),
    line,
    column,
    optional(commit),
    optional(until),
    optional(reason),
  ];
}

/** The numbers of another sheet's entries by these lists. */
function renumbered(entries: readonly number[], sheet: SnapshotShard, { words, fields }: Lists): readonly number[] {
  return entries.map((each, index) => {
    const column = index % entrySize;
    if (each < 0 || column === 5 || column === 6) return each;
    return column === 2 ? fields.number(sheet.fields[each] ?? {}) : words.number(sheet.words[each] ?? "");
  });
}

interface Numbering<Thing> {
  readonly all: readonly Thing[];
  readonly number: (thing: Thing) => number;
}

/** Gives each of several things a number, those that are alike the same one. */
function numbering<Thing>(keyOf: (thing: Thing) => string): Numbering<Thing> {
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
