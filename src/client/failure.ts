import { segmentsIn } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { NeededRole } from "../model/command-access.ts";
import type { KindRow } from "../model/kind-row.ts";
import type { Call, Tier } from "../model/types.ts";

/**
 * Why a call failed. `dialect`: a list in the names of another dialect. `status`: the API said no. `network`: no answer came. `timeout`: none came in time. `cut`: an
 * answer broke off. `html`: an answer that is not the API's, such as a web page. `shape`: a success that does not hold
 * what it must. `redirect`: the server points elsewhere. `aborted`: the run was stopped. `unauthorized`: the token was
 * refused.
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

/** What {@link CallFailed} is made of. */
export interface FailureFacts {
  readonly method: Call["method"];
  /** Relative to /api/v4, as in the call, whatever name the server knows the route by. */
  readonly path: string;
  /** As it was sent, query included. */
  readonly url: string;
  readonly kind: FailureKind;
  /** Completes "GET https://… ". */
  readonly what: string;
  readonly status?: number | undefined;
  readonly serverMessage?: string | undefined;
  readonly uncertain?: boolean;
  readonly passing?: boolean;
  readonly sent?: boolean;
  readonly endsRun?: boolean;
  readonly unknownRoute?: boolean;
  readonly movedTo?: string;
  readonly attempts: number;
  /** The setting that the URL stands in, and the variable that the token comes from; left out where unknown. */
  readonly setting?: string | undefined;
  readonly tokenName?: string | undefined;
  /** The dialect of its path; left out: the specification's own. */
  readonly dialect?: string | undefined;
  /** The kind of resource that a refused call is of. */
  readonly called?: CalledKind | undefined;
}

/**
 * A call that did not succeed (docs/architecture.md). The message is one sentence that names method, URL, status and the
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
  /** For a write: whether the server may have acted all the same. */
  readonly uncertain: boolean;
  /** Whether the same request may fare better the next time. */
  readonly passing: boolean;
  /** Whether the last attempt went out at all. */
  readonly sent: boolean;
  /** Whether every further call would fail likewise: a rejected token, a stopped run, an unreachable server. */
  readonly endsRun: boolean;
  /** The server does not route the path at all (docs/architecture.md): what it names may well exist under another one. */
  readonly unknownRoute: boolean;
  /** The ID of the project that the path named before, where the server says so. */
  readonly movedTo: string | undefined;
  /** Requests sent, or tried to send; 0 where there was none. */
  readonly attempts: number;

  /** What another process needs to have the same failure. */
  readonly facts: FailureFacts;

  /** The server's words as they came, which nobody is shown. */
  readonly #said: string;

  /** `said` are the server's words before secrets were taken out, for decisions alone: a secret may contain a word of them. */
  constructor(facts: FailureFacts, said = facts.serverMessage ?? "") {
    const tries = facts.attempts > 1 ? ` (tried ${facts.attempts} times)` : "";
    super(`${facts.method} ${withoutPaging(facts.url)} ${facts.what}${tries}`);
    this.name = "CallFailed";
    this.facts = facts;
    this.#said = said;
    this.method = facts.method;
    this.path = facts.path;
    this.url = facts.url;
    this.kind = facts.kind;
    this.status = facts.status;
    this.serverMessage = facts.serverMessage;
    this.uncertain = facts.uncertain ?? false;
    this.passing = facts.passing ?? false;
    this.sent = facts.sent ?? true;
    this.endsRun = facts.endsRun ?? false;
    this.unknownRoute = facts.unknownRoute ?? false;
    this.movedTo = facts.movedTo;
    this.attempts = facts.attempts;
  }

  /** Whether the server says that the very thing which the path names is not there: not its project, and not its route. */
  get saysGone(): boolean {
    return this.status === 404 && !this.unknownRoute && !this.says("project not found");
  }

  /** Whether a phrase is among the server's words, in any case. */
  says(phrase: string): boolean {
    return this.#said.toLowerCase().includes(phrase.toLowerCase());
  }

  /** The same failure, known to be everybody's; `why` is added to its sentence. */
  endingRun(why?: string): CallFailed {
    const what = why === undefined ? this.facts.what : `${this.facts.what}; ${why}`;
    return new CallFailed({ ...this.facts, what, endsRun: true, passing: false }, this.#said);
  }

  /** Whether no answer came at all. */
  get isUnanswered(): boolean {
    return this.kind === "network" || this.kind === "timeout";
  }
}

/** A URL without how its rows are ordered and parted, which is long and explains no failure. */
function withoutPaging(url: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const kept = query
    .split("&")
    .filter((pair) => !/^(?:per_page|order_by|sort|pagination|min_access_level)=/.test(pair));
  return kept.join("") === "" ? path : `${path}?${kept.join("&")}`;
}

/** Whether a call failed since the server does not route its path. */
export function isUnknownRoute(result: unknown): result is CallFailed {
  return result instanceof CallFailed && result.unknownRoute;
}

/** Whether a server refused a call since it does not know the value of one of these parameters. */
export function isUnknownValue(result: unknown, names: readonly string[]): boolean {
  if (!(result instanceof CallFailed) || result.status !== 400) return false;
  return names.some((name) => result.says(`${name} does not have a valid value`));
}

/** Whether a failure comes from behind the route, so that the route must be known. */
export function isDecisive({ attempts, kind, status = 500 }: CallFailed): boolean {
  if (attempts === 0) return false;
  if (kind === "shape") return true;
  if (kind !== "status") return false;
  return status < 500 && status !== 408 && status !== 429;
}

/** A kind of resource that a call is of, and what it needs of the token and the server. */
export interface CalledKind {
  readonly section: string;
  /** The name of its list in messages; left out for a singleton. */
  readonly list?: string | undefined;
  readonly role?: NeededRole | undefined;
  readonly tier?: Tier | undefined;
  readonly release?: string | undefined;
}

/** The kind that is a file and has a call of this method and path; undefined if there is none. */
export function calledKind(
  { kinds }: Catalogue,
  { method, path }: Pick<Call, "method" | "path">,
): CalledKind | undefined {
  for (const row of kinds.values()) {
    const endpoint = endpointsOf(row).find((each) => each.method === method && segmentsIn(each, path));
    if (!endpoint) continue;
    const { tier, release } = row.file.needs ?? {};
    return { section: row.file.name, list: row.read?.title, role: endpoint.needs, tier, release };
  }
  return undefined;
}

function endpointsOf({ read, calls }: KindRow) {
  return [read?.list, read?.single, ...Object.values(calls)].filter((each) => typeof each === "object");
}
