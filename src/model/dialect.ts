import { compareReleases } from "./releases.ts";
import type { Scalar } from "./types.ts";

/**
 * `hidden`: stored, never returned. `dropped`: accepted, not stored. `slash`: one trailing slash stripped.
 * `trimmed`: leading and trailing white space stripped. `required`: some servers refuse a write without it.
 */
export type ObservedQuirk = (typeof observedQuirks)[number];

const observedQuirks = ["hidden", "dropped", "slash", "trimmed", "required"] as const;

export function isQuirk(says: Fact["says"]): says is ObservedQuirk {
  return (observedQuirks as readonly string[]).includes(says);
}

/**
 * One platform's names of the specification's integrations and parameters, and the deviations of its releases: a file of
 * `schemas/dialects/`, whose schema describes each field. Its keys are the names of the specification.
 */
export interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly integrations: Readonly<Record<string, NamedIntegration>>;
  readonly additions?: Additions;
  readonly facts: readonly Fact[];
}

export interface NamedIntegration {
  readonly name: string;
  readonly title?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Defaults of parameters that are omitted on creation, if they deviate from the specification. */
  readonly initial?: Readonly<Record<string, string>>;
}

/** Entries of a schema of integrations that only one platform has; `added` facts state since when. */
export interface Additions {
  readonly events: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, object>>;
  readonly parameters: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly integrations: Readonly<Record<string, object>>;
}

export interface Span {
  readonly from?: string;
  readonly until?: string;
}

/** A deviation of a platform in some releases. `of`: slugs, `slug.parameter` or `*.parameter`. */
export interface Fact extends Span {
  readonly id: string;
  readonly says: "added" | "removed" | "undeclared" | "optional" | "listed" | ObservedQuirk | "server";
  readonly of?: readonly string[];
  /** The fixed value of an undeclared parameter on this platform. */
  readonly always?: Scalar;
  /** The value of a listed flag until it is set. */
  readonly initially?: boolean;
  /** The releases are inferred from observations of earlier and later ones. */
  readonly approximate?: boolean;
  readonly text: string;
  readonly source: string;
}

export function holdsIn({ from, until }: Span, release: string): boolean {
  const hasBegun = from === undefined || compareReleases(release, from) >= 0;
  return hasBegun && (until === undefined || compareReleases(release, until) < 0);
}
