import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { CallFailed } from "./failure.ts";
import type { RateOptions } from "./limiter.ts";
import type { Network } from "./network.ts";
import type { Backoff } from "./retry.ts";

/** A successful response. `body` is the parsed JSON, undefined if empty. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** Reads from one server. Cannot write: neither it nor its transport accepts other methods. */
export interface Reader {
  readonly catalogue: Catalogue;
  /** @throws CallFailed for anything but a success. */
  get(call: Call): Promise<Answer>;
  /** All rows of a list, from all pages, each `id` once. @throws CallFailed. */
  list(call: Call): Promise<readonly unknown[]>;
  /** Number of requests that may be in flight now; it adapts to the server's responses. */
  room(): number;
  /** Requests sent: first attempts of reads and of writes, and all further attempts. */
  readonly counts: { readonly reads: number; readonly writes: number; readonly retries: number };
}

export interface Writer extends Reader {
  /** Resolves secrets only as the request is encoded. @throws CallFailed; SecretMissing, then nothing was sent. */
  send(call: Call): Promise<Answer>;
  /** As `send`, but looks up the effect with `probe` if there is no usable response, and returns failures. */
  settle(call: Call, probe?: EffectProbe): Promise<Settled>;
}

export type EffectProbe = (reader: Reader) => Promise<boolean>;

export type Settled =
  | { readonly answer: Answer }
  /** No usable response, but the probe found the effect. */
  | { readonly found: true }
  | {
      readonly failure: CallFailed;
      /** True if the server may have acted, or may still act. */
      readonly unknown: boolean;
      readonly lookUp?: CallFailed | undefined;
    };

/** Sends nothing more, and resolves when writes in flight have ended. */
export interface Closing extends AsyncDisposable {
  readonly isOver: () => boolean;
  close(): Promise<void>;
}

interface Pause {
  readonly why: string;
  readonly milliseconds: number;
}

export interface ClientOptions {
  /** `server.url`; /api/v4 is added. */
  readonly url: string;
  /** The setting that contains `url`, for messages; default `server.url`. */
  readonly urlName?: string | undefined;
  readonly token: string;
  readonly tokenName?: string | undefined;
  /** Reads the token again after a 401; default: it cannot change. @throws UserError. */
  readonly renewToken?: (() => string) | undefined;
  /** The dialect of the server; default: the specification's names. */
  readonly dialect?: string | undefined;
  /** The catalogue; default: that of the dialect. */
  readonly catalogue?: Catalogue | undefined;
  /** Upper bound on requests in flight, reads and writes together; the limiter uses fewer if the server slows down. */
  readonly concurrency: number;
  /** Milliseconds for one attempt, headers and body. */
  readonly requestTimeout: number;
  /** The rate limit for all requests of this token; default: only what the server asks for. */
  readonly rate?: RateOptions | undefined;
  readonly allowInsecure?: boolean | undefined;
  /** Proxy, authorities and client certificate; default: those of Node. */
  readonly network?: Network | undefined;
  /** Required only if calls contain secret references. */
  readonly secrets?: Pick<Secrets, "resolve"> | undefined;
  /** Stops the run: nothing more is sent, reads in flight are aborted, writes in flight are finished. */
  readonly signal?: AbortSignal | undefined;
  /** Called right before each attempt at a write; returns the reason why nothing more is sent, if any. */
  readonly mayWrite?: (() => string | undefined) | undefined;
  readonly backoff?: Backoff | undefined;
  /** Milliseconds for which a write without a response is looked up; default: 10 s or `requestTimeout`, the longer. */
  readonly lookUpFor?: number | undefined;
  /**
   * Milliseconds without any response after which the run ends; default: 60 s, or until one call has used its attempts
   * if the server never responded.
   */
  readonly giveUpAfter?: number | undefined;
  readonly random?: (() => number) | undefined;
  /** Called with a sentence when the server makes requests wait for a second or longer. */
  readonly onPause?: ((sentence: string, pause?: Pause) => void) | undefined;
}
