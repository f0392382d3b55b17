import { licenseTier } from "./availability.ts";
import type { KindRow } from "./kind-row.ts";
import { legacyStatuses, olderStatuses } from "./license-status.ts";
import { normaliseParameter } from "./parameter-value.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import type { Kind } from "./types.ts";

/** The kinds of every catalogue, in the order in which manifests and reports list them. */
export const bundledKinds: Readonly<Record<Kind, KindRow>> = {
  integration: {
    policy: { section: "integrations", off: "disabled" },
    read: { list: "listIntegrations", key: "slug", numbered: false, single: "getIntegration" },
    known: true,
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
