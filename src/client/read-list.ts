import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import { nextPage, type Page, type PageQuery, pageAfterFull, pageSize, readPages, totalOf } from "./pages.ts";
import type { Headers } from "./response.ts";

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

const paged: PageQuery = { per_page: String(pageSize) };
const unpaged: PageQuery = {};

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
