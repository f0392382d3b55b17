import { licenseTier } from "./availability.ts";
import { type Endpoint, endpoints } from "./endpoints.ts";
import type { KindRow } from "./kind-row.ts";
import { legacyStatuses, olderStatuses } from "./license-status.ts";
import { normaliseParameter } from "./parameter-value.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import type { Kind } from "./types.ts";

/** A license by the number that its row has. */
function ofRow(endpoint: Endpoint): Endpoint {
  const { path, answer } = endpoint;
  const same = answer.same && { same: { id: ":row.id" } };
  return { ...endpoint, path: path.replace(":managed_license_id", ":row.id"), answer: { ...answer, ...same } };
}

/** The kinds of every catalogue, in the order in which manifests and reports list them. */
export const bundledKinds: Readonly<Record<Kind, KindRow>> = {
  integration: {
    policy: { section: "integrations", off: "disabled" },
    read: { list: endpoints.listIntegrations, key: "slug", numbered: false, single: endpoints.getIntegration },
    known: true,
    normalise: (value, column) => normaliseParameter(column, value),
    listens: true,
    removal: "disable",
    calls: {
      create: endpoints.putIntegration,
      update: endpoints.putIntegration,
      disable: endpoints.deleteIntegration,
    },
    identity: (slug) => slug,
    removed: { before: { active: true }, after: { active: false } },
    tier: "free",
  },
  license: {
    policy: { section: "licenses", only: "approval_status" },
    read: { list: endpoints.listLicenses, key: "name", numbered: true, title: "the managed license list" },
    normalise: (status) => legacyStatuses.get(String(status)) ?? status,
    removal: "delete",
    calls: {
      create: endpoints.createLicense,
      update: ofRow(endpoints.updateLicense),
      delete: ofRow(endpoints.deleteLicense),
    },
    identity: (name) => name.toLowerCase(),
    removed: { before: {}, after: null },
    policyEffect: { field: "approval_status", by: { allowed: "loosened", denied: "tightened" } },
    olderWords: olderStatuses,
    tier: licenseTier,
    removedIn: {
      // The route still exists afterwards: lists are empty, and writes are rejected.
      release: "16.0",
      instead: "license approval policies replace them, which evenkeel export license-policy writes",
    },
  },
  storage: {
    normalise: (value) => value,
    removal: "delete",
    calls: { update: (key) => endpoints[repositoryKinds[repositoriesOf(key)].schedule] },
    identity: (key) => key,
    removed: { before: {}, after: null },
    tier: "free",
  },
};
