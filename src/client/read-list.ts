import { isObject } from "../base/json.ts";
import type { Call, Fields, Value } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import { nextPage, type Page, type PageQuery, pageAfterFull, pageSize, readPages, totalOf } from "./pages.ts";

/** The answer to a call; `first` is the number of its first attempt, where the same was asked before. */
export type SendCall = (call: Call, first?: number) => Promise<FullAnswer>;

/**
 * All rows of a list, from all of its pages. If the server counts other rows than it returned, they may have changed
 * them meanwhile: the list is read once more, and then not believed. @throws CallFailed.
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
  const size: PageQuery = call.list === "paged" ? { per_page: String(pageSize) } : {};
  const own: PageQuery = { ...size, ...queryOf(call.parameters ?? {}) };
  let answered = 200;
  const fault = (what: string) => notAList(call, urlOf(call.path), answered, what, attempt);
  const pages = await readPages(async (query) => {
    const { status, body, headers } = await send({ ...call, parameters: query }, attempt);
    answered = status;
    if (!Array.isArray(body)) throw fault("with something other than a list");
    const said = pageOf(keptOf(body, call.answer?.keeps), nextPage(headers, own), totalOf(headers), fault);
    return said.next ? said : { ...said, next: pageAfterFull(headers, query, body.length), isGuess: true };
  }, own);
  if ("endless" in pages) throw fault(pages.endless);
  return { rows: pages.rows, fault: pages.uneven === undefined ? undefined : fault(pages.uneven) };
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
  next: ReturnType<typeof nextPage>,
  total: ReturnType<typeof totalOf>,
  fault: (what: string) => CallFailed,
): Page {
  if (next && "garbled" in next) throw fault(`with ${next.garbled}`);
  if (typeof total === "object") throw fault(`with ${total.garbled}`);
  return { rows, next: next?.query, total };
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
