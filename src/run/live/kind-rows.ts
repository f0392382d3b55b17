import { UserError } from "../../base/exit.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { keyFieldsOf, keyTextOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Call, Project, Scalar } from "../../model/types.ts";
import { isScalar } from "../../model/values.ts";

/** A kind that is a file, and how it is read. */
export type ReadKind = KindRow & { readonly read: NonNullable<KindRow["read"]> };

/** Whether a kind is a file, and read by it. */
export function isReadByFile(kind: KindRow): kind is ReadKind {
  return kind.keys === undefined && kind.read !== undefined;
}

/** A row that the owner itself has, and the key of its resource. */
export interface KeyedRow {
  readonly key: string;
  readonly row: JsonObject;
}

/**
 * The rows of a kind that a project itself has; of a singleton, the one that it is. @throws CallFailed where it cannot be
 * read, or where a row does not say which resource it is.
 */
export async function readKindRows(reader: Reader, project: Project, kind: ReadKind): Promise<readonly KeyedRow[]> {
  const { list, isSingle } = kind.read;
  if (isSingle) return readSingleton(reader, project, kind);
  const listing = call(list, { id: project.name });
  const rows = (await reader.list(listing)) as readonly JsonObject[];
  try {
    return distinct(kind, rows);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw unusable(listing, error.message);
  }
}

/** What does not exist yet is answered with null, or by servers of some releases with 404. */
async function readSingleton(reader: Reader, project: Project, kind: ReadKind): Promise<readonly KeyedRow[]> {
  try {
    const { body } = await reader.get(call(kind.read.list, { id: project.name }));
    return body === null ? [] : [{ key: "", row: body as JsonObject }];
  } catch (error) {
    if (kind.file.calls.create !== undefined && error instanceof CallFailed && error.saysGone) return [];
    throw error;
  }
}

/**
 * Each of its own rows once, also where the list changes while its pages are read. @throws UserError where one ID has two
 * keys: calls that name the ID would change or delete something else.
 */
function distinct(kind: ReadKind, rows: readonly JsonObject[]): readonly KeyedRow[] {
  const byId = new Map<unknown, KeyedRow>();
  const keyFields = keyFieldsOf(kind.file).join(", ");
  for (const row of rows) {
    if (!isOwn(kind, row)) continue;
    const key = keyOf(kind, row);
    const id = row.id ?? canonical(row);
    const other = byId.get(id)?.key;
    if (other !== undefined && other !== key) throw new UserError(`two rows have one id and differ in ${keyFields}`);
    byId.set(id, { key, row });
  }
  return [...byId.values()];
}

/** @throws UserError where it cannot be decided: a row that is ignored by mistake would be created again by every apply. */
function isOwn({ file, expressions }: KindRow, row: JsonObject): boolean {
  if (file.where === undefined) return true;
  const own = expressions?.valueOf(file.where, { row });
  if (typeof own === "boolean") return own;
  throw new UserError(
    `where of ${file.name} is neither true nor false for a row of it; a field that a row may lack is read as row.?field.orValue(null)`,
  );
}

/** @throws UserError for a row without one. */
function keyOf(kind: KindRow, row: JsonObject): string {
  const { key } = kind.file;
  if (typeof key === "string") return String(keyValue(kind, key, row));
  const values: Record<string, Scalar> = {};
  for (const name of keyFieldsOf(kind.file)) values[name] = keyValue(kind, name, row);
  return keyTextOf(kind.file, values);
}

/** @throws UserError where it is missing, or is a list or an object. */
function keyValue(kind: KindRow, name: string, row: JsonObject): Scalar {
  const value = fieldInRow(kind, name, row) ?? kind.file.fields.properties[name]?.default ?? "";
  if (value === "" || !isScalar(value)) throw new UserError(missingKey(kind.file, name, row));
  return value;
}

function missingKey({ name: kind, fields }: ResourceKind, name: string, row: JsonObject): string {
  const read = fields.properties[name]?.["x-read"];
  const source = read === undefined ? "" : ` (x-read: ${read})`;
  return `a row has no ${name}${source}, which tells one of ${kind} from another; it has ${Object.keys(row).join(", ")}`;
}

/** What makes a list unusable is its failure, and no deletion of what it lacks. */
function unusable({ method, path }: Call, why: string): CallFailed {
  const what = `answered 200 with a list that cannot be used: ${why}`;
  return new CallFailed({ method, path, url: path, kind: "shape", what, status: 200, attempts: 1 });
}
