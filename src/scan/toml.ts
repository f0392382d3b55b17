import { parse } from "smol-toml";
import { isObject, type JsonObject } from "../base/json.ts";
import type { TomlDetection } from "../model/deprecations.ts";
import type { DetectionOf, Use } from "./source.ts";
import type { TextFragment } from "./text.ts";

/** Settings that the tables of a TOML text lack, or that have a value that they must not; none where it is not TOML. */
export function tomlUses({ text, start }: TextFragment, { detection }: DetectionOf<TomlDetection>): readonly Use[] {
  const { each, where, lacks } = detection;
  const tables = parsed(text)?.[each];
  if (!Array.isArray(tables)) return [];
  const items = itemsOf(text, each);
  return tables.flatMap((table: unknown, index) => {
    const applies = Object.entries(where).every(([path, values]) => values.includes(String(at(table, path))));
    if (!applies || isAllowed(at(table, lacks), detection)) return [];
    return [{ offset: start + offsetOf(text, items[index] ?? [], detection) }];
  });
}

/** What is filled in later may be anything. */
function isAllowed(stated: unknown, { allowed }: TomlDetection): boolean {
  if (stated === undefined || stated === "") return false;
  const value = String(stated).toLowerCase();
  return !allowed || allowed.includes(value) || /\$|\{\{|<%|__/.test(value);
}

/** The text as a table; undefined where it is not TOML. */
export function parsed(text: string): JsonObject | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function at(table: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), table);
}

interface Header {
  /** Dotted, without quotes. */
  readonly path: string;
  readonly isItem: boolean;
  readonly offset: number;
}

/** The headers of each item of an array of tables. */
function itemsOf(text: string, each: string): readonly (readonly Header[])[] {
  const items: Header[][] = [];
  for (const header of headersOf(text)) {
    if (header.isItem && header.path === each) items.push([]);
    items.at(-1)?.push(header);
  }
  return items;
}

/** Where a setting stands or would stand: its own line, else the header of its table or of the nearest one around it. */
function offsetOf(text: string, headers: readonly Header[], { each, lacks }: TomlDetection): number {
  const keys = lacks.split(".");
  const tables = keys.slice(0, -1);
  for (let length = tables.length; length >= 0; length--) {
    const path = [each, ...tables.slice(0, length)].join(".");
    const header = headers.find((candidate) => candidate.path === path);
    if (header) return lineOf(text, header, headers, keys.slice(length).join(".")) ?? header.offset;
  }
  return 0;
}

/** The line of a key below a header. */
function lineOf(text: string, header: Header, headers: readonly Header[], key: string): number | undefined {
  const next = headers[headers.indexOf(header) + 1]?.offset;
  const body = text.slice(header.offset, next ?? header.offset + 20_000);
  const found = new RegExp(`\n[ \\t]*(?=${key.replaceAll(".", "\\.")}[ \\t]*=)`).exec(body);
  return found ? header.offset + found.index + found[0].length : undefined;
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
