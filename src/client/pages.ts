import type { Headers } from "./transport.ts";

export type Query = Readonly<Record<string, string>>;

/** Rows in a page that is asked for; servers give no more. */
export const pageSize = 100;

/** A server that names more pages than this for one list is not believed. */
export const mostPages = 10_000;

/**
 * The query of the next page, undefined on the last one: by X-Next-Page, else by Link. A link is read for its query
 * alone, whatever host it names; what the call itself asks for stays as it is.
 */
export function nextPage(headers: Headers, own: Query): Query | undefined {
  const named = headers["x-next-page"];
  if (typeof named === "string" && /^\s*$/.test(named)) return undefined;
  if (typeof named === "string" && /^\d{1,15}$/.test(named)) return { ...own, page: named };
  const link = nextLink(headers.link);
  if (link === undefined || !URL.canParse(link, "http://link.invalid")) return undefined;
  const { page: _, ...kept } = own;
  return { ...Object.fromEntries(new URL(link, "http://link.invalid").searchParams), ...kept };
}

function nextLink(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(", ") : (header ?? "");
  for (const [, target, parameters = ""] of text.matchAll(/<([^<>]*)>([^<>]*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i.exec(parameters);
    const words = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (words.includes("next")) return target;
  }
  return undefined;
}

/** One page: its rows, and the query of the next one. */
export interface Page {
  readonly rows: readonly unknown[];
  readonly next: Query | undefined;
}

export type Pages = { readonly rows: readonly unknown[] } | { readonly endless: "repeats" | "many" };

/** Fetches page after page. Rows that moved between pages while they were read come once, by their id. */
export async function readPages(fetchPage: (query: Query) => Promise<Page>, start: Query): Promise<Pages> {
  const first = await fetchPage(start);
  if (!first.next) return { rows: first.rows };
  const rows = [...first.rows];
  const seen = new Set([keyOf(start)]);
  for (let next: Query | undefined = first.next; next; ) {
    if (seen.has(keyOf(next))) return { endless: "repeats" };
    if (seen.size >= mostPages) return { endless: "many" };
    seen.add(keyOf(next));
    const page: Page = await fetchPage(next);
    for (const row of page.rows) rows.push(row);
    next = page.next;
  }
  return { rows: distinct(rows) };
}

function keyOf(query: Query): string {
  return JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct(rows: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return rows.filter((row) => {
    const id = typeof row === "object" && row !== null && "id" in row ? row.id : undefined;
    if (id === undefined || id === null) return true;
    return !seen.has(id) && seen.add(id);
  });
}
