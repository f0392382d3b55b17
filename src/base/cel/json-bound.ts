import { isObject } from "../json.ts";
import type { Bound } from "./cost.ts";

/** How large a JSON value is: its longest list or mapping, its longest text, and all of it in about as many characters. */
export interface JsonSize {
  readonly list: number;
  readonly text: number;
  readonly all: number;
}

/** The size of a JSON value. */
export function jsonSizeOf(value: unknown): JsonSize {
  const size = { list: 1, text: 1, all: 1 };
  addTo(size, value);
  return size;
}

function addTo(size: { list: number; text: number; all: number }, value: unknown): void {
  size.all += 5;
  if (typeof value === "string") addText(size, value);
  else if (Array.isArray(value)) {
    size.list = Math.max(size.list, value.length);
    for (const each of value) addTo(size, each);
  } else if (isObject(value)) {
    let count = 0;
    for (const name in value) {
      count += 1;
      addText(size, name);
      addTo(size, value[name]);
    }
    size.list = Math.max(size.list, count);
  }
}

function addText(size: { text: number; all: number }, text: string): void {
  size.text = Math.max(size.text, text.length);
  size.all += text.length;
}

/** Any JSON of up to this size. */
export function roughBound({ list, text, all }: JsonSize): Bound {
  return { size: list, json: { text, all } };
}

/** What is exactly known of a JSON value. */
export function exactBound(value: unknown): Bound {
  if (typeof value === "string") return { size: value.length };
  if (Array.isArray(value)) return listBound(value);
  if (!isObject(value)) return { size: 20 };
  const fields = Object.entries(value).map(([name, each]) => [name, exactBound(each)] as const);
  return { size: fields.length, fields: Object.fromEntries(fields) };
}

/** Every item may be as large as the largest. */
function listBound(items: readonly unknown[]): Bound {
  const sizes = items.map(jsonSizeOf);
  const most = (key: keyof JsonSize) => sizes.reduce((max, size) => Math.max(max, size[key]), 1);
  return { size: items.length, item: roughBound({ list: most("list"), text: most("text"), all: most("all") }) };
}
