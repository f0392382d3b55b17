import { endpoints } from "./endpoints.ts";
import type { KindRow } from "./kind-row.ts";
import files from "./kinds.json" with { type: "json" };
import { kindOfWord, type Owner } from "./owner.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import { ownersOf, type ResourceKind } from "./resource-kind.ts";
import { kindRowOf } from "./resource-kind-row.ts";
import type { Kind } from "./types.ts";

/** The kinds of projects, or of groups, that are files; first those that are imported without being asked for. */
function filesOf(owner: Owner): Readonly<Record<Kind, KindRow>> {
  const own = (files as unknown as readonly ResourceKind[])
    .filter((file) => ownersOf(file).includes(owner))
    .toSorted((a, b) => Number(b.imported ?? false) - Number(a.imported ?? false));
  return Object.fromEntries(own.map((file) => [kindOfWord(owner, file.singular), kindRowOf(file, owner)]));
}

const integration: KindRow = {
  policy: { section: "integrations", off: "disabled" },
  imported: true,
  read: { list: endpoints.listIntegrations, key: "slug", numbered: false, single: endpoints.getIntegration },
  known: true,
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
};

/** Projects inherit these integrations, unless they have settings of their own. */
const groupIntegration: KindRow = {
  ...integration,
  read: { list: endpoints.listGroupIntegrations, key: "slug", numbered: false, single: endpoints.getGroupIntegration },
  calls: {
    create: endpoints.putGroupIntegration,
    update: endpoints.putGroupIntegration,
    disable: endpoints.deleteGroupIntegration,
  },
  fact: "group-integrations",
};

/** The kinds of every catalogue, in the order in which manifests and reports list them. */
export const bundledKinds: Readonly<Record<Kind, KindRow>> = {
  integration,
  ...filesOf("project"),
  "group:integration": groupIntegration,
  ...filesOf("group"),
  storage: {
    removal: "delete",
    calls: { update: (key) => endpoints[repositoryKinds[repositoriesOf(key)].schedule] },
    identity: (key) => key,
    removed: { before: {}, after: null },
    tier: "free",
  },
};
