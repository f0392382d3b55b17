import type { JsonObject } from "../base/json.ts";
import { itemsByKey } from "../model/field-meaning.ts";
import type { NamedOwner } from "../model/owner.ts";
import { callDetails } from "../model/resource-kind.ts";
import type { Plain } from "../model/types.ts";
import { isList } from "../model/values.ts";
import type { ServedCall, ServedItemCall } from "./kind-paths.ts";
import { createdRow, numbered } from "./kind-rows.ts";
import { checkKindParameters } from "./kind-values.ts";
import { isPart, type ServedKind } from "./kinds.ts";
import { invalid, json, noContent, noRecord, type ServerReply } from "./reply.ts";
import type { ServerContext, ServerRequest } from "./server-context.ts";
import {
  findRepository,
  groupsAbove,
  type KindRecord,
  nextNumber,
  putRow,
  type Repository,
  recordsAt,
  type State,
  type User,
} from "./state.ts";

/** The rows of a kind of one project or group, or of the instance. */
export interface RowPlace {
  readonly state: State;
  readonly kind: ServedKind;
  readonly owner: number;
}

/** A request to a kind from an authorized caller. */
export interface Admitted extends RowPlace {
  readonly context: ServerContext;
  readonly request: ServerRequest;
  readonly call: ServedCall;
  /** Values in the path that the row must have, by part. */
  readonly named: Readonly<Record<string, string>>;
  /** Parameters of the query that narrow the match, and the parts of the row that they name. */
  readonly narrowing: Readonly<Record<string, string>>;
  /** The path of the project or group. */
  readonly path: string;
}

/** Stands for the instance where projects and groups have their ID. */
export const instanceId = 0;

export function placeKey({ kind, owner }: Omit<RowPlace, "state">): string {
  return `${kind.of}/${kind.file.singular}/${owner}`;
}

/** The records of a place in the order of their creation. */
export function recordsOf(place: RowPlace): readonly KindRecord[] {
  return recordsAt(place.state, placeKey(place));
}

/** The rows of a kind in all other projects or groups. */
export function rowsElsewhere({ state, kind, owner }: RowPlace): readonly JsonObject[] {
  const [prefix, own] = [placeKey({ kind, owner: 0 }).slice(0, -1), placeKey({ kind, owner })];
  return [...state.rows].flatMap(([key, records]) =>
    key !== own && key.startsWith(prefix) ? records.map(({ row }) => row) : [],
  );
}

/** The rows of the groups above, from the top, for the group's kind of the same name. */
export function rowsAbove({ context: { kinds }, state, kind, path }: Admitted): readonly JsonObject[] {
  const ofGroups = kinds.all.find(({ of, file }) => of === "group" && file.name === kind.file.name);
  if (!ofGroups) return [];
  return groupsAbove(state, path).flatMap(({ id }) =>
    recordsOf({ state, kind: ofGroups, owner: id }).map(({ row }) => row),
  );
}

/** The field of a key that is looked up by its name, and the parameter with the ID. */
function lookedUpKey({ file, keys }: ServedKind) {
  const name = keys.find((each) => file.fields.properties[each]?.["x-lookup"] !== undefined);
  if (name === undefined) return undefined;
  const { "x-send-as": parameter = name, "x-lookup": lookUp = "" } = file.fields.properties[name] ?? {};
  const of = lookUp.startsWith("GET /users") ? "user" : lookUp.startsWith("GET /groups/") ? "group" : "project";
  return { name, parameter, of } as const;
}

/** The parameters of a seeded row, with the ID in place of the name of its key. */
export function seededParameters({ state, kind }: RowPlace, seeded: JsonObject): JsonObject {
  const key = lookedUpKey(kind);
  if (!key || key.parameter in seeded) return seeded;
  const found = findTarget(state, key.of, seeded[key.name]);
  return found ? { ...seeded, [key.parameter]: found.id } : seeded;
}

/** True if the key of a new row names a user, project or group that does not exist. */
export function lacksTarget({ state, kind }: RowPlace, params: JsonObject): boolean {
  const key = lookedUpKey(kind);
  return key !== undefined && findTarget(state, key.of, params[key.parameter]) === undefined;
}

function findTarget(state: State, of: "user" | NamedOwner, name: unknown): User | Repository | undefined {
  const text = String(name ?? "");
  if (of !== "user") return findRepository(state, of, text);
  return state.user.get(text) ?? [...state.user.values()].find(({ username }) => username === text);
}

/** A new row, without numbers. */
export function makeRow(place: RowPlace, params: JsonObject): JsonObject {
  const key = lookedUpKey(place.kind);
  const found = key && findTarget(place.state, key.of, params[key.parameter]);
  const target = found && ("path" in found ? { id: found.id, full_path: found.path } : { ...found });
  return createdRow(place.kind.fields, { params, others: () => rowsElsewhere(place), target });
}

/**
 * The row that a path identifies; an error if several match, and the query lacks the parameter that distinguishes them.
 */
export function findRecord(admitted: Admitted): KindRecord | ServerReply | undefined {
  const { request, kind, named, narrowing } = admitted;
  const records = recordsOf(admitted);
  const matching = (parts: Readonly<Record<string, string>>) =>
    records.filter(({ row }) => Object.entries(parts).every(([part, value]) => isPart(kind, row, part, value)));
  const numbered = matching(named);
  const [key = ""] = kind.file.byKey ? kind.keys : [];
  const all = numbered.length > 0 || !key ? numbered : matching({ [key]: named.id ?? "" });
  const given = new URLSearchParams(request.search);
  const narrowed = Object.entries(narrowing).map(([parameter, part]) => [part, given.get(parameter)] as const);
  const fit = all.filter(({ row }) =>
    narrowed.every(([part, value]) => value === null || isPart(kind, row, part, value)),
  );
  const open = Object.keys(narrowing).find((parameter) => !given.has(parameter));
  if (fit.length < 2 || open === undefined) return fit[0];
  const message = `There are multiple ${kind.file.name} with provided parameters. Please use '${open}'`;
  return json(409, { message });
}

/** The row that a path identifies, or the initial state of a singleton that cannot be created: without a number. */
export function findOrInitial(admitted: Admitted, absent?: ServerReply): KindRecord | ServerReply {
  const { isAlways, initial, quirks } = admitted.kind;
  const missing = absent ?? quirks?.missing ?? noRecord;
  return findRecord(admitted) ?? (isAlways ? { number: 0, row: initial } : missing);
}

/** The counter of a kind's IDs. */
export function rowCounter({ of, file }: ServedKind): string {
  return `${of} ${file.singular}`;
}

/** Adds a row with new numbers. */
export function addRow(place: RowPlace, made: JsonObject): JsonObject {
  const { state, kind } = place;
  const number = nextNumber(state, rowCounter(kind));
  const row = withNumbers(state, { ...(kind.isNumbered && { id: number }), ...made });
  putRow(state, placeKey(place), { number, row });
  return row;
}

export function changeRow(place: RowPlace, record: KindRecord, row: JsonObject): JsonObject {
  if (record.number === 0) return addRow(place, row);
  const kept = withNumbers(place.state, row);
  putRow(place.state, placeKey(place), { ...record, row: kept });
  return kept;
}

function withNumbers(state: State, row: JsonObject): JsonObject {
  return numbered(row, () => nextNumber(state, "part of a row")) as JsonObject;
}

/** A project's or group's own row: settings merged over the base, and the lists of kinds that are parts of it. */
export function ownerRow({ state, kinds }: ServerContext, of: NamedOwner, owner: number, base: JsonObject): JsonObject {
  const [kind] = kinds.owners[of];
  const row = kind ? { ...kind.initial, ...base, ...recordsOf({ state, kind, owner })[0]?.row } : base;
  const within = kinds.within[of].map((each) => [
    callDetails(each.file.calls.list).rows,
    recordsOf({ state, kind: each, owner }).map((record) => record.row),
  ]);
  return { ...row, ...Object.fromEntries(within) };
}

export function isItemCall(call: ServedCall): call is ServedItemCall {
  return call.includes("_item ");
}

/** Carries out a request for an item of a list (`x-items`). */
export function changeItem(admitted: Admitted, call: ServedItemCall): ServerReply {
  const { context, kind, request } = admitted;
  const { item = "", ...named } = admitted.named;
  const record = findOrInitial({ ...admitted, named });
  if ("status" in record) return record;
  const { row } = record;
  const [action = "", field = ""] = call.split("_item ");
  const { "x-items": { key = "", create } = {}, items: { properties = {} } = {} } =
    kind.file.fields.properties[field] ?? {};
  const value = row[field] as Plain;
  const items = new Map(itemsByKey(key, isList(value) ? value : []));
  const save = () => changeRow(admitted, record, { ...row, [field]: [...items.values()] });
  if (action === "delete") {
    if (!items.delete(item)) return noRecord;
    save();
    return noContent;
  }
  const checks = kind.itemChecks.get(field);
  if (!checks) return noRecord;
  const given = { ...request.query, ...request.body };
  const raw = action === "create" || create === undefined ? given : { ...given, [key]: item };
  const check = action === "create" ? checks.creation : checks.change;
  const { params, faults } = checkKindParameters(checks, check, raw, !context.behaviour.lenientParameters);
  if (faults.length > 0) return invalid(faults);
  const name = String(params[key] ?? item);
  if (action === "create" && items.has(name))
    return json(400, { message: { [key]: [`(${name}) has already been taken`] } });
  if (action === "update" && !items.has(name)) return noRecord;
  const defaults = Object.entries(properties).flatMap(([property, schema]) =>
    schema.default === undefined ? [] : [[property, schema.default] as const],
  );
  const written = { ...Object.fromEntries(defaults), ...(items.get(name) as JsonObject), ...params } as Plain;
  items.set(name, written);
  save();
  return json(action === "create" ? 201 : 200, written);
}
