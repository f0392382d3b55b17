import { parse } from "smol-toml";
import { ifPossible } from "../base/exit.ts";
import { type JsonObject, valueAtPath } from "../base/json.ts";
import type { TomlDetection } from "../model/deprecations.ts";
import type { TextFragment, Use } from "./text.ts";

/** Tables of a TOML text that lack a setting, or set it to a value that is not allowed. */
export function tomlUses({ text, start }: TextFragment, detection: TomlDetection): readonly Use[] {
  const { each, where, lacks } = detection;
  const tables = parsed(text)?.[each];
  if (!Array.isArray(tables)) return [];
  const items = listItems(text, each);
  return tables.flatMap((table: unknown, index) => {
    const applies = Object.entries(where).every(([path, values]) => values.includes(String(at(table, path))));
    if (!applies || isAllowed(at(table, lacks), detection)) return [];
    return [{ offset: start + findOffset(text, items[index] ?? [], detection) }];
  });
}

/** A template placeholder may be any value. */
function isAllowed(stated: unknown, { allowed }: TomlDetection): boolean {
  if (stated === undefined || stated === "") return false;
  const value = String(stated).toLowerCase();
  return !allowed || allowed.includes(value) || /\$|\{\{|<%|__/.test(value);
}

/** Undefined for invalid TOML. */
export function parsed(text: string): JsonObject | undefined {
  return ifPossible(() => parse(text));
}

function at(table: unknown, path: string): unknown {
  return valueAtPath(table, path.split("."));
}

interface Header {
  /** Dotted, without quotes. */
  readonly path: string;
  readonly isItem: boolean;
  readonly offset: number;
}

function listItems(text: string, each: string): readonly (readonly Header[])[] {
  const items: Header[][] = [];
  for (const header of listHeaders(text)) {
    if (header.isItem && header.path === each) items.push([]);
    items.at(-1)?.push(header);
  }
  return items;
}

/** The line of a setting, else the header of its table or of the nearest enclosing one. */
function findOffset(text: string, headers: readonly Header[], { each, lacks }: TomlDetection): number {
  const keys = lacks.split(".");
  const tables = keys.slice(0, -1);
  for (let length = tables.length; length >= 0; length--) {
    const path = [each, ...tables.slice(0, length)].join(".");
    const header = headers.find((candidate) => candidate.path === path);
    if (header) return findLine(text, header, headers, keys.slice(length).join(".")) ?? header.offset;
  }
  return 0;
}

function findLine(text: string, header: Header, headers: readonly Header[], key: string): number | undefined {
  const next = headers[headers.indexOf(header) + 1]?.offset;
  const body = text.slice(header.offset, next ?? header.offset + 20_000);
  const match = new RegExp(`\n[ \\t]*(?=${key.replaceAll(".", "\\.")}[ \\t]*=)`).exec(body);
  return match ? header.offset + match.index + match[0].length : undefined;
}

/** The parser reports no positions, so headers are found as lines outside of multi-line strings. */
function listHeaders(text: string): readonly Header[] {
  const headers: Header[] = [];
  let offset = 0;
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [, indent = "", brackets = "", path = ""] = /^([ \t]*)(\[\[?)([^\]]+)\]/.exec(line) ?? [];
    const own = { path: path.replace(/["'\s]/g, ""), isItem: brackets === "[[", offset: offset + indent.length };
    if (path && !open) headers.push(own);
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (open === undefined) open = mark;
      else if (open === mark) open = undefined;
    }
    offset += line.length + 1;
  }
  return headers;
}
