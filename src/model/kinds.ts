import { memoized } from "../base/memoize.ts";
import { serverWords } from "./availability.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Integration, IntegrationParameter } from "./integration.ts";
import type { KindRow, PolicyColumn } from "./kind-row.ts";
import { compareReleases } from "./releases.ts";
import type { Kind, Platform, Resource } from "./types.ts";

/** The row of a kind. @throws RangeError for one that the catalogue does not have: a mistake in this program. */
export function kindOf({ kinds }: Catalogue, kind: Kind): KindRow {
  const row = kinds.get(kind);
  if (!row) throw new RangeError(`there is no kind ${kind}`);
  return row;
}

/** A kind that policies list, and how they do. */
export interface PolicyKind extends PolicyColumn {
  readonly kind: Kind;
}

/** The kinds that policies list. */
export const policyKinds = memoized(
  ({ kinds }: Catalogue): readonly PolicyKind[] =>
    [...kinds].flatMap(([kind, { policy }]) => (policy ? [{ kind, ...policy }] : [])),
  new WeakMap(),
);

/** How a policy lists resources of a kind; undefined where none does. */
export function policyKind(catalogue: Catalogue, kind: Kind): PolicyKind | undefined {
  return policyKinds(catalogue).find((row) => row.kind === kind);
}

/** How policies and messages call what is of a kind, in the plural. */
export function sectionNameOf(catalogue: Catalogue, kind: Kind): string {
  return kindOf(catalogue, kind).policy?.section ?? `${kind}s`;
}

/** All of them in words: `integrations and licenses`. */
export function policySections(catalogue: Catalogue): string {
  return policyKinds(catalogue)
    .map(({ section }) => section)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " and ");
}

/** Why this platform has no resources of a kind any more, in a sentence; undefined where it may. */
export function removedSection({ removedIn }: KindRow, section: string, platform: Platform): string | undefined {
  if (!removedIn || compareReleases(platform.release, removedIn.release) < 0) return undefined;
  return `${section} were removed in release ${removedIn.release}; ${serverWords(platform)}: ${removedIn.instead}`;
}

/** Whether all keys of a kind are names of the catalogue, which say by themselves what they are. */
export function isListedByCatalogue(kind: Kind): boolean {
  return bundledKinds[kind]?.known !== undefined;
}

/** Resources of one project with the same identity are one. */
export function identityOf(catalogue: Catalogue, { kind, key }: Named): string {
  return `${kind}/${kindOf(catalogue, kind).identity(key)}`;
}

type Named = Pick<Resource, "kind" | "key">;

/** What the catalogue says of a resource; undefined where it says nothing. */
export function integrationOf(catalogue: Catalogue, { kind, key }: Named): Integration | undefined {
  return kindOf(catalogue, kind).known && catalogue.integrations.get(key);
}

/** What the catalogue says of a field; undefined where it says nothing. */
export function columnOf(catalogue: Catalogue, named: Named, name: string): IntegrationParameter | undefined {
  return integrationOf(catalogue, named)?.parameters.get(name);
}
