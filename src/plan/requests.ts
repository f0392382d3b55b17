import { UserError } from "../base/exit.ts";
import { type JsonObject, objectOf } from "../base/json.ts";
import { call, NamesNothing, pathValues } from "../model/call.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import type { Endpoint } from "../model/endpoints.ts";
import { compareMeaning, itemsByKey, propertyOf, wireValue } from "../model/field-meaning.ts";
import { evaluateKind } from "../model/kind-expressions.ts";
import type { ItemColumn, KindRow } from "../model/kind-row.ts";
import { kindOf } from "../model/kinds.ts";
import { bareName, kindWord } from "../model/owner.ts";
import { valueInRow } from "../model/read-field.ts";
import { isRemoval } from "../model/removal-changes.ts";
import { callDetails, type FieldSchema, holdsWithin, keyValuesOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Call, Change, Fields, Plain, SecretReference, Value } from "../model/types.ts";
import {
  definedFields,
  isList,
  isMapping,
  referencesIn,
  referencesWithin,
  urlWithCredentials,
} from "../model/values.ts";

/** The calls of a change, in order; secret parameters are still references. */
export function callsOf(change: Change, catalogue: Catalogue = catalogueOf()): readonly [Call, ...Call[]] {
  return makeCalls(change, catalogue, createParameters);
}

function makeCalls(
  change: Change,
  catalogue: Catalogue,
  parametersOf: (row: KindRow, part: Change) => Fields | undefined,
): readonly [Call, ...Call[]] {
  const callFor = (part: Change): Call => {
    const row = kindOf(catalogue, part.kind);
    const endpoint = findEndpoint(row, part);
    const parameters = endpoint.body && parametersOf(row, part);
    const made = call(endpoint, fillSegments(row, part, endpoint), parameters);
    const { before } = endpoint;
    return before ? { ...made, before: call(before, fillSegments(row, part, before)) } : made;
  };
  const [first, ...others] = partsOfChange(change);
  return [callFor(first), ...others.map(callFor)];
}

/** The call of a change; of a replacement, the first of two. */
export function callOf(change: Change, catalogue?: Catalogue): Call {
  return callsOf(change, catalogue)[0];
}

/** The calls of a change without their parameters. */
export function bareCallsOf(change: Change, catalogue: Catalogue): readonly [Call, ...Call[]] {
  return makeCalls(change, catalogue, () => undefined);
}

/** Every request of a change, in order. */
export function requestsOf(change: Change, catalogue: Catalogue): readonly Call[] {
  const own = callsOf(change, catalogue).flatMap((each) => (each.before ? [each.before, each] : [each]));
  return [...own, ...itemRequestsOf(change, catalogue).map((each) => each.call)];
}

export interface ItemRequest {
  readonly call: Call;
  readonly field: string;
  readonly item: string;
}

/**
 * The requests that write the items of fields (`x-items`), after those of the resource. Before it is created, paths
 * have the names of its unknown fields, such as `:row.id`.
 */
export function itemRequestsOf(change: Change, catalogue: Catalogue): readonly ItemRequest[] {
  const kind = kindOf(catalogue, change.kind);
  if (!kind.items || isRemoval(change)) return [];
  const part = partsOfChange(change).at(-1) ?? change;
  const sent = sentFields(kind.file, part);
  return kind.items
    .filter(({ field }) => sent.includes(field))
    .flatMap((column) => requestsOfItems(kind, part, column));
}

function requestsOfItems(kind: KindRow, change: Change, column: ItemColumn): readonly ItemRequest[] {
  const { field, create, update } = column;
  const { items = {} } = kind.file.fields.properties[field] ?? {};
  const { declared, live, shown } = itemsOf(kind, change, column);
  const send = (endpoint: Endpoint, item: string, value?: Plain): ItemRequest => {
    const sent = value === undefined ? undefined : (plainParameter(items, wireValue(items, value), null) as Fields);
    const { [column.key]: _, ...others } = sent ?? {};
    const unknown = (name: string) => (change.live ? undefined : `:${name}`);
    const segments = fillSegments(kind, change, endpoint, (name) => (name === "item" ? item : unknown(name)));
    const made = call(endpoint, segments, endpoint === update ? others : sent);
    const path = change.live ? made.path : made.path.replaceAll("%3Arow.", ":row.");
    return { call: { ...made, path }, field, item };
  };
  const gone = [...live.keys()].filter((item) => !declared.has(item)).map((item) => send(column.delete, item));
  if (!create || !update) return gone;
  const written = [...declared].flatMap(([item, value]) => {
    if (!live.has(item)) return [send(create, item, value)];
    const isSame = compareMeaning(items, value, shown.get(item)) === "same";
    return isSame ? [] : [send(update, item, value)];
  });
  return [...gone, ...written];
}

/** The items of a field by key: as declared, as in the live row, and with their visible values. */
function itemsOf({ file }: KindRow, { declared, live }: Change, { field: name, key }: ItemColumn) {
  const listOf = (value: unknown) => itemsByKey(key, isList(value) ? value : []);
  const field = file.fields.properties[name] ?? {};
  return {
    declared: listOf(declared[name]),
    live: listOf(live?.row && valueInRow(name, field, live.row)),
    shown: listOf(live?.fields[name]),
  };
}

export function partsOfChange(change: Change): readonly [Change, ...Change[]] {
  if (change.action !== "replace") return [change];
  const creation = { ...change, action: "create", before: null, after: change.declared } as const;
  return [
    { ...change, action: "delete", after: null },
    { ...creation, live: undefined, liveDigest: undefined },
  ];
}

function findEndpoint({ calls }: KindRow, { kind, key, action }: Change): Endpoint {
  const carrier = action === "replace" ? undefined : calls[action];
  const endpoint = typeof carrier === "function" ? carrier(key) : carrier;
  if (!endpoint) throw new RangeError(`no call for ${action} of a ${kindWord(kind)}`);
  return endpoint;
}

/** The path parameters of a call: the project, the key or fields, and the row as read. */
function fillSegments(
  { file }: KindRow,
  change: Change,
  endpoint: Endpoint,
  other: (name: string) => string | undefined = () => undefined,
): Readonly<Record<string, string>> {
  const { key, declared, live, projectId } = change;
  const project = projectId === undefined ? change.project : String(projectId);
  const keys: Fields = keyValuesOf(file, key);
  const values: JsonObject = { ...keys, ...(live?.id !== undefined && { id: live.id }), ...live?.row };
  const fieldOf = (name: string) => (name.startsWith("row.") ? values[name.slice(4)] : (keys[name] ?? declared[name]));
  return pathValues(endpoint, (name) => (name === "id" ? project : (fieldOf(name) ?? other(name))));
}

/** Explains why a change cannot become a request; undefined if it can. */
export function whyNotCalled(change: Change, catalogue: Catalogue): string | undefined {
  try {
    bareCallsOf(change, catalogue);
    return undefined;
  } catch (error) {
    if (error instanceof NamesNothing) return error.message;
    throw error;
  }
}

export function sentFieldsOf(change: Change, catalogue: Catalogue): readonly string[] {
  const { file } = kindOf(catalogue, change.kind);
  return file.whole ? Object.keys(change.declared) : sentFields(file, change);
}

export function secretsSentBy(change: Change, catalogue: Catalogue): readonly SecretReference[] {
  if (isRemoval(change)) return [];
  return sentFieldsOf(change, catalogue).flatMap((name) => referencesWithin(change.declared[name] ?? null));
}

function createParameters(row: KindRow, change: Change): Fields {
  if (row.file.whole) return { ...change.extraFields, ...change.declared };
  if (change.action === "create") return { ...besideFields(row, change), ...bodyOf(row, change, null) };
  return bodyOf(row, change, change.live?.row ?? {});
}

/** Parameters of a creation besides the fields. `owner` is the ID of the project or group, or its path if only that is known. */
function besideFields(row: KindRow, change: Change): Fields {
  const want = { ...keyFields(row.file, change), ...change.declared };
  const owner = change.projectId ?? bareName(change.project);
  const { sends = {} } = callDetails(row.file.calls.create);
  return definedFields(sends, (_, text) => evaluateKind(text, { want, owner }) ?? undefined);
}

/**
 * The parameters that create or update a resource. A creation sends everything declared; an update sends changes,
 * fields that the kind requires or that the server would otherwise clear, and secrets, which cannot be compared.
 * @throws UserError if it would send an undeclared secret.
 */
export function bodyOf(kind: KindRow, change: SentFields, row: JsonObject | null): Fields {
  const { properties } = kind.file.fields;
  const values: Fields = { ...keyFields(kind.file, change), ...change.declared };
  const want: Fields = objectOf(Object.keys(values), (name) => {
    const [field, value = null] = [properties[name], values[name]];
    return field ? wireValue(field, value) : value;
  });
  const isSent = row ? updatesField(kind.file, change) : (name: string) => name in want;
  const parameters: Record<string, Value> = {};
  for (const [name, field] of Object.entries(properties)) {
    const live =
      row && holdsWithin(field, (each) => each["x-keep"] === true) ? valueInRow(name, field, row) : undefined;
    const isKept = row !== null && !(name in want) && field["x-keep"] === true && live !== undefined;
    if ((!isKept && !isSent(name)) || field["x-items"]?.create !== undefined) continue;
    const whole = completeValue(field, want[name], live);
    Object.assign(parameters, fieldParameters(name, field, { want: { ...want, [name]: whole ?? null }, row }));
  }
  // Values of a row never become references to secrets.
  const known = new Set(referencesIn(change.declared).map(({ secret }) => secret));
  if (referencesIn(parameters).every(({ secret }) => known.has(secret))) return parameters;
  throw new UserError("it would send a secret that no policy declares for it");
}

type SentFields = Pick<Change, "key" | "declared" | "after" | "action" | "lookedUp">;

function sentFields(file: ResourceKind, change: SentFields): readonly string[] {
  const names = Object.keys(change.declared);
  return change.action === "update" ? names.filter(updatesField(file, change)) : names;
}

/** True if an update sends a field: if no difference is known, it sends all again. */
function updatesField({ fields, key }: ResourceKind, { declared, after }: SentFields): (name: string) => boolean {
  const changed = Object.keys(after ?? {});
  const required = new Set(fields.required);
  const keys = new Set([key ?? []].flat());
  const isWanted = (name: string) => name in declared || keys.has(name);
  const isChanged = (name: string) => changed.length === 0 || changed.includes(name);
  return (name) => {
    const field = fields.properties[name];
    if (!field || field["x-immutable"] === true || !isWanted(name)) return false;
    if (name in declared && (isChanged(name) || field["x-keep"] === true || field.writeOnly === true)) return true;
    return required.has(name) && field["x-send"] === undefined;
  };
}

/**
 * The fields of a key, with numbers as numbers, and IDs in place of what was looked up; without parts at the default,
 * which the server fills in.
 */
function keyFields(file: ResourceKind, { key, lookedUp = {} }: Pick<SentFields, "key" | "lookedUp">): Fields {
  return definedFields(keyValuesOf(file, key), (name, text) => {
    const field = file.fields.properties[name] ?? {};
    if (field.default !== undefined && String(field.default) === text) return undefined;
    return lookedUp[field["x-send-as"] ?? name]?.[text] ?? (field.type === "integer" ? Number(text) : text);
  });
}

/** The declared values, and live ones that the server would otherwise clear. */
function completeValue(field: FieldSchema, declared: Value | undefined, live: Plain | undefined): Value | undefined {
  if (declared === undefined) return field["x-keep"] === true ? live : undefined;
  if (!field.properties || !isMapping(declared) || !isMapping(live)) return declared;
  const members = definedFields(field.properties, (name, each) =>
    name in declared ? undefined : (completeValue(each, undefined, live[name]) as Plain | undefined),
  );
  const inside = definedFields(declared, (name, value) => {
    const each = propertyOf(field, name);
    return (each ? completeValue(each, value, live[name]) : value) as Plain;
  });
  return { ...inside, ...members };
}

/**
 * The parameters of a field, without those whose expression is null. `variables`: variables of its expressions: `want`,
 * the declared values as sent, and `row`, null before a creation.
 */
function fieldParameters(
  name: string,
  field: FieldSchema,
  variables: { readonly want: Fields; readonly row: JsonObject | null },
): Fields {
  const { "x-send": send, "x-send-as": sendAs = name } = field;
  if (send === undefined) {
    const value = plainParameter(field, variables.want[name] ?? null, variables.row);
    const [user, password] = (field["x-credentials"] ?? []).map((each) => variables.want[each] ?? null);
    return { [sendAs]: user ? urlWithCredentials(value, user, password ?? null) : value };
  }
  const texts = typeof send === "string" ? { [sendAs]: send } : send;
  return definedFields(texts, (_, text) => evaluateKind(text, { ...variables }) ?? undefined);
}

/** Renames the members of a value to parameters. */
function plainParameter(field: FieldSchema, value: Value, row: JsonObject | null): Value {
  if (isList(value)) return value.map((item) => plainParameter(field.items ?? {}, item, row) as Plain);
  if (!isMapping(value)) return value;
  const parts = Object.keys(value).map((name) =>
    fieldParameters(name, propertyOf(field, name) ?? {}, { want: value, row }),
  );
  return Object.assign({}, ...parts) as Plain;
}
