import type { Catalogue } from "../model/catalogue.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { RateOptions } from "./limiter.ts";
import type { Network } from "./network.ts";
import type { Backoff } from "./retry.ts";

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
  /** Milliseconds without any response after which the run ends; default: 60 s, or the attempts of one call. */
  readonly giveUpAfter?: number | undefined;
  readonly random?: (() => number) | undefined;
  /** Called with a sentence when the server makes requests wait for a second or longer. */
  readonly onPause?: ((sentence: string, pause?: Pause) => void) | undefined;
}
