import { isScalar, type Pair, type Scalar } from "yaml";
import { isObject } from "../base/json.ts";
import { parseYaml } from "../manifest/yaml.ts";
import { neutral } from "../model/dialects.ts";
import { type Editable, removeIn, setIn } from "./edit.ts";
import { findIn, rootsOf } from "./yaml-path.ts";

const path = ["server", "dialect"];

/**
 * Sets the dialect in a text's Workspace, if it has one; the default dialect may be omitted. Undefined
 * where the edit is impossible. The change can be reverted to the same bytes: only a line that was added is
 * removed. A line that the user wrote at the same position gets one more space, to distinguish it.
 */
export function writeDialect(text: string, dialect: string): string | undefined {
  const source = { text, document: workspaceIn(text) };
  if (source.document < 0) return text;
  return dialect === neutral.name ? withoutDialect(source) : withDialect(source, dialect);
}

function workspaceIn(text: string): number {
  const parsed = parseYaml(text);
  const values = "values" in parsed ? parsed.values.filter((value) => value !== null && value !== undefined) : [];
  return values.findIndex((value) => isObject(value) && value.kind === "Workspace");
}

function withDialect(source: Editable, dialect: string): string | undefined {
  const pair = pairIn(source);
  if (!pair) return added(source, dialect);
  const stated = plainScalar(source, pair);
  if (stated?.value === dialect) return source.text;
  const text = stated && replaced(source.text, stated, dialect);
  if (!stated || text === undefined) return undefined;
  return isAsAdded({ ...source, text }, dialect) ? spaced(text, stated, 1) : text;
}

/** The shortest text that becomes this one when its dialect is set. */
function withoutDialect(source: Editable): string | undefined {
  const { text, document } = source;
  const pair = pairIn(source);
  if (!pair) return text;
  const stated = plainScalar(source, pair);
  if (!stated) return undefined;
  const dialect = stated.value;
  if (dialect === neutral.name) return text;
  const explicit = replaced(text, stated, neutral.name);
  const candidates = [...removals(source, dialect), explicit, spaced(explicit, stated, -1)];
  return candidates.find((each) => each !== undefined && withDialect({ text: each, document }, dialect) === text);
}

function pairIn({ text, document }: Editable): Pair | undefined {
  return findIn(rootsOf(text)[document], path)?.pair;
}

/** A plain or quoted value without escapes and anchors. */
interface Stated {
  readonly value: string;
  /** Offset of its first character after the quote. */
  readonly at: number;
  readonly quote: string;
}

function plainScalar({ text }: Editable, { value: node }: Pair): Stated | undefined {
  if (!isScalar(node) || node.anchor !== undefined) return undefined;
  const { value, range } = node as Scalar;
  const [start = 0, end = 0] = range ?? [];
  const written = text.slice(start, end);
  const [quote = ""] = /^["']/.exec(written) ?? [];
  const isPlain = typeof value === "string" && written === `${quote}${value}${quote}`;
  return isPlain ? { value, at: start + quote.length, quote } : undefined;
}

function replaced(text: string, { at, value }: Stated, by: string): string {
  return text.slice(0, at) + by + text.slice(at + value.length);
}

/** Adds or removes a space before a value; undefined if none would be left. */
function spaced(text: string, { at, quote }: Stated, more: 1 | -1): string | undefined {
  const start = at - quote.length;
  if (more === 1) return `${text.slice(0, start)} ${text.slice(start)}`;
  return text.slice(0, start).endsWith("  ") ? text.slice(0, start - 1) + text.slice(start) : undefined;
}

/** Whether the line is, except for spaces, the one that would be added. */
function isAsAdded({ text, document }: Editable, dialect: string): boolean {
  const pair = pairIn({ text, document });
  const stated = pair && plainScalar({ text, document }, pair);
  if (!stated) return false;
  const one = text.slice(0, stated.at).replace(/ {2,}$/, " ") + text.slice(stated.at);
  return removals({ text: one, document }, dialect).some((each) => added({ text: each, document }, dialect) === one);
}

/** Adds the dialect; preserves a missing line break at the end of the file. */
function added(source: Editable, dialect: string): string | undefined {
  const text = setIn(source, path, dialect);
  return source.text.endsWith("\n") ? text : text?.replace(/\r?\n$/, "");
}

/** The possible texts before the dialect was added. */
function removals(source: Editable, dialect: string): readonly string[] {
  const { text } = source;
  const gone = removeIn(source, path);
  const stated = ` dialect: ${dialect} `;
  const at = emptied(source, stated);
  const empty = at === undefined ? [] : [text.slice(0, at) + text.slice(at + stated.length)];
  const shorter = gone === undefined ? [] : [gone.replace(/\r?\n$/, ""), gone];
  return [...shorter, ...empty];
}

/** The offset of a dialect that is alone in a flow mapping. */
function emptied({ text, document }: Editable, stated: string): number | undefined {
  const start = (pairIn({ text, document })?.key as Scalar | undefined)?.range?.[0];
  if (start === undefined || text[start - 2] !== "{" || !text.startsWith(stated, start - 1)) return undefined;
  return start - 1;
}
