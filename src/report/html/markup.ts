import { html, raw } from "hono/html";
import { escaped, invisible } from "../../base/printable.ts";

/** A piece of a page, in which nothing that anybody said can be markup. */
export type Markup = ReturnType<typeof html>;

const unseen = new RegExp(`[${invisible}]`, "gu");

/** Anybody's words as text of a page, with what nobody would see written out. */
export function legible(text: string): string {
  return text.replace(unseen, escaped);
}

/** A template of markup. Every string that stands in it becomes text, in an attribute as well. */
export function markup(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return html(strings, ...values.map(inside));
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  return typeof value === "string" ? legible(value) : value;
}

/** Markup of our own that is made elsewhere. */
export function ownMarkup(text: string): Markup {
  return raw(text);
}

/** Several pieces, one for each thing. */
export function each<Thing>(
  things: readonly Thing[],
  piece: (thing: Thing, index: number) => Markup,
): readonly Markup[] {
  return things.map(piece);
}
