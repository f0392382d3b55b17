import { UserError } from "../../base/exit.ts";
import { canonical, isObject, type JsonObject, objectOf } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed, unusableAnswer } from "../../client/failure.ts";
import type { Policy } from "../../manifest/policies.ts";
import { call } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { evaluateKind } from "../../model/kind-expressions.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldOf } from "../../model/kinds.ts";
import { bareName } from "../../model/owner.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { callDetails, keyFieldsOf, keyTextOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Call, Desired, Fields, Project, Resource, Scalar } from "../../model/types.ts";
import { isScalar } from "../../model/values.ts";
import { refuseOtherDialect } from "./find-dialect.ts";

export type ReadableKind = KindRow & { readonly read: NonNullable<KindRow["read"]> };

export function isReadable(kind: KindRow): kind is ReadableKind {
  return kind.read !== undefined;
}

export interface KeyedRow {
  readonly key: string;
  readonly row: JsonObject;
}

/** True if a kind reads the project or group itself, whose row lists of projects and groups have too. */
function readsOwner({ read, file }: KindRow): boolean {
  if (!/^\/(?:projects|groups)\/:id(?:\?|$)/.test(read?.list.path ?? "")) return false;
  if (callDetails(file.calls.list).rows !== undefined) return true;
  // Otherwise requests or effects may depend on fields that no policy declares.
  const isResent = Object.values(file.fields.properties).some((field) => field["x-keep"]);
  return !isResent && file.loosened === undefined && file.tightened === undefined;
}

/** Fields of a project's or group's own row that the kinds of policies read, as far as policies declare them. */
export function ownRowFields({ kinds }: Catalogue, policies: readonly Policy[]): readonly string[] {
  const names = policies.flatMap(({ entries }) =>
    entries.flatMap(({ desired }) => {
      const kind = kinds.get(desired.kind);
      if (!kind || !readsOwner(kind)) return [];
      const { rows } = callDetails(kind.file.calls.list);
      if (rows !== undefined) return [rows];
      const fields = Object.keys(desired.fields).flatMap((field) => namesInRow(kind.file, field));
      return [...membersRead(kind.file), ...fields];
    }),
  );
  return [...new Set(names)];
}

/** The names under which a row may have a field. */
function namesInRow({ fields }: ResourceKind, name: string): readonly string[] {
  const { "x-read": read, "x-send-as": sentAs = name } = fields.properties[name] ?? {};
  return read === undefined ? [name, sentAs] : membersIn(read);
}

/** The members of rows that any expression of a kind reads. */
const membersRead = memoized((file: ResourceKind) => membersIn(JSON.stringify(file)), new WeakMap());

/** The members of `row` in expressions: `row.name`, `row.?name` and `row["name"]`. */
function membersIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\brow(?:\.\??|\[\\?["'])(\w+)/g), ([, name = ""]) => name);
}

export function hasListedFields(
  catalogue: Catalogue,
  { keys, file }: KindRow,
  { kind, key, fields = {} }: Pick<Resource, "kind" | "key"> & { readonly fields?: Fields | undefined },
  row: JsonObject,
): boolean {
  return Object.keys(fields).every((name) =>
    keys
      ? fieldOf(catalogue, { kind, key }, name)?.["x-level"] === "top" && name in row
      : file.fields.properties[name]?.["x-listed"] !== false,
  );
}

/** True if a kind can be read from an owner's row in a list: the row has all declared fields, which lists may lack. */
export function hasDeclaredFields(kind: ReadableKind, row: JsonObject, declared: readonly Desired[]): boolean {
  const { file } = kind;
  const { rows } = callDetails(file.calls.list);
  if (!readsOwner(kind)) return false;
  if (rows !== undefined) return Array.isArray(row[rows]);
  return declared.every(({ fields, presence }) => {
    if (presence === "absent") return false;
    return Object.keys(fields).every(
      (name) => namesInRow(file, name).some((each) => each in row) && fieldInRow(kind, name, row) !== undefined,
    );
  });
}

/**
 * The rows of a kind that belong to the project itself; for a singleton, its only row. `ownRow`: the project's own row,
 * if this run has read it with all declared fields. @throws CallFailed if it cannot be read, or a row lacks its key.
 */
export async function readKindRows(
  reader: Reader,
  project: Project,
  kind: ReadableKind,
  isDeclared: (key: string) => boolean = () => false,
  ownRow?: JsonObject,
): Promise<readonly KeyedRow[]> {
  const { read, file } = kind;
  const { list, isSingle } = read;
  if (isSingle) return ownRow ? [{ key: "", row: ownRow }] : readSingleton(reader, project, kind);
  const listing = call(list, { id: project.name });
  const rows = await readRows(reader, kind, listing, ownRow);
  if (kind.keys) refuseOtherDialect(reader.catalogue, listing, rows);
  // A row that the server refuses to remove counts only where a policy declares it.
  const isKept = (row: JsonObject) =>
    file.kept !== undefined && evaluateKind(file.kept, { row, owner: bareName(project.name) }) === true;
  try {
    return removeDuplicates(kind, rows).filter(({ key, row }) => isDeclared(key) || !isKept(row));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw failList(listing, error.message);
  }
}

/** The rows of a list, which may be a part of another response, or a 404 if it is empty. */
async function readRows(
  reader: Reader,
  { file }: ReadableKind,
  listing: Call,
  ownRow: JsonObject | undefined,
): Promise<readonly JsonObject[]> {
  const { rows: part, none } = callDetails(file.calls.list);
  try {
    if (part === undefined) return (await reader.list(listing)) as readonly JsonObject[];
    const body = ownRow ?? (await reader.get(listing)).body;
    const rows = (body as JsonObject)[part];
    if (Array.isArray(rows) && rows.every(isObject)) return rows;
    throw failList(listing, `${part} is not a list of rows`);
  } catch (error) {
    if (none !== undefined && error instanceof CallFailed && error.saysGone) return [];
    throw error;
  }
}

/** Servers return null for a missing singleton, or 404 in some releases. */
async function readSingleton(reader: Reader, project: Project, kind: ReadableKind): Promise<readonly KeyedRow[]> {
  try {
    const { body } = await reader.get(call(kind.read.list, { id: project.name }));
    return body === null ? [] : [{ key: "", row: body as JsonObject }];
  } catch (error) {
    if (kind.file.calls.create !== undefined && error instanceof CallFailed && error.saysGone) return [];
    throw error;
  }
}

/**
 * Removes duplicates, which occur if the list changes while its pages are read. @throws UserError if one ID has two
 * keys: calls by ID would change or delete something else.
 */
function removeDuplicates(kind: ReadableKind, rows: readonly JsonObject[]): readonly KeyedRow[] {
  const byId = new Map<unknown, KeyedRow>();
  const keyFields = keyFieldsOf(kind.file).join(", ");
  for (const row of rows) {
    if (!isOwn(kind, row)) continue;
    const key = readKey(kind, row);
    const id = kind.keys ? key : (row.id ?? canonical(row));
    const other = byId.get(id)?.key;
    if (other !== undefined && other !== key) throw new UserError(`two rows have one id and differ in ${keyFields}`);
    byId.set(id, { key, row });
  }
  return [...byId.values()];
}

/** @throws UserError if it cannot be decided: a row ignored by mistake would be created again by every apply. */
function isOwn({ file }: KindRow, row: JsonObject): boolean {
  if (file.where === undefined) return true;
  const own = evaluateKind(file.where, { row });
  if (typeof own === "boolean") return own;
  throw new UserError(
    `where of ${file.name} is neither true nor false for a row of it; a field that a row may lack is read as row.?field.orValue(null)`,
  );
}

/** @throws UserError for a row without a key. */
function readKey(kind: KindRow, row: JsonObject): string {
  const { key } = kind.file;
  if (typeof key === "string") return String(readKeyValue(kind, key, row));
  const values = objectOf(keyFieldsOf(kind.file), (name) => readKeyValue(kind, name, row));
  return keyTextOf(kind.file, values);
}

/** @throws UserError if it is missing, a list or an object. */
function readKeyValue(kind: KindRow, name: string, row: JsonObject): Scalar {
  const value = fieldInRow(kind, name, row) ?? kind.file.fields.properties[name]?.default ?? "";
  if (value !== "" && isScalar(value)) return value;
  const read = kind.file.fields.properties[name]?.["x-read"];
  const source = read === undefined ? "" : ` (x-read: ${read})`;
  throw new UserError(
    `a row has no ${name}${source}, which tells one of ${kind.file.name} from another; it has ${Object.keys(row).join(", ")}`,
  );
}

/** An unusable list is a failure: otherwise its missing resources would be deleted. */
function failList(listing: Call, why: string): CallFailed {
  return unusableAnswer(listing, `answered 200 with a list that cannot be used: ${why}`);
}
