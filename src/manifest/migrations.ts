import { byName } from "../base/text-format.ts";
import { type RepositoryKind, storageKey } from "../model/repository-kinds.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { readKind } from "./document-head.ts";
import { problemAt } from "./problem.ts";
import { listed } from "./shape.ts";
import type { Loaded } from "./workspace.ts";

/** A declared move of all repositories of some kinds from one storage to another (docs/api.md). */
export interface StorageMigration {
  readonly name: string;
  readonly document: Document;
  readonly from: string;
  readonly to: string;
  readonly repositories: readonly RepositoryKind[];
  readonly destinationIsCluster: boolean;
  readonly directFetchReplication: boolean;
}

export function readMigrations({ documents }: Pick<Loaded, "documents">) {
  const { items, problems } = readKind(documents, "StorageMigration", "a storage migration", readMigration);
  const migrations = items.toSorted(byName);
  return { migrations, problems: [...problems, ...overlaps(migrations)] };
}

function readMigration(text: Partial<StorageMigration>, document: Document) {
  const { name = "", from, to, repositories, destinationIsCluster = false, directFetchReplication = false } = text;
  if (name === "" || from === undefined || to === undefined || repositories === undefined) return { problems: [] };
  const kinds = [...new Set(listed(repositories).map(([kind]) => kind))];
  const flags = { destinationIsCluster, directFetchReplication };
  return { problems: [], item: { name, document, from, to, repositories: kinds, ...flags } };
}

function overlaps(migrations: readonly StorageMigration[]): readonly Problem[] {
  const first = new Map<string, StorageMigration>();
  return migrations.flatMap((migration) => {
    const { from, repositories, document } = migration;
    return repositories.flatMap((kind) => {
      const other = first.get(storageKey(from, kind));
      first.set(storageKey(from, kind), other ?? migration);
      if (!other) return [];
      const { file, line } = other.document.place(["repositories"]);
      const message = `${kind} on ${from} are also moved by ${other.name}, at ${file}:${line}`;
      return [problemAt("duplicate-move", message, { document, path: ["repositories"] })];
    });
  });
}
