import type { Endpoint } from "./endpoints.ts";
import type { IntegrationParameter } from "./integration.ts";
import type { Action, Fields, PolicyEffect, Scalar, Tier } from "./types.ts";

/**
 * What tells one kind of resource from another: one row a kind, so that manifests, reading, diff, plan, apply, import and
 * reports need to know none of them.
 */
export interface KindRow {
  /** How policies list its resources; undefined where none does. */
  readonly policy?: PolicyColumn;
  /** How a project's resources are read; undefined where projects have none. */
  readonly read?: ReadColumn;
  /** Whether all resources that there can be are the catalogue's integrations; left out where any text is a key. */
  readonly known?: true;
  /** The one spelling of all values of a field that mean the same; `column` is what the catalogue says of the field. */
  readonly normalise: (value: Scalar, column?: IntegrationParameter) => Scalar;
  /** Whether events reach its resources, as the catalogue says. */
  readonly listens?: true;
  /** How a resource that should not be there goes. */
  readonly removal: Extract<Action, "disable" | "delete">;
  /** The endpoint that carries each action out; one that depends on the resource is found by its key. */
  readonly calls: Readonly<Partial<Record<Action, Endpoint | ((key: string) => Endpoint)>>>;
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
  readonly list: Endpoint;
  /** The field of a row that is the key; a POST that creates a resource states it too. */
  readonly key: string;
  /** Whether calls name a resource by the number that its row has as `id`: `:row.id` in their paths. */
  readonly numbered: boolean;
  /** Shows one resource, where the list does not show all of it. */
  readonly single?: Endpoint;
  /** What a refusal calls the list; undefined where it speaks of single resources by their keys. */
  readonly title?: string;
}
