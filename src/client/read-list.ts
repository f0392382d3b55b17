import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { Headers } from "./retry.ts";

/** The answer to a call; `first` is the number of its first attempt, where the same was asked before. */
export type SendCall = (call: Call, first?: number) => Promise<FullAnswer>;

/**
 * All rows of a list, from all of its pages. If the server counts other rows than it returned, they may have changed
 * meanwhile: the list is read once more, and then not believed. @throws CallFailed.
 */
export async function readList(
  send: SendCall,
  call: Call,
  urlOf: (path: string) => string,
): Promise<readonly unknown[]> {
  const first = await readOnce(send, call, urlOf, 1);
  if (!first.fault) return first.rows;
  const second = await readOnce(send, call, urlOf, 2);
  if (!second.fault) return second.rows;
  throw second.fault;
}

interface Whole {
  readonly rows: readonly unknown[];
  /** Set where their number is not what the server counts. */
  readonly fault?: CallFailed | undefined;
}

async function readOnce(send: SendCall, call: Call, urlOf: (path: string) => string, attempt: number): Promise<Whole> {
  const size = call.list === "paged" ? paged : unpaged;
  const own = call.parameters ? { ...size, ...queryOf(call.parameters) } : size;
  let answered = 200;
  const fault = (what: string) => notAList(call, urlOf(call.path), answered, what, attempt);
  const readPage = async (query: PageQuery): Promise<Page> => {
    const { status, body, headers } = await send(pageCall(call, query), attempt);
    answered = status;
    if (!Array.isArray(body)) throw fault("with something other than a list");
    return pageOf(keptOf(body, call.answer?.keeps), headers, { own, query }, fault);
  };
  const pages = await readPages(readPage, own);
  if ("endless" in pages) throw fault(pages.endless);
  return { rows: pages.rows, fault: pages.uneven === undefined ? undefined : fault(pages.uneven) };
}

function pageCall({ method, path, older, answer, uncounted }: Call, parameters: PageQuery): Call {
  return { method, path, parameters, older, answer, uncounted };
}

function keptOf(rows: readonly unknown[], names: readonly string[] | undefined): readonly unknown[] {
  if (!names) return rows;
  return rows.map((row) => {
    if (!isObject(row)) return row;
    return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
  });
}

function pageOf(
  rows: readonly unknown[],
  headers: Headers,
  { own, query }: { readonly own: PageQuery; readonly query: PageQuery },
  fault: (what: string) => CallFailed,
): Page {
  const named = nextPage(headers, own);
  const total = totalOf(headers);
  if (named && "garbled" in named) throw fault(`with ${named.garbled}`);
  if (typeof total === "object") throw fault(`with ${total.garbled}`);
  const next = named ? named.query : pageAfterFull(headers, query, rows.length);
  return { rows, next, isGuess: !named, total };
}

function notAList({ method, path }: Call, url: string, status: number, what: string, attempts: number): CallFailed {
  return new CallFailed({ method, path, url, kind: "shape", what: `answered ${status} ${what}`, status, attempts });
}

function queryOf(parameters: Fields): PageQuery {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, queryText(value)]));
}

function queryText(value: Value): string {
  if (!isScalar(value)) throw new RangeError("a query carries neither secrets nor lists");
  return String(value ?? "");
}

export type PageQuery = Readonly<Record<string, string>>;

/** Rows in a page that is asked for; servers give no more. */
const pageSize = 100;

const paged: PageQuery = { per_page: String(pageSize) };
const unpaged: PageQuery = {};

/** A server that names more pages than this for one list is not believed. */
export const mostPages = 10_000;

/** Upper bound on all pages of one list, as {@link sizeOf} measures them; a million projects need less. */
const largestList = 512 * 1024 * 1024;

/** A header whose value makes no sense. */
export interface InvalidPage {
  readonly garbled: string;
}

/**
 * The query of the next page, undefined on the last one: by X-Next-Page, else by Link, and where neither names one, by
 * X-Page, as long as X-Total-Pages counts more. A link is read for its query
 * alone, whatever host it names; what the call itself asks for stays as it is. A page that is named and cannot be asked
 * for is said: the rows so far are not the whole list.
 */
export function nextPage(headers: Headers, own: PageQuery): { readonly query: PageQuery } | InvalidPage | undefined {
  const named = headers["x-next-page"];
  if (typeof named === "string" && /^\s*$/.test(named)) return countedPage(headers, own);
  if (named !== undefined) return isPageNumber(named) ? { query: { ...own, page: named } } : garbledPage;
  const link = nextLink(headers.link);
  if (typeof link === "object") return link;
  if (link === undefined) return countedPage(headers, own);
  if (!URL.canParse(link, "http://link.invalid")) return { garbled: "a next page in Link that is not a URL" };
  const { page: _, ...kept } = own;
  return { query: { ...Object.fromEntries(new URL(link, "http://link.invalid").searchParams), ...kept } };
}

function countedPage(headers: Headers, own: PageQuery): { readonly query: PageQuery } | undefined {
  const { "x-page": page, "x-total-pages": pages } = headers;
  if (!isPageNumber(page) || !isPageNumber(pages) || Number(page) >= Number(pages)) return undefined;
  return { query: { ...own, page: String(Number(page) + 1) } };
}

/**
 * The page after one that is full and came without a word on pages: what stands between may have removed the headers.
 * Pages by ID end without one, and a list that is asked for as a whole has none.
 */
function pageAfterFull(headers: Headers, query: PageQuery, rows: number): PageQuery | undefined {
  const { page = "1", per_page: size, pagination } = query;
  if (rows !== Number(size) || pagination === "keyset" || !isPageNumber(page)) return undefined;
  if (speaksOfPages(headers)) return undefined;
  return { ...query, page: String(Number(page) + 1) };
}

const pageHeaders = ["link", "x-next-page", "x-page", "x-total", "x-total-pages"] as const;

/** Whether an answer says anything of pages. */
function speaksOfPages(headers: Headers): boolean {
  return pageHeaders.some((name) => headers[name] !== undefined);
}

const garbledPage: InvalidPage = { garbled: "an X-Next-Page that is not a page number" };

function isPageNumber(text: string | string[] | undefined): text is string {
  return typeof text === "string" && /^[1-9]\d{0,14}$/.test(text);
}

/** How many rows the server counts in the whole list, where it says so. */
function totalOf(headers: Headers): number | InvalidPage | undefined {
  const said = headers["x-total"];
  if (said === undefined || (typeof said === "string" && /^\s*$/.test(said))) return undefined;
  const isCount = typeof said === "string" && /^\d{1,15}$/.test(said);
  return isCount ? Number(said) : { garbled: "an X-Total that is not a number" };
}

function nextLink(header: string | string[] | undefined): string | InvalidPage | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(", ") : header;
  if (isTruncated(text)) return { garbled: "a truncated Link" };
  for (const [, target, parameters = ""] of text.matchAll(/<([^<>]*)>([^<>]*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i.exec(parameters);
    const words = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (words.includes("next")) return target;
  }
  return undefined;
}

/** Whether a quotation or a target is not closed. */
function isTruncated(link: string): boolean {
  return /["<]/.test(link.replace(/"(?:[^"\\]|\\.)*"/g, "").replace(/<[^<>]*>/g, ""));
}

/** One page: its rows, the query of the next one, and how many rows the server counts in all. */
export interface Page {
  readonly rows: readonly unknown[];
  readonly next: PageQuery | undefined;
  /** Whether the server does not say that there is a next one: then it may answer with the same rows again. */
  readonly isGuess?: boolean;
  readonly total?: number | undefined;
}

/** All rows, and in `uneven` how they differ from the server's count; or why the list never ends. */
export type Pages = { readonly rows: readonly unknown[]; readonly uneven?: string } | { readonly endless: string };

/** Fetches page after page. Rows that moved between pages while they were read come once, by their id. */
export async function readPages(
  fetchPage: (query: PageQuery) => Page | Promise<Page>,
  start: PageQuery,
  largest = largestList,
): Promise<Pages> {
  const first = await fetchPage(start);
  if (!first.next) return counted(first.rows, [first.total]);
  const rows = [...first.rows];
  const totals = [first.total];
  const seen = new Set([keyOf(start)]);
  let size = sizeOf(rows);
  for (let last: Page = first; last.next; ) {
    if (seen.has(keyOf(last.next))) return { endless: "with a next page that was already read" };
    if (seen.size >= mostPages) return { endless: `with more than ${mostPages} pages` };
    seen.add(keyOf(last.next));
    const page = await fetchPage(last.next);
    if (last.isGuess && isRepeat(page.rows, last.rows)) break;
    size += sizeOf(page.rows);
    if (size > largest) return { endless: `with pages of more than ${Math.floor(largest / 1024 / 1024)} MB in all` };
    for (const row of page.rows) rows.push(row);
    totals.push(page.total);
    last = page;
  }
  return counted(distinct(rows), totals);
}

/** Roughly the bytes of a value in memory. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return scalarSize + value.length;
  if (typeof value !== "object" || value === null) return scalarSize;
  let size = objectSize;
  for (const each of Object.values(value)) size += sizeOf(each);
  return size;
}

const scalarSize = 16;
const objectSize = 64;

/** Compared with the totals of all pages, because a list may grow while it is read. */
function counted(rows: readonly unknown[], totals: readonly (number | undefined)[]): Pages {
  const known = totals.filter((total) => total !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0 || (rows.length >= least && rows.length <= most)) return { rows };
  const total = known.at(-1);
  return { rows, uneven: `with ${count(rows.length)} in all, where X-Total counts ${total}` };
}

function count(rows: number): string {
  return `${rows} ${rows === 1 ? "row" : "rows"}`;
}

function keyOf(query: PageQuery): string {
  return JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct(rows: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return rows.filter((row) => {
    const id = idOf(row);
    return id === undefined || (!seen.has(id) && seen.add(id));
  });
}

/** Whether a page holds no row that the one before lacks, in whatever order. */
function isRepeat(rows: readonly unknown[], before: readonly unknown[]): boolean {
  const identity = (row: unknown) => idOf(row) ?? JSON.stringify(row);
  const known = new Set(before.map(identity));
  return rows.every((row) => known.has(identity(row)));
}

function idOf(row: unknown): unknown {
  const id = typeof row === "object" && row !== null && "id" in row ? row.id : undefined;
  return id ?? undefined;
}
