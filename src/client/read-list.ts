import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { Headers } from "./retry.ts";

/** Sends a call; `first` is the number of its first attempt, if it was sent before. */
export type SendCall = (call: Call, first?: number) => Promise<FullAnswer>;

/**
 * All rows of a list, from all of its pages. If it shrinks while it is read, a row may move to a page that was read before
 * and be missed; so it is read again, as it is where the server counts other rows than it returned. @throws CallFailed.
 */
export async function readList(
  send: SendCall,
  call: Call,
  urlOf: (path: string) => string,
): Promise<readonly unknown[]> {
  for (let reading = 1; ; reading++) {
    const { rows, fault } = await readOnce(send, call, urlOf, reading);
    if (!fault) return rows;
    if (reading === mostReadings) throw fault;
  }
}

const mostReadings = 5;

interface Whole {
  readonly rows: readonly unknown[];
  readonly fault?: CallFailed | undefined;
}

async function readOnce(send: SendCall, call: Call, urlOf: (path: string) => string, attempt: number): Promise<Whole> {
  const size = call.list === "paged" ? paged : unpaged;
  const own = call.parameters ? { ...size, ...toQuery(call.parameters) } : size;
  let answered = 200;
  const fault = (what: string) => failList(call, urlOf(call.path), answered, what, attempt);
  const readPage = async (query: PageQuery): Promise<Page> => {
    const { status, body, headers } = await send(pageCall(call, query), attempt);
    answered = status;
    if (!Array.isArray(body)) throw fault("with something other than a list");
    return toPage(keepFields(body, call.answer?.keeps), headers, { own, query }, fault);
  };
  const pages = await readPages(readPage, own);
  if ("endless" in pages) throw fault(pages.endless);
  return { rows: pages.rows, fault: pages.uneven === undefined ? undefined : fault(pages.uneven) };
}

function pageCall({ method, path, older, answer, uncounted }: Call, parameters: PageQuery): Call {
  return { method, path, parameters, older, answer, uncounted };
}

function keepFields(rows: readonly unknown[], names: readonly string[] | undefined): readonly unknown[] {
  if (!names) return rows;
  return rows.map((row) => {
    if (!isObject(row)) return row;
    return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
  });
}

function toPage(
  rows: readonly unknown[],
  headers: Headers,
  { own, query }: { readonly own: PageQuery; readonly query: PageQuery },
  fault: (what: string) => CallFailed,
): Page {
  const named = nextPage(headers, own);
  const total = parseTotal(headers);
  if (named && "garbled" in named) throw fault(`with ${named.garbled}`);
  if (typeof total === "object") throw fault(`with ${total.garbled}`);
  if (named) return { rows, next: named.query, total };
  const [next, ...guesses] = pagesAfterFull(headers, query, rows);
  return { rows, next, guesses, total };
}

function failList({ method, path }: Call, url: string, status: number, what: string, attempts: number): CallFailed {
  return new CallFailed({ method, path, url, kind: "shape", what: `answered ${status} ${what}`, status, attempts });
}

function toQuery(parameters: Fields): PageQuery {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, queryText(value)]));
}

function queryText(value: Value): string {
  if (!isScalar(value)) throw new RangeError("a query carries neither secrets nor lists");
  return String(value ?? "");
}

export type PageQuery = Readonly<Record<string, string>>;

/** Rows per page: the maximum of servers. */
const pageSize = 100;

const paged: PageQuery = { per_page: String(pageSize) };
const unpaged: PageQuery = {};

/** Limit against lists whose pages never end. */
export const mostPages = 10_000;

export interface InvalidPage {
  readonly garbled: string;
}

/**
 * The query of the next page, undefined on the last one: from X-Next-Page, else from Link. Only the query of a link is used, whatever its host; the call's own parameters take
 * precedence. An invalid header is an error: the rows so far are not the whole list.
 */
export function nextPage(headers: Headers, own: PageQuery): { readonly query: PageQuery } | InvalidPage | undefined {
  const named = headers["x-next-page"];
  if (typeof named === "string" && /^\s*$/.test(named)) return undefined;
  if (named !== undefined) return isPageNumber(named) ? { query: { ...own, page: named } } : garbledPage;
  const link = nextLink(headers.link);
  if (typeof link === "object") return link;
  if (link === undefined) return undefined;
  if (!URL.canParse(link, "http://link.invalid")) return { garbled: "a next page in Link that is not a URL" };
  const { page: _, ...kept } = own;
  return { query: { ...Object.fromEntries(new URL(link, "http://link.invalid").searchParams), ...kept } };
}

/** Pages after a full one without paging headers, which a proxy may have removed: by the last ID, and by number. */
function pagesAfterFull(headers: Headers, query: PageQuery, rows: readonly unknown[]): readonly PageQuery[] {
  const { page = "1", per_page: size, pagination } = query;
  if (rows.length !== Number(size) || !isPageNumber(page) || saysNext(headers)) return [];
  const { id_after: _, ...unbound } = query;
  const numbered = { ...unbound, page: String(Number(page) + 1) };
  const last = readId(rows.at(-1));
  const isByNumber = pagination !== "keyset" || query.page !== undefined || last === undefined;
  return isByNumber ? [numbered] : [{ ...query, id_after: String(last) }, numbered];
}

/** True if a response tells whether there is a next page, or how many rows there are in all. */
function saysNext(headers: Headers): boolean {
  return (["link", "x-next-page", "x-total"] as const).some((name) => headers[name] !== undefined);
}

const garbledPage: InvalidPage = { garbled: "an X-Next-Page that is not a page number" };

function isPageNumber(text: string | string[] | undefined): text is string {
  return typeof text === "string" && /^[1-9]\d{0,14}$/.test(text);
}

function parseTotal(headers: Headers): number | InvalidPage | undefined {
  const header = headers["x-total"];
  if (header === undefined || (typeof header === "string" && /^\s*$/.test(header))) return undefined;
  const isCount = typeof header === "string" && /^\d{1,15}$/.test(header);
  return isCount ? Number(header) : { garbled: "an X-Total that is not a number" };
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

function isTruncated(link: string): boolean {
  return /["<]/.test(link.replace(/"(?:[^"\\]|\\.)*"/g, "").replace(/<[^<>]*>/g, ""));
}

export interface Page {
  readonly rows: readonly unknown[];
  readonly next: PageQuery | undefined;
  /** Set if the server named no next page: these are tried, and may repeat this one. */
  readonly guesses?: readonly PageQuery[] | undefined;
  readonly total?: number | undefined;
}

/** All rows, with `uneven` if their number differs from the server's count; or the reason why the list does not end. */
export type Pages = { readonly rows: readonly unknown[]; readonly uneven?: string } | { readonly endless: string };

/** Fetches all pages. Rows that moved between pages meanwhile are returned once, by ID. */
export async function readPages(
  fetchPage: (query: PageQuery) => Page | Promise<Page>,
  start: PageQuery,
): Promise<Pages> {
  const first = await fetchPage(start);
  if (!first.next) return checkCount(first.rows, [first.total]);
  const rows = [...first.rows];
  const totals = [first.total];
  const seen = new Set([queryKey(start)]);
  for (let last: Page = first; last.next; ) {
    if (seen.has(queryKey(last.next))) return { endless: "with a next page that was already read" };
    if (seen.size >= mostPages) return { endless: `with more than ${mostPages} pages` };
    seen.add(queryKey(last.next));
    const page = await fetchPage(last.next);
    if (last.guesses && isRepeat(page.rows, last.rows)) {
      const [next, ...guesses] = page.rows.length > 0 ? last.guesses : [];
      last = { ...last, next, guesses };
      continue;
    }
    for (const row of page.rows) rows.push(row);
    totals.push(page.total);
    last = page;
  }
  return checkCount(removeDuplicates(rows), totals);
}

/** Compares the count with the totals of all pages: a list may grow while it is read, and must not shrink. */
function checkCount(rows: readonly unknown[], totals: readonly (number | undefined)[]): Pages {
  const known = totals.filter((total) => total !== undefined);
  const [first, total] = [known[0] ?? 0, known.at(-1) ?? Number.POSITIVE_INFINITY];
  const shrunk = known.find((each, index) => each < (known[index - 1] ?? 0));
  if (shrunk !== undefined) return { rows, uneven: `with an X-Total that became ${shrunk} from page to page` };
  if (rows.length >= first && rows.length <= total) return { rows };
  return { rows, uneven: `with ${formatCount(rows.length)} in all, where X-Total counts ${total}` };
}

function formatCount(rows: number): string {
  return `${rows} ${rows === 1 ? "row" : "rows"}`;
}

function queryKey(query: PageQuery): string {
  return JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function removeDuplicates(rows: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return rows.filter((row) => {
    const id = readId(row);
    return id === undefined || (!seen.has(id) && seen.add(id));
  });
}

/** True if each row of a page is on the previous page, in any order. */
function isRepeat(rows: readonly unknown[], before: readonly unknown[]): boolean {
  const identity = (row: unknown) => readId(row) ?? JSON.stringify(row);
  const knownTotals = new Set(before.map(identity));
  return rows.every((row) => knownTotals.has(identity(row)));
}

function readId(row: unknown): unknown {
  const id = typeof row === "object" && row !== null && "id" in row ? row.id : undefined;
  return id ?? undefined;
}
