import type { Action, Place, SecretReference, Value } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";
import { each, type Markup, markup, multiline } from "./markup.ts";

/** The symbol of each action, removals first. */
export const symbols: Readonly<Record<Action, string>> = {
  delete: "−",
  disable: "×",
  replace: "−/+",
  create: "+",
  update: "~",
};

/** An action as its symbol, and as a word for screen readers. */
export function symbolNode(action: Action): Markup {
  return markup`<span class="symbol ${action}" aria-hidden="true">${symbols[action]}</span><span class="unseen">${action}</span>`;
}

/** A status, an outcome or an effect as a coloured word. */
export function badge(status: string, tone = status): Markup {
  return markup`<span class="badge ${tone}">${status}</span>`;
}

/** `file:line:column`, as far as it is known. */
export function sourceText({ file, line, column }: Pick<Place, "file"> & Partial<Place>): string {
  return line === undefined ? file : `${file}:${line}:${column}`;
}

/** A source line that stays visible if the name of its file is too long for the column. */
export function sourceNode({ file, line }: Pick<Place, "file"> & Partial<Place>): Markup {
  const suffix = line === undefined ? "" : `:${line}`;
  return markup`<span class="place"><span class="file">${file}</span><span>${suffix}</span></span>`;
}

/** A value for people, in quotes only if it could be mistaken for something else. */
export function valueText(value: Value): string {
  if (isReference(value)) return `secret ${value.secret}`;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = value.trim() === value && !/^(?:|true|false|null|-?\d[\d.eE+-]*|".*"|\(.*\))$/s.test(value);
  return isPlain ? value : JSON.stringify(value);
}

interface ValueOptions {
  /** Shown if there is no value. */
  readonly absent: string;
  /** The value on the other side: what differs from it is marked. */
  readonly other?: Value | undefined;
  /** Longer values are cut. */
  readonly most?: number | undefined;
}

/** The value of a field; a secret is shown as its reference. */
export function valueNode(value: Value | undefined | null, { absent, other, most }: ValueOptions): Markup {
  if (value === undefined || value === null) return markup`<span class="absent">${absent}</span>`;
  if (isReference(value)) return secretNode(value);
  const text = clipped(valueText(value), most);
  const isComparable = other !== undefined && !isReference(other);
  const content = isComparable ? withMark(text, valueText(other)) : multiline(text);
  return markup`<code${text.length > 400 ? markup` tabindex="0"` : ""}>${content}</code>`;
}

/** A text of at most so many characters. */
export function clipped(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

function secretNode({ secret, version }: SecretReference): Markup {
  return markup`<span class="tag">secret</span> <code>${secret}${version === undefined ? "" : `, version ${version}`}</code>`;
}

/** Marks the part that differs from another text, if the two have enough in common. */
function withMark(text: string, other: string): Markup {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let tail = 0;
  while (tail < shorter - start && text.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const end = text.length - tail;
  const isHelpful = start + tail >= 4 && (start + tail) * 3 >= shorter && start < end;
  if (!isHelpful || splitsPair(text, start) || splitsPair(text, end)) return multiline(text);
  return markup`${multiline(text.slice(0, start))}<mark>${multiline(text.slice(start, end))}</mark>${multiline(text.slice(end))}`;
}

/** Whether a cut at this position would separate a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(at, at + 1));
}

/** One column of a table of fields. */
export interface FieldColumn {
  readonly title: string;
  readonly className: string;
  readonly cell: (field: string) => Markup;
}

/** A table with a row for each field. */
export function fieldsTable(
  fields: readonly string[],
  columns: readonly FieldColumn[],
  differs: (field: string) => boolean = () => false,
): Markup {
  if (fields.length === 0) return markup``;
  return markup`<table class="fields"><thead><tr><th>Field</th>${each(columns, ({ title }) => markup`<th>${title}</th>`)}</tr></thead><tbody>${each(fields, (field) => markup`<tr${differs(field) ? markup` class="differs"` : ""}><th>${field}</th>${each(columns, ({ className, cell }) => markup`<td class="${className}">${cell(field)}</td>`)}</tr>`)}</tbody></table>`;
}

/** The fields of both sides of a change, sorted. */
export function fieldNames(before: object | null | undefined, after: object | null | undefined): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
}
