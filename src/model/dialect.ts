import { compareReleases } from "./releases.ts";
import type { Scalar } from "./types.ts";

/**
 * `hidden`: stored, never returned. `dropped`: accepted, not stored. `slash`: one trailing slash stripped.
 * `trimmed`: leading and trailing white space stripped. `required`: some servers refuse a write without it.
 */
export type ObservedQuirk = (typeof observedQuirks)[number];

const observedQuirks = ["hidden", "dropped", "slash", "trimmed", "required"] as const;

/** Whether a fact says what servers do with a parameter that they have. */
export function isQuirk(says: Fact["says"]): says is ObservedQuirk {
  return (observedQuirks as readonly string[]).includes(says);
}

/**
 * What one platform calls the integrations and parameters of the specification, and what its releases do otherwise: a
 * file of `schemas/dialects/`, whose schema says what each field means. It names everything as the specification does.
 */
export interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly integrations: Readonly<Record<string, NamedIntegration>>;
  readonly facts: readonly Fact[];
}

/** An integration's slug and title there, and its parameters that are called otherwise. */
export interface NamedIntegration {
  readonly name: string;
  readonly title?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** What it makes of parameters that are left out when the integration is created, where that is something else. */
  readonly initial?: Readonly<Record<string, string>>;
}

/** Releases for which something is true: from the first on, and before the last. */
export interface Span {
  readonly from?: string;
  readonly until?: string;
}

/** Something that a platform does in some releases. `of`: slugs, `slug.parameter` or `*.parameter`. */
export interface Fact extends Span {
  readonly id: string;
  readonly says: "added" | "removed" | "undeclared" | "optional" | "listed" | ObservedQuirk | "server";
  readonly of?: readonly string[];
  /** The fixed value of an undeclared parameter on this platform. */
  readonly always?: Scalar;
  /** What a flag that lists show is until it is set. */
  readonly initially?: boolean;
  /** The releases are inferred from what was read before and after them. */
  readonly approximate?: boolean;
  readonly text: string;
  readonly source: string;
}

/** Whether something is true in a release. */
export function holdsIn({ from, until }: Span, release: string): boolean {
  const hasBegun = from === undefined || compareReleases(release, from) >= 0;
  return hasBegun && (until === undefined || compareReleases(release, until) < 0);
}
