import type { JsonObject } from "../base/json.ts";
import type { Owner } from "./owner.ts";

/** Fields of the rows in lists of projects, and of groups, that `where` of a policy can read. */
export const rowFields: Readonly<Record<Owner, readonly string[]>> = {
  project: [
    "id",
    "name",
    "path",
    "path_with_namespace",
    "topics",
    "visibility",
    "archived",
    "created_at",
    "last_activity_at",
    "default_branch",
    "namespace",
  ],
  group: ["id", "name", "path", "full_path", "parent_id", "visibility", "archived", "created_at"],
  instance: [],
};

const deletionDates = ["marked_for_deletion_on", "marked_for_deletion_at"] as const;

export function pickFields(row: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : [])));
}

export function keptRowFields(owner: Owner): readonly string[] {
  return [...rowFields[owner], ...deletionDates];
}

/** True if a project is archived or scheduled for deletion: newer servers do not set `archived` for the latter. */
export function isArchived(row: JsonObject): boolean {
  return row.archived === true || deletionDates.some((name) => typeof row[name] === "string");
}
