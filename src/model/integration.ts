import { holdsIn, type ObservedQuirk, type Span } from "./dialect.ts";
import type { RouteColumn } from "./events.ts";
import { compareReleases } from "./releases.ts";
import type { FieldSchema, ResourceKind } from "./resource-kind.ts";
import type { Environment, Scalar, Tier } from "./types.ts";

export interface ForeignName {
  readonly dialect: string;
  readonly name: string;
}

export interface Integration {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tier: Tier;
  readonly introduced: string | undefined;
  readonly removed: string | undefined;
  readonly environment: Environment | undefined;
  /** Fields in the list that the single GET does not return. */
  readonly omitted: readonly string[];
  /**
   * Deployed servers store its settings separately: changing only them does not update `updated_at`, and settings that
   * were never set are returned as null.
   */
  readonly apart: boolean;
  /** Deployed servers accept a write, and return the integration as disabled. */
  readonly staysOff: boolean;
  readonly parameters: ReadonlyMap<string, IntegrationParameter>;
  readonly fields: ResourceKind["fields"];
  readonly undeclared: ReadonlyMap<string, string>;
  readonly always: ReadonlyMap<string, Scalar>;
  /** Names of parameters in other dialects only. */
  readonly foreignNames: ReadonlyMap<string, ForeignName>;
}

export type ParameterType = "string" | "boolean" | "integer" | "number" | "array" | "object";

/** A field of an integration, with its words by names that code reads well. */
export interface IntegrationParameter extends FieldSchema {
  readonly secret: boolean;
  readonly level: "top" | "properties";
  readonly name: string;
  /** One type, or two if the specification lists one and describes another: the described one first. */
  readonly types: readonly ParameterType[];
  readonly isRequired: boolean;
  /** The first release in which a required parameter is optional. */
  readonly optionalFrom: string | undefined;
  readonly enum?: readonly string[];
  readonly default?: Scalar;
  readonly introduced: string | undefined;
  readonly removed: string | undefined;
  /** A secret that the single GET returns according to the specification. */
  readonly returned: boolean;
  readonly description: string;
  /** The separator if its value is a list in a string, whose order does not matter. */
  readonly list: "comma" | "whitespace" | undefined;
  /** Its effect on the routing of notifications, if any. */
  readonly route: RouteColumn | undefined;
  /** Behaviour of deployed servers that differs from the specification (`serve --behaviour observed`). */
  readonly observed: ReadonlySet<ObservedQuirk>;
  /** Quirks that only some releases have; they replace the same quirk in `observed`. */
  readonly quirks: readonly QuirkSpan[];
  /** Default of deployed servers if it is omitted when the integration is created. */
  readonly initial: Scalar | undefined;
}

export interface QuirkSpan extends Span {
  readonly says: ObservedQuirk;
}

/** Behaviour of servers of a release that differs from the specification for a parameter. */
export function quirksAt({ observed, quirks }: IntegrationParameter, release: string): ReadonlySet<ObservedQuirk> {
  const stated = new Set(quirks.map(({ says }) => says));
  const always = [...observed].filter((quirk) => !stated.has(quirk));
  return new Set([...always, ...quirks.filter((span) => holdsIn(span, release)).map(({ says }) => says)]);
}

/** True if servers of a release reject a write without it; for an unknown release, if any do. */
export function isRequiredAt({ isRequired, optionalFrom }: IntegrationParameter, release?: string): boolean {
  if (!isRequired || optionalFrom === undefined || release === undefined) return isRequired;
  return compareReleases(release, optionalFrom) < 0;
}

/** True if a field is a destination of data: a URL, a host or recipients. */
export function isDestination(field: FieldSchema): boolean {
  return Boolean(field["x-url"] || field["x-host"]) || field["x-route"]?.role === "recipients";
}

/** True if an integration can be configured but disabled, which it can if `active` is a parameter (docs/comparing.md). */
export function hasActiveParameter({ parameters }: Integration): boolean {
  return parameters.has("active");
}

/** Fields that a policy declares implicitly: `active` has its default if it is a parameter (docs/comparing.md). */
export function impliedFields(integration: Integration | undefined): Readonly<Record<string, Scalar>> {
  const active = integration?.parameters.get("active");
  return active ? { active: active.default ?? null } : {};
}
