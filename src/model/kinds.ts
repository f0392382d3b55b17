import { memoized } from "../base/memoize.ts";
import { licenseTier, serverWords } from "./availability.ts";
import type { Catalogue, Integration, IntegrationParameter } from "./catalogue.ts";
import type { EndpointName } from "./endpoints.ts";
import { legacyStatuses, olderStatuses } from "./license-status.ts";
import { normaliseParameter } from "./parameter-value.ts";
import { compareReleases } from "./releases.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import type { Action, Fields, Kind, Platform, PolicyEffect, Resource, Scalar, Tier } from "./types.ts";

/**
 * What tells one kind of resource from another: one row a kind, so that manifests, reading, diff, plan, apply, import and
 * reports need to know none of them.
 */
export interface KindRow {
  /** How policies list its resources; undefined where none does. */
  readonly policy?: PolicyColumn;
  /** How a project's resources are read; undefined where projects have none. */
  readonly read?: ReadColumn;
  /** Picks all resources that there can be, with their parameters; undefined where any text is a key. */
  readonly known?: (catalogue: Catalogue) => ReadonlyMap<string, Integration>;
  /** The one spelling of all values of a field that mean the same; `column` is what the catalogue says of the field. */
  readonly normalise: (value: Scalar, column?: IntegrationParameter) => Scalar;
  /** Whether events reach its resources, as the catalogue says. */
  readonly listens?: true;
  /** How a resource that should not be there goes. */
  readonly removal: Extract<Action, "disable" | "delete">;
  /** The endpoint that carries each action out; one that depends on the resource is found by its key. */
  readonly calls: Readonly<Partial<Record<Action, EndpointName | ((key: string) => EndpointName)>>>;
  /** The segment of an endpoint's path that names the resource, filled with its ID (where it has one) or key. */
  readonly segment: string;
  /** Two keys with the same identity are one resource. */
  readonly identity: (key: string) => string;
  /** The visible side of a removal: what was true before, and after. */
  readonly removed: { readonly before: Fields; readonly after: Fields | null };
  /** The field whose value says how strict the resource makes its project; undefined where none does. */
  readonly policyEffect?: { readonly field: string; readonly by: Readonly<Record<string, PolicyEffect>> };
  /** Words of values, and what servers of older releases take in their stead. */
  readonly olderWords?: ReadonlyMap<string, string>;
  /** Where the kind as a whole starts to exist; its members may need more. */
  readonly tier: Tier;
  /** The release that took the kind as a whole away, and what to do instead, in a sentence. */
  readonly removedIn?: { readonly release: string; readonly instead: string };
}

export interface PolicyColumn {
  /** The section of a policy, and what reports call several of them. */
  readonly section: string;
  /** The field whose value a policy gives in place of a mapping; undefined where it gives the catalogue's parameters. */
  readonly only?: string;
  /** The list in a policy of those that must be off; undefined where none is. */
  readonly off?: string;
}

interface ReadColumn {
  readonly list: EndpointName;
  /** The field of a row that is the key; a POST that creates a resource states it too. */
  readonly key: string;
  /** Whether calls name a resource by the number that its row has as `id`. */
  readonly numbered: boolean;
  /** Shows one resource, where the list does not show all of it. */
  readonly single?: EndpointName;
  /** What a refusal calls the list; undefined where it speaks of single resources by their keys. */
  readonly title?: string;
}

/** The kinds of every catalogue, in the order in which manifests and reports list them. */
export const bundledKinds: Readonly<Record<Kind, KindRow>> = {
  integration: {
    policy: { section: "integrations", off: "disabled" },
    read: { list: "listIntegrations", key: "slug", numbered: false, single: "getIntegration" },
    known: ({ integrations }) => integrations,
    normalise: (value, column) => normaliseParameter(column, value),
    listens: true,
    removal: "disable",
    calls: { create: "putIntegration", update: "putIntegration", disable: "deleteIntegration" },
    segment: "slug",
    identity: (slug) => slug,
    removed: { before: { active: true }, after: { active: false } },
    tier: "free",
  },
  license: {
    policy: { section: "licenses", only: "approval_status" },
    read: { list: "listLicenses", key: "name", numbered: true, title: "the managed license list" },
    normalise: (status) => legacyStatuses.get(String(status)) ?? status,
    removal: "delete",
    calls: { create: "createLicense", update: "updateLicense", delete: "deleteLicense" },
    segment: "managed_license_id",
    identity: (name) => name.toLowerCase(),
    removed: { before: {}, after: null },
    policyEffect: { field: "approval_status", by: { allowed: "loosened", denied: "tightened" } },
    olderWords: olderStatuses,
    tier: licenseTier,
    removedIn: {
      // Still routed after it: lists are empty, and writes are refused.
      release: "16.0",
      instead: "license approval policies replace them, which evenkeel export license-policy writes",
    },
  },
  storage: {
    normalise: (value) => value,
    removal: "delete",
    calls: { update: (key) => repositoryKinds[repositoriesOf(key)].schedule },
    segment: "kind",
    identity: (key) => key,
    removed: { before: {}, after: null },
    tier: "free",
  },
};

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
  return kindOf(catalogue, kind).known?.(catalogue).get(key);
}

/** What the catalogue says of a field; undefined where it says nothing. */
export function columnOf(catalogue: Catalogue, named: Named, name: string): IntegrationParameter | undefined {
  return integrationOf(catalogue, named)?.parameters.get(name);
}
