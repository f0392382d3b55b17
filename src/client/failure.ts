import type { Call } from "../model/types.ts";

/**
 * Why a call failed. `status`: the API said no. `network`: no answer came. `timeout`: none came in time. `cut`: an
 * answer broke off. `html`: an answer that is not the API's, such as a web page. `redirect`: the server points
 * elsewhere. `aborted`: the run was stopped. `unauthorized`: the token was refused.
 */
export type FailureKind = "status" | "network" | "timeout" | "html" | "cut" | "redirect" | "aborted" | "unauthorized";

/** What {@link CallFailed} is made of. */
export interface FailureFacts {
  readonly method: Call["method"];
  /** Relative to /api/v4, as in the call. */
  readonly path: string;
  /** As it was sent, query included. */
  readonly url: string;
  readonly kind: FailureKind;
  /** Completes "GET https://… ". */
  readonly what: string;
  readonly status?: number | undefined;
  readonly serverMessage?: string | undefined;
  readonly uncertain?: boolean;
  readonly endsRun?: boolean;
  readonly unknownRoute?: boolean;
  readonly attempts: number;
}

/**
 * A call that did not succeed (contract 7). The message is one sentence that names method, URL, status and the
 * server's own words; it never holds the token or a secret.
 */
export class CallFailed extends Error {
  readonly method: Call["method"];
  readonly path: string;
  readonly url: string;
  readonly kind: FailureKind;
  /** Only where the API itself answered: a web page's 404 does not mean that anything is absent. */
  readonly status: number | undefined;
  readonly serverMessage: string | undefined;
  /** For a POST: whether the server may have acted all the same. */
  readonly uncertain: boolean;
  /** Whether every further call would fail likewise: a refused token, a stopped run, a server that nobody can reach. */
  readonly endsRun: boolean;
  /** The server does not route the path at all (contract 7): what it names may well exist under another one. */
  readonly unknownRoute: boolean;
  /** Requests sent, or tried to send; 0 where there was none. */
  readonly attempts: number;

  readonly #facts: FailureFacts;

  constructor(facts: FailureFacts) {
    const tries = facts.attempts > 1 ? ` (tried ${facts.attempts} times)` : "";
    super(`${facts.method} ${facts.url} ${facts.what}${tries}`);
    this.name = "CallFailed";
    this.#facts = facts;
    this.method = facts.method;
    this.path = facts.path;
    this.url = facts.url;
    this.kind = facts.kind;
    this.status = facts.status;
    this.serverMessage = facts.serverMessage;
    this.uncertain = facts.uncertain ?? false;
    this.endsRun = facts.endsRun ?? false;
    this.unknownRoute = facts.unknownRoute ?? false;
    this.attempts = facts.attempts;
  }

  /** The same failure, known to be everybody's. */
  endingRun(): CallFailed {
    return new CallFailed({ ...this.#facts, endsRun: true });
  }
}
