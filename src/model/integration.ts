import { holdsIn, type ObservedQuirk, type Span } from "./dialect.ts";
import type { RouteColumn } from "./events.ts";
import { compareReleases } from "./releases.ts";
import type { Environment, Scalar, Tier } from "./types.ts";

/** A name of another dialect. */
export interface ForeignName {
  readonly dialect: string;
  /** What it is called here. */
  readonly name: string;
}

export interface Integration {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tier: Tier;
  /** Release that brought it, and the one that took it away. */
  readonly introduced: string | undefined;
  readonly removed: string | undefined;
  /** The only environment that has it. */
  readonly environment: Environment | undefined;
  /** List fields that the single GET lacks. */
  readonly omitted: readonly string[];
  /**
   * Deployed servers keep its settings apart from its record: a change of them alone does not move `updated_at`, and
   * those never set are answered as null.
   */
  readonly apart: boolean;
  /** Deployed servers take a write of it, and answer that it is off. */
  readonly staysOff: boolean;
  /** Deployed servers let a project have one of these at a time. */
  readonly alone: boolean;
  readonly parameters: ReadonlyMap<string, IntegrationParameter>;
  /** Parameters of the specification that this platform does not have in any release, each with the reason. */
  readonly undeclared: ReadonlyMap<string, string>;
  /** What some of these are there all the same. */
  readonly always: ReadonlyMap<string, Scalar>;
  /** The names that parameters have in other dialects, and not here. */
  readonly foreignNames: ReadonlyMap<string, ForeignName>;
}

export type ParameterType = "string" | "boolean" | "integer";

export interface IntegrationParameter {
  readonly name: string;
  /** One type, or two where the specification lists one and describes another: the described one first. */
  readonly types: readonly ParameterType[];
  readonly required: boolean;
  /** The first release in which a required one may be left out. */
  readonly optionalFrom: string | undefined;
  readonly enum: readonly string[] | undefined;
  readonly pattern: string | undefined;
  readonly default: Scalar | undefined;
  /** Release that brought it, where that is later than its integration. */
  readonly introduced: string | undefined;
  /** Release that took it away. */
  readonly removed: string | undefined;
  /** What to do instead, where the parameter is deprecated. */
  readonly deprecated: string | undefined;
  readonly secret: boolean;
  /** A secret that the specification shows in its single GET nevertheless. */
  readonly returned: boolean;
  readonly description: string;
  /** `top`: beside `id` and `active` in a response; `properties`: inside its `properties`. */
  readonly level: "top" | "properties";
  /** How its value is a list in one string; the order of such a list means nothing. */
  readonly list: "comma" | "whitespace" | undefined;
  /** Whether its value is a list whose order means nothing. */
  readonly set: boolean;
  /** An address; some servers strip a trailing slash from it. */
  readonly url: boolean;
  /** Whether it decides where something is sent to: an address, a host or recipients. */
  readonly destination: boolean;
  /** What it decides about who is notified of an event, where it decides anything. */
  readonly route: RouteColumn | undefined;
  /** What deployed servers do with it, where that differs from the specification (`serve --behaviour observed`). */
  readonly observed: ReadonlySet<ObservedQuirk>;
  /** The releases in which they do that: in place of `observed`, where the quirk is among them. */
  readonly quirks: readonly QuirkSpan[];
  /** What deployed servers make it where it is left out when they create its integration. */
  readonly initial: Scalar | undefined;
  /** The parameter whose value they answer where this one is blank. */
  readonly fallback: string | undefined;
  readonly valid: ValueRule;
}

/** Which values the models of deployed servers take, beyond what the API itself checks. */
interface ValueRule {
  /** What one that is not blank looks like. */
  readonly pattern: string | undefined;
  /** The parameter that has to be set where this one is blank. */
  readonly instead: string | undefined;
  /** The parameter that is set where this one is, and blank where this one is. */
  readonly with: string | undefined;
}

/** A quirk and the releases that have it. */
export interface QuirkSpan extends Span {
  readonly says: ObservedQuirk;
}

/** What servers of a release do with a parameter, where that differs from the specification. */
export function quirksAt({ observed, quirks }: IntegrationParameter, release: string): ReadonlySet<ObservedQuirk> {
  const stated = new Set(quirks.map(({ says }) => says));
  const always = [...observed].filter((quirk) => !stated.has(quirk));
  return new Set([...always, ...quirks.filter((span) => holdsIn(span, release)).map(({ says }) => says)]);
}

/** Whether servers of a release refuse a write without it; where the release is not known, whether some do. */
export function isRequired({ required, optionalFrom }: IntegrationParameter, release?: string): boolean {
  if (!required || optionalFrom === undefined || release === undefined) return required;
  return compareReleases(release, optionalFrom) < 0;
}

/** Whether "configured but off" is a state of its own: it is where `active` is a parameter (docs/comparing.md). */
export function hasActiveParameter({ parameters }: Integration): boolean {
  return parameters.has("active");
}

/** What leaving it out of a policy says nevertheless: `active` is its default where it is a parameter (docs/comparing.md). */
export function impliedFields(integration: Integration | undefined): Readonly<Record<string, Scalar>> {
  const active = integration?.parameters.get("active");
  return active ? { active: active.default ?? null } : {};
}
