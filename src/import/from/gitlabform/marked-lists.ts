import { isObject } from "../../../base/json.ts";
import type { Problem } from "../../../model/types.ts";
import { type ForeignValue, notImported } from "../foreign.ts";
import type { SectionTable } from "./sections.ts";

/** Fields with the items of their lists that remain, and the reason why others are left out. */
interface Unmarked {
  readonly fields: ReadonlyMap<string, ForeignValue>;
  /** The keys that problems name. */
  readonly named: readonly string[];
  readonly problems: readonly Problem[];
}

/** Policies state a list as a whole: without the items that are removed, and not where it keeps what is there. */
export function withoutMarks({ marked = {} }: SectionTable, title: string, body: Unmarked["fields"]): Unmarked {
  const fields = new Map(body);
  const named: string[] = [];
  const problems: Problem[] = [];
  for (const [name, marks] of Object.entries(marked)) {
    const stated = body.get(name);
    if (!stated || !Array.isArray(stated.value)) continue;
    if (stated.value.some((item) => isObject(item) && item[marks.kept] === true)) {
      fields.delete(name);
      named.push(name);
      const message = `${name} of ${title} is left out: ${marks.kept} keeps others, and policies state all of them`;
      problems.push(notImported(stated.place(), message));
    } else fields.set(name, { ...stated, value: stated.value.flatMap((item) => remaining(item, marks)) });
  }
  return { fields, named, problems };
}

type Marks = NonNullable<SectionTable["marked"]>[string];

/** `[]` for an item that is removed, or for a mark of the whole list. */
function remaining(item: unknown, { removed, kept }: Marks): readonly unknown[] {
  if (!isObject(item)) return [item];
  const [[name, marks] = ["", undefined], ...others] = Object.entries(item);
  if (others.length > 0) return [item];
  if (name === kept) return marks === false ? [] : [item];
  if (!isObject(marks) || Object.keys(marks).some((each) => each !== removed)) return [item];
  if (marks[removed] === true) return [];
  return marks[removed] === false || marks[removed] === undefined ? [name] : [item];
}
