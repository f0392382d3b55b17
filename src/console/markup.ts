import { type Markup, markup } from "../report/html/markup.ts";

/** A moment as people read it, exact for machines. */
export function moment(iso: string): Markup {
  return markup`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace("T", " ")}</time>`;
}

/** How long ago that was, in one unit. */
export function ago(iso: string): string {
  return span(Date.now() - Date.parse(iso));
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

/** The form that an encoded path asks for by its ending, and what stands before that. An encoded dot is part of a name. */
export function formIn(path: string): { readonly rest: string; readonly form: "html" | "json" | "csv" } {
  const form = path.endsWith(".json") ? "json" : path.endsWith(".csv") ? "csv" : "html";
  return { rest: form === "html" ? path : path.slice(0, -form.length - 1), form };
}

/** What a query asks for by these filters, whatever else it says. Empty: anything. */
export function filtersIn<Name extends string>(
  names: readonly Name[],
  query: Readonly<Record<string, string | undefined>>,
): Readonly<Record<Name, string>> {
  const read = names.map((name) => [name, (query[name] ?? "").trim().slice(0, 300)]);
  return Object.fromEntries(read) as Record<Name, string>;
}
