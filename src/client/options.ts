import type { Catalogue } from "../model/catalogue.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { CallFailed } from "./failure.ts";
import type { RateOptions } from "./limiter.ts";
import type { Network } from "./network.ts";
import type { Backoff } from "./retry.ts";

/** How to reach a server. */
export interface ClientOptions {
  /** `server.url`; /api/v4 is added. */
  readonly url: string;
  /** The setting that `url` stands in, as messages name it; left out: `server.url`. */
  readonly urlName?: string | undefined;
  readonly token: string;
  /** The variable that it comes from, as messages name it. */
  readonly tokenName?: string | undefined;
  /** The dialect of the server; left out: the specification's own names. */
  readonly dialect?: string | undefined;
  /** What there is to configure; left out: that of the dialect. */
  readonly catalogue?: Catalogue | undefined;
  /** Requests in flight at most, reads and writes together; as many of them as serve best. */
  readonly concurrency: number;
  /** Milliseconds for one attempt, headers and body. */
  readonly requestTimeout: number;
  /** The limit of all requests of this token; left out: none but what the server says. */
  readonly rate?: RateOptions | undefined;
  readonly allowInsecure?: boolean | undefined;
  /** Proxy, authorities and client certificate; left out: none beyond what Node has. */
  readonly network?: Network | undefined;
  /** Needed only where calls carry secret references. */
  readonly secrets?: Pick<Secrets, "resolve"> | undefined;
  /** Aborted: nothing more is sent, reads in flight are cut, writes in flight are finished. */
  readonly signal?: AbortSignal | undefined;
  /** Asked right before each attempt at a write; a sentence is why it is not sent, and nothing else is. */
  readonly mayWrite?: (() => string | undefined) | undefined;
  readonly backoff?: Backoff | undefined;
  /** Milliseconds for which a write without an answer is looked up; left out: 10 s or `requestTimeout`, the longer. */
  readonly lookUpFor?: number | undefined;
  /**
   * Milliseconds after which a server that answers nothing at all ends the run; left out: a minute, and where it never
   * answered and cannot be connected to, as soon as one call has used up its attempts.
   */
  readonly giveUpAfter?: number | undefined;
  /** 0 to 1, for jitter. */
  readonly random?: (() => number) | undefined;
  /** Called with a sentence when requests have to wait for a second or longer because the server says so. */
  readonly onPause?: ((sentence: string) => void) | undefined;
  /** An attempt failed, and another follows after so many milliseconds. */
  readonly onRetry?: ((retry: { readonly failure: CallFailed; readonly delay: number }) => void) | undefined;
}
