import { isReference } from "../model/normalise.ts";
import type { Value } from "../model/types.ts";
import { type Markup, markup } from "../report/html/markup.ts";

/** Characters of a value that a page shows; the data behind it has what is kept. */
const longest = 200;

/** A value as people read it; a secret is the name of one. */
export function settingNode(value: Value | undefined, absent = "not set"): Markup {
  if (value === undefined || value === null || value === "") return markup`<span class="soft">${absent}</span>`;
  if (isReference(value)) return markup`<span class="tag">secret</span> <code>${value.secret}</code>`;
  const text = String(value);
  return markup`<code>${text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text}</code>`;
}

/** Where something stands in the manifests. */
export interface SourcePlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `file:line:column`, as far as it is known. */
export function placeText({ file, line, column }: SourcePlace): string {
  return line === undefined ? file : `${file}:${line}:${column}`;
}
