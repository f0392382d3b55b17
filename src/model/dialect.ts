import { compareReleases } from "./releases.ts";

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
  readonly says: "added" | "removed" | "hidden" | "dropped" | "slash" | "trimmed" | "required" | "server";
  readonly of?: readonly string[];
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
