import { licenseTier } from "./availability.ts";
import type { EndpointName } from "./endpoints.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import type { Action, Fields, Kind, Tier } from "./types.ts";

/** Whether a change makes a policy stricter or laxer (contract 8). */
export type Tendency = "tightened" | "loosened";

/**
 * What tells one kind of resource from another: one row a kind, so that diff, plan and apply need to know none of them.
 */
export interface KindRow {
  /** How a resource that should not be there goes. */
  readonly removal: Extract<Action, "disable" | "delete">;
  /** The endpoint that carries each action out; one that depends on the resource is found by its key. */
  readonly calls: Readonly<Partial<Record<Action, EndpointName | ((key: string) => EndpointName)>>>;
  /** The segment of an endpoint's path that names the resource, filled with its ID (where it has one) or key. */
  readonly segment: string;
  /** The parameter that names a resource which a POST creates; undefined where the path does. */
  readonly nameParameter: string | undefined;
  /** Two keys with the same identity are one resource. */
  readonly identity: (key: string) => string;
  /** The visible side of a removal: what was true before, and after. */
  readonly removed: { readonly before: Fields; readonly after: Fields | null };
  /** The field whose value says how strict the resource makes its project; undefined where none does. */
  readonly strictness?: { readonly field: string; readonly by: Readonly<Record<string, Tendency>> };
  /** Where the kind as a whole starts to exist; its members may need more. */
  readonly tier: Tier;
}

export const kinds: Readonly<Record<Kind, KindRow>> = {
  integration: {
    removal: "disable",
    calls: { create: "putIntegration", update: "putIntegration", disable: "deleteIntegration" },
    segment: "slug",
    nameParameter: undefined,
    identity: (slug) => slug,
    removed: { before: { active: true }, after: { active: false } },
    tier: "free",
  },
  license: {
    removal: "delete",
    calls: { create: "createLicense", update: "updateLicense", delete: "deleteLicense" },
    segment: "managed_license_id",
    nameParameter: "name",
    identity: (name) => name.toLowerCase(),
    removed: { before: {}, after: null },
    strictness: { field: "approval_status", by: { allowed: "loosened", denied: "tightened" } },
    tier: licenseTier,
  },
  storage: {
    removal: "delete",
    calls: { update: (key) => repositoryKinds[repositoriesOf(key)].schedule },
    segment: "kind",
    nameParameter: undefined,
    identity: (key) => key,
    removed: { before: {}, after: null },
    tier: "free",
  },
};
