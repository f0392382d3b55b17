import type { Call } from "../model/types.ts";
import type { Secrets } from "../workspace/secrets.ts";
import type { CallFailed } from "./failure.ts";
import { type Ask, readList } from "./list.ts";
import type { Network } from "./network.ts";
import { perform } from "./perform.ts";
import type { Backoff } from "./retry.ts";
import { openSession, type Session } from "./session.ts";
import { type Look, type Settled, settle } from "./settle.ts";

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
  /**
   * Sends a write as {@link Writer.send} does, and looks up what became of it where no usable answer came (contract
   * 14); without `look`, nobody can. Never throws for what a server does. @throws SecretMissing.
   */
  settle(call: Call, look?: Look): Promise<Settled>;
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
  /** Proxy, authorities and client certificate; left out: none beyond what Node has. */
  readonly network?: Network | undefined;
  /** Needed only where calls carry secret references. */
  readonly secrets?: Secrets | undefined;
  /** Aborted: nothing more is sent, reads in flight are cut, writes in flight are finished. */
  readonly signal?: AbortSignal | undefined;
  readonly backoff?: Backoff | undefined;
  /** Milliseconds for which a write without an answer is looked up; left out: 10 s or `requestTimeout`, the longer. */
  readonly lookUpFor?: number | undefined;
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
  const once = reading(session, (call, attempts = 1) => session.attempt(call, attempts));
  return {
    ...readerOf(session),
    send: (call) => perform(session, call),
    settle: (call, look) => settle(session, once, call, look),
  };
}

function readerOf(session: Session): Reader & Closing {
  return { ...reading(session, (call, first) => perform(session, call, first)), close: () => session.close() };
}

function reading(session: Session, ask: Ask): Reader {
  const urlOf = (path: string) => session.urlOf(path);
  return {
    get: (call) => ask(onlyReading(call)),
    list: (call) => readList(ask, onlyReading(call), urlOf),
    counts: session.counts,
  };
}

function onlyReading(call: Call): Call {
  if (call.method !== "GET") throw new RangeError(`${call.method} does not read`);
  return call;
}
