import equal from "fast-deep-equal";
import type { StorageMigration } from "../manifest/migrations.ts";
import { storageAddress } from "../model/address.ts";
import { storageKey } from "../model/repository-kinds.ts";
import type { Fields } from "../model/types.ts";
import type { DraftChange, RevisionAction } from "./compare-projects.ts";

interface Migrating {
  readonly migrations: readonly StorageMigration[];
}

/** Storage moves whose declarations differ. */
export function migrationChanges(before: Migrating, after: Migrating): readonly DraftChange[] {
  const [was, is] = [movesOf(before), movesOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [first, second] = [was.get(key), is.get(key)];
    if (equal(first?.fields, second?.fields)) return [];
    const move = second ?? first;
    return move ? [draftOf(key, move, first?.fields ?? null, second?.fields ?? null)] : [];
  });
}

interface DeclaredMove {
  readonly migration: StorageMigration;
  readonly fields: Fields;
}

function movesOf({ migrations }: Migrating): ReadonlyMap<string, DeclaredMove> {
  const moves = migrations.flatMap((migration) => {
    const { from, to, repositories, destinationIsCluster, directFetchReplication } = migration;
    const fields = { to, destinationIsCluster, directFetchReplication };
    return repositories.map((kind) => [storageKey(from, kind), { migration, fields }] as const);
  });
  return new Map(moves);
}

function draftOf(key: string, { migration }: DeclaredMove, before: Fields | null, after: Fields | null): DraftChange {
  const action: RevisionAction = before === null ? "declare" : after === null ? "withdraw" : "edit";
  const origin = { place: () => migration.document.place(["name"]) };
  return { address: storageAddress(key), project: "storage", kind: "storage", key, action, before, after, origin };
}
