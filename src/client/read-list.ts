import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import {
  countedIn,
  nextPage,
  onePage,
  type Page,
  type PageQuery,
  type Pages,
  pageAfterFull,
  pageSize,
  readPages,
  totalOf,
} from "./pages.ts";
import type { KnownList } from "./reader.ts";
import type { Headers } from "./response.ts";

/** The answer to a call; `first` is the number of its first attempt, where the same was asked before. */
export type SendCall = (call: Call, first?: number) => Promise<FullAnswer>;

/**
 * All rows of a list, from all of its pages; undefined for one that is unchanged. If the server counts other rows than it
 * returned, they may have changed them meanwhile: the list is read once more, and then not believed. @throws CallFailed.
 */
export async function readList(
  send: SendCall,
  call: Call,
  urlOf: (path: string) => string,
  known?: KnownList,
): Promise<readonly unknown[] | undefined> {
  const first = await readOnce(send, call, urlOf, 1, known);
  if (!first.fault) return first.rows;
  known?.forget();
  const second = await readOnce(send, call, urlOf, 2);
  if (!second.fault) return second.rows;
  throw second.fault;
}

interface Whole {
  readonly rows: readonly unknown[] | undefined;
  /** Set where their number is not what the server counts. */
  readonly fault?: CallFailed | undefined;
}

const unchanged: Whole = { rows: undefined };

const paged: PageQuery = { per_page: String(pageSize) };
const unpaged: PageQuery = {};

async function readOnce(
  send: SendCall,
  call: Call,
  urlOf: (path: string) => string,
  attempt: number,
  known?: KnownList,
): Promise<Whole> {
  const size = call.list === "paged" ? paged : unpaged;
  const own = call.parameters ? { ...size, ...queryOf(call.parameters) } : size;
  let answered = 200;
  const fault = (what: string) => notAList(call, urlOf(call.path), answered, what, attempt);
  const pageIn = ({ status, body, headers }: FullAnswer, query: PageQuery): Page => {
    answered = status;
    if (!Array.isArray(body)) throw fault("with something other than a list");
    return pageOf(keptOf(body, call.answer?.keeps), headers, { own, query }, fault);
  };
  const asked = pageCall(call, own, known && testOf(known, own));
  // The first page on its own, because most lists have one, and each function that waits costs as much as a check of a row.
  const answer = await send(asked, attempt);
  if (answer.isKnown) return unchanged;
  const first = pageIn(answer, own);
  if (!first.next) return wholeOf(onePage(first), fault);
  known?.forget();
  const pages = await readPages(
    (query) => (query === own ? first : send(pageCall(call, query), attempt).then((each) => pageIn(each, query))),
    own,
  );
  return wholeOf(pages, fault);
}

/** The call of one page. Part by part, because a spread costs a plan as much as the checks of a page do. */
function pageCall(
  { method, path, older, answer, uncounted }: Call,
  parameters: PageQuery,
  isKnown?: Call["isKnown"],
): Call {
  return { method, path, parameters, older, answer, isKnown, uncounted };
}

function wholeOf(pages: Pages, fault: (what: string) => CallFailed): Whole {
  if ("endless" in pages) throw fault(pages.endless);
  return { rows: pages.rows, fault: pages.uneven === undefined ? undefined : fault(pages.uneven) };
}

/** What the server counts is part of what must not change; a list that has a next page is always read. */
function testOf({ isUnchanged }: KnownList, own: PageQuery): NonNullable<Call["isKnown"]> {
  return (body, headers: Headers) => nextPage(headers, own) === undefined && isUnchanged(countedIn(headers), body);
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
