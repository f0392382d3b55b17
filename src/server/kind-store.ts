import type { JsonObject } from "../base/json.ts";
import { type FieldSchema, listFacts } from "../model/resource-kind.ts";
import { createdRow, numbered } from "./kind-rows.ts";
import type { ServedKind, ServedKinds } from "./kinds.ts";
import { dropRow, putRow } from "./records.ts";
import { findGroup, findProject, groupsAbove, type KindRecord, nextNumber, type State } from "./state.ts";

/** The rows of a kind of one project or group, or of the instance. */
export interface RowPlace {
  readonly kind: ServedKind;
  readonly owner: number;
}

/** Stands for the instance where projects and groups have their ID. */
export const instanceId = 0;

function placeKey({ kind, owner }: RowPlace): string {
  return `${kind.of}/${kind.file.singular}/${owner}`;
}

const none: readonly KindRecord[] = [];

/** The records of a place in the order of their creation. */
export function recordsOf(state: State, place: RowPlace): readonly KindRecord[] {
  return state.rows.get(placeKey(place)) ?? none;
}

/** The rows of a kind in all other projects or groups; empty unless an expression reads them. */
export function rowsElsewhere(state: State, { kind, owner }: RowPlace): readonly JsonObject[] {
  if (!kind.asksOthers) return [];
  const [prefix, own] = [placeKey({ kind, owner: 0 }).slice(0, -1), placeKey({ kind, owner })];
  return [...state.rows].flatMap(([key, records]) =>
    key !== own && key.startsWith(prefix) ? records.map(({ row }) => row) : [],
  );
}

/** The rows of the groups above a path, from the top, for the group's kind of the same name. */
export function rowsAbove(state: State, kinds: ServedKinds, { kind }: RowPlace, path: string): readonly JsonObject[] {
  const ofGroups = kind.asksAbove
    ? kinds.all.find(({ of, file }) => of === "group" && file.name === kind.file.name)
    : undefined;
  if (!ofGroups) return [];
  return groupsAbove(state, path).flatMap(({ id }) =>
    recordsOf(state, { kind: ofGroups, owner: id }).map(({ row }) => row),
  );
}

/** Adds a record, or replaces the one with its number. */
export function putRecord(state: State, place: RowPlace, record: KindRecord): void {
  putRow(state, placeKey(place), record);
}

/** A new row, without numbers. */
export function makeRow(state: State, place: RowPlace, params: JsonObject): JsonObject {
  const { kind } = place;
  const target = targetOf(state, kind, params);
  return createdRow(kind.fields, { params, others: rowsElsewhere(state, place), target });
}

/** The field of a key that is looked up; its parameter has the ID. */
function lookedUpKey({ file, keys }: ServedKind): readonly [name: string, field: FieldSchema] | undefined {
  const fields = keys.map((name) => [name, file.fields.properties[name] ?? {}] as const);
  return fields.find(([, field]) => field["x-lookup"] !== undefined);
}

/** The parameters of a seeded row, with the ID in place of the name of its key. */
export function seededParameters(state: State, kind: ServedKind, seeded: JsonObject): JsonObject {
  const [name = "", { "x-send-as": parameter = name, "x-lookup": lookUp = "" } = {}] = lookedUpKey(kind) ?? [];
  const written = seeded[name];
  if (typeof written !== "string" || parameter in seeded) return seeded;
  const users = lookUp.startsWith("GET /users") ? [...state.users.values()] : [];
  const found =
    users.find(({ username }) => username === written) ??
    (lookUp.startsWith("GET /groups/") ? findGroup(state, written) : findProject(state, written)?.record);
  return found ? { ...seeded, [parameter]: found.id } : seeded;
}

/** True if the key of a new row names a user, project or group that does not exist. */
export function lacksTarget(state: State, kind: ServedKind, params: JsonObject): boolean {
  return lookedUpKey(kind) !== undefined && targetOf(state, kind, params) === undefined;
}

/** The user, project or group that the key of a row names by its ID; undefined if there is none. */
function targetOf(state: State, kind: ServedKind, params: JsonObject): JsonObject | undefined {
  const [name = "", { "x-send-as": parameter = name, "x-lookup": lookUp = "" } = {}] = lookedUpKey(kind) ?? [];
  const id = String(params[parameter] ?? "");
  if (id === "") return undefined;
  if (lookUp.startsWith("GET /users")) return state.users.get(Number(id)) as JsonObject | undefined;
  const isGroup = lookUp.startsWith("GET /groups/");
  const found = isGroup ? findGroup(state, id) : findProject(state, id)?.record;
  return found && { id: found.id, full_path: found.path };
}

/** The counter of a kind's IDs. */
export function rowCounter({ of, file }: ServedKind): string {
  return `${of} ${file.singular}`;
}

/** Adds a row with new numbers, and a seed's parts that are not parameters. */
export function addRow(state: State, place: RowPlace, params: JsonObject, beside: JsonObject = {}): JsonObject {
  const { kind } = place;
  const made = kind.isOwner ? {} : makeRow(state, place, params);
  const number = nextNumber(state, rowCounter(kind));
  const row = withNumbers(state, { ...(kind.isNumbered && { id: number }), ...made, ...beside });
  putRow(state, placeKey(place), { number, row });
  return row;
}

export function changeRow(state: State, place: RowPlace, record: KindRecord, row: JsonObject): JsonObject {
  const kept = withNumbers(state, row);
  putRow(state, placeKey(place), { ...record, row: kept });
  return kept;
}

export function removeRow(state: State, place: RowPlace, record: KindRecord): void {
  dropRow(state, placeKey(place), record);
}

function withNumbers(state: State, row: JsonObject): JsonObject {
  return numbered(row, () => nextNumber(state, "part of a row")) as JsonObject;
}

/** A project's or group's own row: settings of kinds merged over the base. */
export function ownerRow(state: State, kinds: readonly ServedKind[], owner: number, base: JsonObject): JsonObject {
  const [kind] = kinds;
  if (!kind) return base;
  const [record] = recordsOf(state, { kind, owner });
  return { ...kind.initial, ...base, ...record?.row };
}

/** The lists of kinds that are parts of a project's or group's own row. */
export function rowsWithin(state: State, kinds: ServedKinds, of: ServedKind["of"], owner: number): JsonObject {
  const within = kinds.all.flatMap((kind): [string, readonly JsonObject[]][] => {
    const { rows } = listFacts(kind.file);
    return kind.of === of && rows !== undefined
      ? [[rows, recordsOf(state, { kind, owner }).map(({ row }) => row)]]
      : [];
  });
  return Object.fromEntries(within);
}
