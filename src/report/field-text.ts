import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import type { Value } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import { fieldNamesOf, firstField, type Sides } from "../plan/sides.ts";

/** The values of a change as text: what its row shows, and lines with the rest. */
export interface FieldTexts {
  /** The first field and how many more there are: `channel: "#a" -> "#b", and 1 more`. */
  readonly row?: string;
  /** The fields that the row does not show in full, a line each. */
  readonly below: readonly string[];
}

/** The fields of a change. A row shows none where several come or go: no field tells more than another. */
export function fieldTexts(sides: Sides, unknown = notReported): FieldTexts {
  const lines = fieldLines(sides, unknown);
  if (firstField(sides) === undefined) return { below: lines };
  const [line = "", ...others] = lines;
  const isShort = line.length <= longestInRow;
  const first = isShort ? line : `${line.slice(0, longestInRow).toWellFormed()}…`;
  const gone = sides.after === null ? " -> (gone)" : "";
  const more = others.length > 0 ? `, and ${counted(others.length, "more field")}` : "";
  return { row: `${first}${gone}${more}`, below: isShort ? others : lines };
}

/** All fields of a change, a line each; `unknown` stands for a value that the side before lacks. */
export function fieldLines(sides: Sides, unknown = notReported): readonly string[] {
  return fieldNamesOf(sides).map((name) => `${name}: ${transition(name, sides, unknown)}`);
}

const notReported = "(not reported)";

const longestInRow = 120;

function transition(name: string, { before, after }: Sides, unknown: string): string {
  if (before === null) return shown(after?.[name]);
  if (after === null) return shown(before[name]);
  const was = isReference(after[name]) ? (before[name] ?? undefined) : before[name];
  return `${was === undefined ? unknown : shown(was)} -> ${shown(after[name])}`;
}

/** A value as people read it: a reference by its name, anything else as in JSON. */
export function shown(value: Value | undefined): string {
  if (value === undefined) return "(unset)";
  return printable(isReference(value) ? `(secret ${value.secret})` : JSON.stringify(value));
}
