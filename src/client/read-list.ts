import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { Headers } from "./retry.ts";

/** Sends a call; `first` is the number of its first attempt, if it was sent before. */
export type SendCall = (call: Call, first?: number) => Promise<FullAnswer>;

/**
 * Reads all pages of a list. Reads again if the row count contradicts X-Total, since a row may have moved to a page
 * already read. @throws CallFailed.
 */
export async function readList(
  send: SendCall,
  call: Call,
  urlOf: (path: string) => string,
): Promise<readonly unknown[]> {
  for (let reading = 1; ; reading++) {
    const { rows, fault } = await readPages(send, call, urlOf(call.path), reading);
    if (!fault) return rows;
    if (reading === mostReadings) throw fault;
  }
}

const mostReadings = 5;

/** Completes "GET https://… answered 200 ". */
type Fail = (what: string) => Error;

type PageQuery = Readonly<Record<string, string>>;

interface Whole {
  readonly rows: readonly unknown[];
  /** Set if their number differs from the server's count. */
  readonly fault: CallFailed | undefined;
}

/** Fetches all pages. Rows that moved between pages meanwhile are returned once, by ID. */
async function readPages(send: SendCall, call: Call, url: string, attempts: number): Promise<Whole> {
  const { method, path, older, answer, uncounted } = call;
  const own: PageQuery = { ...(call.list === "paged" && { per_page: pageSize }), ...toQuery(call.parameters ?? {}) };
  const rows: unknown[] = [];
  const totals: number[] = [];
  const seen = new Set<string>();
  let status = 200;
  const fail = (what: string) =>
    new CallFailed({ method, path, url, kind: "shape", what: `answered ${status} ${what}`, status, attempts });
  let last: readonly unknown[] = [];
  let guesses: readonly PageQuery[] | undefined;
  for (let query: PageQuery | undefined = own; query; ) {
    if (seen.has(queryKey(query))) throw fail("with a next page that was already read");
    if (seen.size >= mostPages) throw fail(`with more than ${mostPages} pages`);
    seen.add(queryKey(query));
    const reply: FullAnswer = await send({ method, path, parameters: query, older, answer, uncounted }, attempts);
    const { body, headers } = reply;
    status = reply.status;
    if (!Array.isArray(body)) throw fail("with something other than a list");
    const page = keepFields(body, answer?.keeps);
    const next = nextPage(headers, own, fail);
    const total = parseTotal(headers, fail);
    const isUnknown: boolean = guesses !== undefined && isRepeat(page, last);
    const following = nextQueries({ next, guesses: isUnknown ? guesses : undefined, headers, query, page });
    guesses = isUnknown || !next ? following.slice(1) : undefined;
    query = following[0];
    if (isUnknown) continue;
    for (const row of page) rows.push(row);
    if (total !== undefined) totals.push(total);
    last = page;
  }
  const unique = seen.size > 1 ? removeDuplicates(rows) : rows;
  const uneven = checkCount(unique.length, totals);
  return { rows: unique, fault: uneven === undefined ? undefined : fail(uneven) };
}

/** Rows per page: the maximum of servers. */
const pageSize = "100";

/** Limit against lists whose pages never end. */
export const mostPages = 10_000;

function keepFields(rows: readonly unknown[], names: readonly string[] | undefined): readonly unknown[] {
  if (!names) return rows;
  return rows.map((row) => {
    if (!isObject(row)) return row;
    return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
  });
}

function toQuery(parameters: Fields): PageQuery {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, queryText(value)]));
}

function queryText(value: Value): string {
  if (!isScalar(value)) throw new RangeError("a query carries neither secrets nor lists");
  return String(value ?? "");
}

/**
 * The query of the next page, undefined on the last one: from X-Next-Page, else from Link. Only the query of a link is
 * used, whatever its host; the call's own parameters take precedence. An invalid header is an error: the rows so far
 * are not the whole list.
 */
export function nextPage(headers: Headers, own: PageQuery, fail: Fail): PageQuery | undefined {
  const named = headers["x-next-page"];
  if (isBlank(named)) return undefined;
  if (isPageNumber(named)) return { ...own, page: named };
  if (named !== undefined) throw fail("with an X-Next-Page that is not a page number");
  const link = nextLink(headers.link, fail);
  if (link === undefined) return undefined;
  if (!URL.canParse(link, "http://link.invalid")) throw fail("with a next page in Link that is not a URL");
  const { page: _, ...kept } = own;
  return { ...Object.fromEntries(new URL(link, "http://link.invalid").searchParams), ...kept };
}

interface PageRead {
  readonly next: PageQuery | undefined;
  /** The remaining guesses, if this page was a guess and has no new row. */
  readonly guesses: readonly PageQuery[] | undefined;
  readonly headers: Headers;
  readonly query: PageQuery;
  readonly page: readonly unknown[];
}

/** The query of the next page, or several to try in turn. */
function nextQueries({ next, guesses, headers, query, page }: PageRead): readonly PageQuery[] {
  if (guesses) return page.length > 0 ? guesses : [];
  if (next) return [next];
  return pagesAfterFull(headers, query, page);
}

/** Pages after a full one without paging headers, which a proxy may have removed: by the last ID, and by number. */
function pagesAfterFull(headers: Headers, query: PageQuery, rows: readonly unknown[]): readonly PageQuery[] {
  const { page = "1", per_page: size, pagination } = query;
  const saysNext = ["link", "x-next-page", "x-total"].some((name) => headers[name] !== undefined);
  if (rows.length !== Number(size) || !isPageNumber(page) || saysNext) return [];
  const { id_after: _, ...unbound } = query;
  const numbered = { ...unbound, page: String(Number(page) + 1) };
  const last = readId(rows.at(-1));
  const isByNumber = pagination !== "keyset" || query.page !== undefined || last === undefined;
  return isByNumber ? [numbered] : [{ ...query, id_after: String(last) }, numbered];
}

function isBlank(header: string | string[] | undefined): boolean {
  return typeof header === "string" && header.trim() === "";
}

function isPageNumber(text: string | string[] | undefined): text is string {
  return typeof text === "string" && /^[1-9]\d{0,14}$/.test(text);
}

function parseTotal({ "x-total": header }: Headers, fail: Fail): number | undefined {
  if (header === undefined || isBlank(header)) return undefined;
  if (typeof header !== "string" || !/^\d{1,15}$/.test(header)) throw fail("with an X-Total that is not a number");
  return Number(header);
}

function nextLink(header: string | string[] | undefined, fail: Fail): string | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(", ") : header;
  if (isTruncated(text)) throw fail("with a truncated Link");
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

/** Compares the count with the totals of all pages: a list may grow while it is read, and must not shrink. */
function checkCount(count: number, totals: readonly number[]): string | undefined {
  const [first = 0, last = Number.POSITIVE_INFINITY] = [totals[0], totals.at(-1)];
  const shrunk = totals.find((each, index) => each < (totals[index - 1] ?? 0));
  if (shrunk !== undefined) return `with an X-Total that became ${shrunk} from page to page`;
  if (count >= first && count <= last) return undefined;
  return `with ${count} ${count === 1 ? "row" : "rows"} in all, where X-Total counts ${last}`;
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
  const identities = new Set(before.map(identity));
  return rows.every((row) => identities.has(identity(row)));
}

function readId(row: unknown): unknown {
  const id = typeof row === "object" && row !== null && "id" in row ? row.id : undefined;
  return id ?? undefined;
}
