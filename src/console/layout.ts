import { version } from "../base/version.ts";
import { htmlDocument } from "../report/html/document.ts";
import { each, type Markup, markup } from "../report/html/markup.ts";
import type { KnownState } from "./known-state.ts";
import { ago, href } from "./markup.ts";

/** Where the page's own style and script are; their names change with them. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

/** What every page has around its content. */
export interface Frame {
  readonly title: string;
  /** The page of the menu that it belongs to. */
  readonly under: "/" | "/runs" | "/review" | "/search" | "";
  readonly assets: Assets;
  /** The query of a search. */
  readonly q?: string;
  readonly known?: KnownState;
  /** The workspace, for people. */
  readonly workspace: string;
  readonly body: Markup;
}

const menu = [
  ["/", "Fleet"],
  ["/runs", "Runs"],
  ["/review", "Review"],
] as const;

/** A whole page. */
export function page({ title, under, assets, q = "", known, workspace, body }: Frame): Markup {
  const head = markup`<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>`;
  const content = markup`<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 6h12M2 10h12"/></svg>Evenkeel</a>
<nav aria-label="Pages">${each(menu, ([path, name]) => markup`<a href="${path}"${current(path === under)}>${name}</a>`)}</nav>
<form class="find" action="/search" role="search"><input type="search" name="q" value="${q}" placeholder="Search" aria-label="Search projects, runs and settings" aria-keyshortcuts="/" maxlength="200"><kbd aria-hidden="true">/</kbd></form>
</header>
<main id="main" tabindex="-1">
${known?.error ? errorNote(known) : ""}${body}
</main>
<footer>${workspace} · Evenkeel ${version} · read-only · times are in UTC</footer>`;
  return htmlDocument(`${title} · Evenkeel`, head, content);
}

function current(is: boolean): Markup {
  return is ? markup` aria-current="page"` : markup``;
}

function errorNote({ error = "", fleet }: KnownState): Markup {
  const seen = fleet?.whole ? `, last seen ${ago(fleet.whole.at)} ago` : "";
  return markup`<p class="notice bad" role="status"><b>Showing the last known state${seen}.</b> ${error}</p>`;
}

/** Links to the same as data. */
export function dataLinks(path: string, query: Readonly<Record<string, string>> = {}): Markup {
  const base = path === "/" ? "/fleet" : path;
  return markup`<p class="data">As <a href="${href(`${base}.json`, query)}">JSON</a> · <a href="${href(`${base}.csv`, query)}">CSV</a></p>`;
}

/** A part of a list, and the way to the others. */
export interface ListPart<Row> {
  readonly rows: readonly Row[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** The part of a list that a query asks for; the nearest one where there is no such. */
export function partOf<Row>(all: readonly Row[], wanted: string | undefined, size = 50): ListPart<Row> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, Math.max(1, Math.floor(Number(wanted)) || 1));
  return { rows: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/** Links to the neighbouring parts of a list. */
export function pager({ page, pages }: ListPart<unknown>, link: (page: number) => string): Markup {
  if (pages === 1) return markup``;
  const to = (wanted: number, name: string, rel: string) =>
    wanted < 1 || wanted > pages
      ? markup`<span class="soft">${name}</span>`
      : markup`<a href="${link(wanted)}" rel="${rel}">${name}</a>`;
  return markup`<nav class="pager" aria-label="Pages of the list">${to(page - 1, "‹ Previous", "prev")} <span>Page ${page.toLocaleString("en")} of ${pages.toLocaleString("en")}</span> ${to(page + 1, "Next ›", "next")}</nav>`;
}
