import { createHash } from "node:crypto";
import { version } from "../base/version.ts";
import { htmlDocument, icon, script, style } from "../report/html/document.ts";
import { each, type Markup, markup } from "../report/html/markup.ts";
import type { KnownState } from "./known-state.ts";

export interface Frame {
  readonly title: string;
  readonly under: "/" | "/runs" | "/review" | "/search" | "";
  /** The query of a search. */
  readonly q?: string;
  readonly known?: KnownState;
  /** The workspace's name for people. */
  readonly workspace: string;
  readonly body: Markup;
}

const menu = [
  ["/", "Fleet"],
  ["/runs", "Runs"],
  ["/review", "Review"],
] as const;

export function page({ title, under, q = "", known, workspace, body }: Frame): Markup {
  const head = markup`<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>`;
  const seen = known?.fleet?.whole ? `, last seen ${ago(known.fleet.whole.at)} ago` : "";
  const content = markup`<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 6h12M2 10h12"/></svg>Evenkeel</a>
<nav aria-label="Pages">${each(menu, ([path, name]) => markup`<a href="${path}"${path === under ? markup` aria-current="page"` : ""}>${name}</a>`)}</nav>
<form class="find" action="/search" role="search"><input type="search" name="q" value="${q}" placeholder="Search" aria-label="Search projects, runs and settings" aria-keyshortcuts="/" maxlength="200"></form>
</header>
<main id="main" tabindex="-1">
${known?.error ? markup`<p class="notice bad" role="status"><b>Showing the last known state${seen}.</b> ${known.error}</p>` : ""}${body}
</main>
<footer>${workspace} · Evenkeel ${version} · read-only · times are in UTC</footer>`;
  return htmlDocument(`${title} · Evenkeel`, head, content);
}

export function dataLink(path: string, query: Readonly<Record<string, string>> = {}): Markup {
  return markup`<p class="data"><a href="${href(`${path === "/" ? "/fleet" : path}.json`, query)}">As JSON</a></p>`;
}

export interface ListPart<Row> {
  readonly rows: readonly Row[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** Maximum number of rows on a page of a JSON document. */
export const mostRows = 500;

export function pageFields({ page, pages, total }: ListPart<unknown>) {
  return { total, page, pages };
}

export function selectPage<Row>(all: readonly Row[], wanted: string | undefined, size = 50): ListPart<Row> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, Math.max(1, Math.floor(Number(wanted)) || 1));
  return { rows: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/** Links to the pages before and after; `query` has the filters of the list. */
export function pager({ page, pages }: ListPart<unknown>, path: string, query: Query = {}): Markup {
  if (pages === 1) return markup``;
  const to = (wanted: number, name: string, rel: string) =>
    wanted < 1 || wanted > pages
      ? markup`<span class="soft">${name}</span>`
      : markup`<a href="${href(path, { ...query, page: wanted === 1 ? undefined : wanted })}" rel="${rel}">${name}</a>`;
  return markup`<nav class="pager" aria-label="Pages of the list">${to(page - 1, "‹ Previous", "prev")} <span>Page ${page.toLocaleString("en")} of ${pages.toLocaleString("en")}</span> ${to(page + 1, "Next ›", "next")}</nav>`;
}

export function moment(iso: string): Markup {
  return markup`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace("T", " ")}</time>`;
}

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

export function age(iso: string): Markup {
  return markup`<time datetime="${iso}" title="${iso}">${ago(iso)}</time>`;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** A link to a page of the console; empty query parameters are left out. */
export function href(path: string, query: Query = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parts.set(name, String(value));
  return parts.size === 0 ? path : `${path}?${parts}`;
}

/** Splits an encoded path from its ending `.json`. An encoded dot belongs to the name. */
export function splitForm(path: string): { readonly rest: string; readonly isJson: boolean } {
  const isJson = path.endsWith(".json");
  return { rest: isJson ? path.slice(0, -".json".length) : path, isJson };
}

/** A field of a form with filters: a list of choices (value and name), or a text without them. */
export function filterField(
  title: string,
  name: string,
  chosen: string,
  choices: readonly (readonly [value: string, name: string])[] = [],
  hint = "",
): Markup {
  if (choices.length === 0)
    return markup`<label>${title}<input name="${name}" value="${chosen}"${hint ? markup` placeholder="${hint}"` : ""} maxlength="300"></label>`;
  const options = each(choices, ([value, words]) => {
    return markup`<option value="${value}"${value === chosen ? markup` selected` : ""}>${words}</option>`;
  });
  return markup`<label>${title}<select name="${name}">${options}</select></label>`;
}

/** The named filters of a query, each a string; empty matches anything. */
export function parseFilters<Name extends string>(
  names: readonly Name[],
  query: Readonly<Record<string, string | undefined>>,
): Readonly<Record<Name, string>> {
  const read = names.map((name) => [name, (query[name] ?? "").trim().slice(0, 300)]);
  return Object.fromEntries(read) as Record<Name, string>;
}

function assetName(text: string, ending: string): string {
  return `/assets/console-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${ending}`;
}

const assets = { style: assetName(style, "css"), script: assetName(script, "js") };

export const assetFiles: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  [assets.style, { type: "text/css; charset=utf-8", text: style }],
  [assets.script, { type: "text/javascript; charset=utf-8", text: script }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
]);

export function missingPage(what: string): Markup {
  return markup`<h1>Not found</h1><p class="lead">${what}</p><p><a href="/">The fleet</a> · <a href="/search">Search</a></p>`;
}
