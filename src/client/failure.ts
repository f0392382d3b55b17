import { segmentsIn } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { NeededRole } from "../model/command-access.ts";
import type { KindRow } from "../model/kind-row.ts";
import type { Call, Tier } from "../model/types.ts";

/**
 * The reason of a failure. `dialect`: a list in the names of another dialect. `status`: rejected by the API. `network`:
 * no response. `timeout`: no response in time. `cut`: a truncated response. `html`: not from the API, such as a web
 * page. `shape`: a success without required content. `redirect`: to another URL. `aborted`: the run was stopped.
 * `unauthorized`: the token was rejected.
 */
export type FailureKind =
  | "status"
  | "network"
  | "timeout"
  | "html"
  | "shape"
  | "dialect"
  | "cut"
  | "redirect"
  | "aborted"
  | "unauthorized";

/** Input of a failure; plain data, from which another process can construct the same one. */
export type FailureFacts = Pick<CallFailed, "method" | "path" | "url" | "kind" | "attempts"> &
  Partial<Pick<CallFailed, "status" | "serverMessage" | "movedTo" | keyof typeof defaults>> & {
    /** Completes "GET https://… ". */
    readonly what: string;
    /** The pause that the server asked for and that the run did not outlast. */
    readonly pause?: string | undefined;
    readonly setting?: string | undefined;
    readonly tokenName?: string | undefined;
    readonly dialect?: string | undefined;
    readonly called?: CalledKind | undefined;
  };

/** The request of a failure, and what its message needs to know of the connection. */
export type Attempt = Pick<
  FailureFacts,
  "method" | "path" | "url" | "attempts" | "setting" | "tokenName" | "dialect" | "called"
>;

const defaults = { uncertain: false, isTransient: false, sent: true, endsRun: false, unknownRoute: false };

/** Its message is one sentence with method, URL, status and the server's words, without the token or a secret. */
export class CallFailed extends Error {
  readonly method!: Call["method"];
  /** Relative to /api/v4, as in the call, even if it was sent to an alias of the route. */
  readonly path!: string;
  readonly url!: string;
  readonly kind!: FailureKind;
  /** Set only if the API itself responded: a web page's 404 does not mean that anything is absent. */
  readonly status: number | undefined;
  readonly serverMessage: string | undefined;
  /** For a write: true if the server may have carried it out. */
  readonly uncertain!: boolean;
  /** True if a retry may succeed. */
  readonly isTransient!: boolean;
  /** False if nothing left this machine. */
  readonly sent!: boolean;
  /** True if every further call would fail too: a rejected token, a stopped run, an unreachable server. */
  readonly endsRun!: boolean;
  /** The server does not route the path (docs/architecture.md): the resource may exist under an alias. */
  readonly unknownRoute!: boolean;
  readonly movedTo: string | undefined;
  /** Number of attempts, sent or not; 0 if there was none. */
  readonly attempts!: number;
  readonly facts: FailureFacts;
  /** The server's unredacted words, never shown. */
  readonly #said: string;

  /** `original`: the server's words before redaction, which may remove part of a phrase. Used only for decisions. */
  constructor(facts: FailureFacts, original = facts.serverMessage ?? "") {
    const tries = facts.attempts > 1 ? ` (tried ${facts.attempts} times)` : "";
    super(`${facts.method} ${withoutPaging(facts.url)} ${facts.what}${tries}`);
    this.name = "CallFailed";
    this.facts = facts;
    this.#said = original;
    Object.assign(this, defaults, facts);
  }

  /** True if the resource itself is absent, not its project, group or route. */
  get saysGone(): boolean {
    const owner = this.path.startsWith("/groups/") ? "group" : "project";
    return this.status === 404 && !this.unknownRoute && !this.says(`${owner} not found`);
  }

  says(phrase: string): boolean {
    return this.#said.toLowerCase().includes(phrase.toLowerCase());
  }

  /** The same failure for all further calls; `why` extends its sentence. */
  endingRun(why?: string): CallFailed {
    const what = why === undefined ? this.facts.what : `${this.facts.what}; ${why}`;
    return new CallFailed({ ...this.facts, what, endsRun: true, isTransient: false }, this.#said);
  }

  get isUnanswered(): boolean {
    return this.kind === "network" || this.kind === "timeout";
  }
}

/** The failure of a call whose successful response cannot be used. */
export function unusableAnswer({ method, path }: Pick<Call, "method" | "path">, what: string): CallFailed {
  return new CallFailed({ method, path, url: path, kind: "shape", what, status: 200, attempts: 1 });
}

/** A URL without its paging parameters, which are long and explain no failure. */
function withoutPaging(url: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const kept = query
    .split("&")
    .filter((pair) => !/^(?:per_page|order_by|sort|pagination|min_access_level)=/.test(pair));
  return kept.join("") === "" ? path : `${path}?${kept.join("&")}`;
}

export function isUnknownRoute(result: unknown): result is CallFailed {
  return result instanceof CallFailed && result.unknownRoute;
}

export function isUnknownValue(result: unknown, names: readonly string[]): boolean {
  if (!(result instanceof CallFailed) || result.status !== 400) return false;
  return names.some((name) => result.says(`${name} does not have a valid value`));
}

/** True if the server handled the request, so the route exists. */
export function isDecisive({ attempts, kind, status = 500 }: CallFailed): boolean {
  if (attempts === 0) return false;
  if (kind === "shape") return true;
  if (kind !== "status") return false;
  return status < 500 && status !== 408 && status !== 429;
}

export interface CalledKind {
  readonly section: string;
  /** The section's name in messages; undefined for a singleton. */
  readonly list?: string | undefined;
  readonly role?: NeededRole | undefined;
  /** 401 if that may be for lack of the role or the license. */
  readonly denial?: 401 | undefined;
  readonly tier?: Tier | undefined;
  readonly release?: string | undefined;
  readonly permission?: string | undefined;
}

/** The kind that has a call with this method and path, if any. */
export function findCalledKind(
  { kinds }: Catalogue,
  { method, path }: Pick<Call, "method" | "path">,
): CalledKind | undefined {
  for (const row of kinds.values()) {
    const endpoint = listEndpoints(row).find((each) => each.method === method && segmentsIn(each, path));
    if (!endpoint) continue;
    const { denial, tier, release, permission } = row.file.needs ?? {};
    return { section: row.file.name, list: row.read?.title, role: endpoint.needs, denial, tier, release, permission };
  }
  return undefined;
}

function listEndpoints({ read, calls }: KindRow) {
  const own = [read?.list, read?.single, ...Object.values(calls)].filter((each) => typeof each === "object");
  return own.flatMap((each) => (each.before ? [each, each.before] : [each]));
}
