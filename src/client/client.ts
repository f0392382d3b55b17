import type { Call, Fields, Value } from "../model/types.ts";
import type { Secrets } from "../workspace/secrets.ts";
import { CallFailed } from "./failure.ts";
import { mostPages, nextPage, type Page, pageSize, type Query, readPages } from "./pages.ts";
import type { Backoff } from "./retry.ts";
import { openSession, type Session } from "./session.ts";

/** A successful answer: `body` is the parsed JSON, undefined where there was none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** Reads from one server. It has no way to write: neither it nor what it sends with knows how. */
export interface Reader {
  /** @throws CallFailed for anything but a success. */
  get(call: Call): Promise<Answer>;
  /** All rows of a list, from all of its pages, each `id` once. @throws CallFailed. */
  list(call: Call): Promise<readonly unknown[]>;
  /** Requests sent: the first attempts of reads and of writes, and further attempts of either. */
  readonly counts: { readonly reads: number; readonly writes: number; readonly retries: number };
}

/** Reads and writes. */
export interface Writer extends Reader {
  /**
   * Sends a PUT, POST, PATCH or DELETE. Secrets are resolved here and nowhere before, as the request is written.
   * @throws CallFailed; SecretMissing where a reference leads to no value: then nothing was sent.
   */
  send(call: Call): Promise<Answer>;
}

/** Ends a connection: sends nothing more, and resolves when writes in flight have ended. */
export interface Closing {
  close(): Promise<void>;
}

export interface ClientOptions {
  /** `server.url`; /api/v4 is added. */
  readonly url: string;
  readonly token: string;
  /** Requests in flight at most, reads and writes together. */
  readonly concurrency: number;
  /** Milliseconds for one attempt, headers and body. */
  readonly requestTimeout: number;
  readonly allowInsecure?: boolean | undefined;
  /** Needed only where calls carry secret references. */
  readonly secrets?: Secrets | undefined;
  /** Aborted: nothing more is sent, reads in flight are cut, writes in flight are finished. */
  readonly signal?: AbortSignal | undefined;
  readonly backoff?: Backoff | undefined;
  /** 0 to 1, for jitter. */
  readonly random?: (() => number) | undefined;
  /** All requests wait for so many milliseconds, at the server's wish. */
  readonly onPause?: ((milliseconds: number) => void) | undefined;
  /** An attempt failed, and another follows after so many milliseconds. */
  readonly onRetry?: ((retry: { readonly failure: CallFailed; readonly delay: number }) => void) | undefined;
}

/**
 * A connection that can only read: it refuses any method but GET.
 * @throws Refusal where the URL is not one that the token may be sent to. Nothing is sent before the first call.
 */
export async function connectReader(options: ClientOptions): Promise<Reader & Closing> {
  return readerOf(await openSession(options, new Set(["GET"])));
}

/** A connection that reads and writes. @throws as {@link connectReader}. */
export async function connectWriter(options: ClientOptions): Promise<Writer & Closing> {
  const session = await openSession(options, new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]));
  return { ...readerOf(session), send: (call) => session.perform(call) };
}

function readerOf(session: Session): Reader & Closing {
  return {
    get: (call) => session.perform(reading(call)),
    list: (call) => readList(session, reading(call)),
    counts: session.counts,
    close: () => session.close(),
  };
}

function reading(call: Call): Call {
  if (call.method !== "GET") throw new RangeError(`${call.method} does not read`);
  return call;
}

async function readList(session: Session, call: Call): Promise<readonly unknown[]> {
  const size: Query = call.list === "paged" ? { per_page: String(pageSize) } : {};
  const own: Query = { ...size, ...queryOf(call.parameters ?? {}) };
  const pages = await readPages((query) => readPage(session, { ...call, parameters: query }, own), own);
  if ("rows" in pages) return pages.rows;
  throw notAList(session, call, endlessWords[pages.endless]);
}

const endlessWords = {
  repeats: "answered with a next page that was read already",
  many: `answered with more than ${mostPages} pages`,
};

async function readPage(session: Session, call: Call, own: Query): Promise<Page> {
  const { status, body, headers } = await session.perform(call);
  if (!Array.isArray(body)) throw notAList(session, call, `answered ${status} with something other than a list`);
  return { rows: body, next: nextPage(headers, own) };
}

function notAList(session: Session, { method, path }: Call, what: string): CallFailed {
  return new CallFailed({ method, path, url: session.urlOf(path), kind: "html", what, attempts: 1 });
}

function queryOf(parameters: Fields): Query {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: Value): string {
  if (typeof value === "object" && value !== null) throw new RangeError("a query carries no secret");
  return String(value ?? "");
}
