import { parse } from "smol-toml";
import type { TomlDetection } from "../model/removals.ts";
import type { Sought, Use } from "./source.ts";
import type { Stretch } from "./text.ts";

type Table = Readonly<Record<string, unknown>>;

/** Settings that the tables of a TOML text lack; none where it is not TOML. */
export function tomlUses({ text, start }: Stretch, { detection }: Sought<TomlDetection>): readonly Use[] {
  const { each, where, lacks } = detection;
  const tables = parsed(text)?.[each];
  if (!Array.isArray(tables)) return [];
  return tables.flatMap((table: unknown, index) => {
    const applies = Object.entries(where).every(([path, values]) => values.includes(String(at(table, path))));
    const stated = at(table, lacks);
    if (!applies || (stated !== undefined && stated !== "")) return [];
    return [{ offset: start + placeOf(text, each, index, lacks) }];
  });
}

/** The text as a table; undefined where it is not TOML. */
export function parsed(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function at(table: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (isTable(inner) ? inner[key] : undefined), table);
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Header {
  /** Dotted, without quotes. */
  readonly path: string;
  readonly isItem: boolean;
  readonly offset: number;
}

/** Where a setting would stand: the header of its table, else of the nearest one around it, within the index-th item. */
function placeOf(text: string, each: string, index: number, lacks: string): number {
  const headers = headersOf(text);
  const starts = headers.flatMap(({ path, isItem }, i) => (isItem && path === each ? [i] : []));
  const own = headers.slice(starts[index] ?? 0, starts[index + 1]);
  const tables = lacks.split(".").slice(0, -1);
  for (let length = tables.length; length >= 0; length--) {
    const path = [each, ...tables.slice(0, length)].join(".");
    const header = own.find((candidate) => candidate.path === path);
    if (header) return header.offset;
  }
  return 0;
}

/** The parser accepts the text and keeps no places: headers are lines that stand in no multi-line string. */
function headersOf(text: string): readonly Header[] {
  const headers: Header[] = [];
  let offset = 0;
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [, indent = "", brackets = "", path = ""] = /^([ \t]*)(\[\[?)([^\]]+)\]/.exec(line) ?? [];
    if (path && !open) {
      headers.push({
        path: path.replace(/["'\s]/g, ""),
        isItem: brackets === "[[",
        offset: offset + indent.length,
      });
    }
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (open === undefined) open = mark;
      else if (open === mark) open = undefined;
    }
    offset += line.length + 1;
  }
  return headers;
}
