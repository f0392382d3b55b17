import { endpoints } from "./endpoints.ts";
import type { KindRow } from "./kind-row.ts";
import files from "./kinds.json" with { type: "json" };
import { kindOfWord, owners } from "./owner.ts";
import { repositoriesOf, repositoryKinds } from "./repository-kinds.ts";
import { ownersOf, type ResourceKind } from "./resource-kind.ts";
import { kindRowOf } from "./resource-kind-row.ts";
import type { Kind } from "./types.ts";

/** The kinds that come with the program; first those that `import` reads by default. */
const bundledFiles = (files as unknown as readonly ResourceKind[]).toSorted(
  (a, b) => Number(b.imported ?? false) - Number(a.imported ?? false),
);

/** Storage moves are not a section of a policy, and the path of their call depends on the kind of repositories. */
const storage: KindRow = {
  ...kindRowOf({
    name: "storage",
    singular: "storage",
    of: [],
    key: "storage",
    whole: true,
    calls: {},
    fields: { properties: {} },
  }),
  calls: { update: (key) => endpoints[repositoryKinds[repositoriesOf(key)].schedule] },
};

/** The kinds of every catalogue, in the order in which manifests and reports list them. */
export const bundledKinds: Readonly<Record<Kind, KindRow>> = Object.fromEntries([
  ...owners.flatMap((owner) => {
    const own = bundledFiles.filter((file) => ownersOf(file).includes(owner));
    return own.map((file) => [kindOfWord(owner, file.singular), kindRowOf(file, owner)] as const);
  }),
  ["storage", storage],
]);
