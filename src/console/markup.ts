import { html, raw } from "hono/html";
import { escaped, invisible } from "../base/printable.ts";

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

/** A moment as people read it, exact for machines. */
export function moment(iso: string): Markup {
  return markup`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace("T", " ")}</time>`;
}

/** How long ago that was, in one unit. */
export function ago(iso: string, now = Date.now()): string {
  return span(now - Date.parse(iso));
}

/** Milliseconds in one unit: `5 min`, `3 h`, `12 days`. */
export function span(milliseconds: number): string {
  const minutes = Math.max(0, milliseconds) / 60_000;
  if (minutes < 1) return `${Math.round(Math.max(0, milliseconds) / 1000)} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} days`;
}

/** How long ago a point in time was; the point itself on demand. */
export function age(iso: string): Markup {
  return markup`<time datetime="${iso}" title="${iso}">${ago(iso)}</time>`;
}

/** A link to a page of the console; parts of the query that are empty are left out. */
export function href(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parts.set(name, String(value));
  return parts.size === 0 ? path : `${path}?${parts}`;
}

/** Where a project's page is. A path that ends like a form of a page has its last dot encoded: {@link formIn}. */
export function projectHref(project: string): string {
  const path = project
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
  return `/projects/${path.replace(formEnding, "%2E$1")}`;
}

const formEnding = /\.(json|csv)$/i;

/** The form that an encoded path asks for by its ending, and what stands before that. An encoded dot is part of a name. */
export function formIn(path: string): { readonly rest: string; readonly form: "html" | "json" | "csv" } {
  const form = path.endsWith(".json") ? "json" : path.endsWith(".csv") ? "csv" : "html";
  return { rest: form === "html" ? path : path.slice(0, -form.length - 1), form };
}

/** A path without the slashes at its end. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}
