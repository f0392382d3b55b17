import { isObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { kindOfWord } from "../model/owner.ts";
import { ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import { resourceKindFaults } from "../model/resource-kind-faults.ts";
import { kindRowOf } from "../model/resource-kind-row.ts";
import type { Document } from "./document.ts";
import { readHead } from "./document-head.ts";
import { problemAt } from "./problem.ts";
import type { Loaded } from "./workspace.ts";

/** Adds the kinds that manifests describe to a workspace's catalogue, and their problems. */
export function withOwnKinds<Some extends Pick<Loaded, "workspace" | "documents" | "problems">>(loaded: Some): Some {
  const { workspace, documents, problems } = loaded;
  const read = readKinds(documents, workspace.catalogue);
  if (read.sound.length + read.problems.length === 0) return loaded;
  // The same kinds return the same catalogue, so that its caches are shared.
  const extended = read.kinds.length > 0 ? extendedBy(workspace.catalogue)(JSON.stringify(read.kinds)) : undefined;
  const catalogue = extended ?? workspace.catalogue;
  const known = { ...workspace, catalogue, ...(read.faulty.size > 0 && { faultyKinds: read.faulty }) };
  return { ...loaded, workspace: known, problems: [...problems, ...read.problems] };
}

/** The kinds among documents with their documents (`sound`), the names of invalid ones, and their problems. */
export function readKinds(all: readonly Document[], catalogue = catalogueOf()) {
  const documents = all.filter((document) => readHead(document).kind === "ResourceKind");
  const bundled = [...catalogue.kinds.values()].flatMap(({ file }) => file ?? []);
  const kinds: ResourceKind[] = [];
  const sound: Document[] = [];
  const faulty = new Set<string>();
  const problems = documents.flatMap((document) => {
    const { value } = document;
    // A wrong apiVersion is reported when the kind of document is read.
    const faults = resourceKindFaults(value, [...bundled, ...kinds]).filter(({ path }) => path[0] !== "apiVersion");
    if (faults.length === 0) {
      kinds.push(value as ResourceKind);
      sound.push(document);
    } else if (isObject(value)) faulty.add(String(value.name));
    return faults.map(({ path, message, rule }) =>
      problemAt("resource-kind", message, { document, path, of: rule === "unknown-key" ? "key" : "value" }),
    );
  });
  return { kinds, sound, problems, faulty };
}

const extendedBy = memoized(
  (catalogue: Catalogue) =>
    memoized((text: string): Catalogue => {
      const rows = (JSON.parse(text) as readonly ResourceKind[]).flatMap((file) =>
        ownersOf(file).map((owner) => [kindOfWord(owner, file.singular), kindRowOf(file, owner)] as const),
      );
      return { ...catalogue, kinds: new Map([...catalogue.kinds, ...rows]) };
    }),
  new WeakMap(),
);
