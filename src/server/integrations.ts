import type { JsonObject } from "../base/json.ts";
import { unavailable } from "../model/availability.ts";
import { type Integration, type IntegrationParameter, type ObservedQuirk, quirksAt } from "../model/catalogue.ts";
import { type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import type { CallName } from "../model/resource-kind.ts";
import type { Scalar } from "../model/types.ts";
import { type Admitted, placeKey, type RowPlace, recordsOf, rowsAbove } from "./kind-store.ts";
import { readBoolean, readInteger } from "./parameters.ts";
import { flagsListedIn, holdsInRelease } from "./release-facts.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
import { type ServerContext, tooLowTier } from "./server-context.ts";
import { dropRow, nextNumber, putRow, type State, timestamp } from "./state.ts";

export interface IntegrationRecord {
  readonly id: number;
  readonly slug: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly inherited?: true;
  /** Event flags and other parameters that have been set. */
  readonly values: Values;
}

type Values = Readonly<Record<string, Scalar>>;

/** The integration endpoints (docs/api.md#integrations). Lists have no pages, and contain only active ones. */
export const integrationHandlers: Readonly<Record<CallName, (admitted: Admitted) => ServerReply>> = {
  list: listIntegrations,
  show: showIntegration,
  create: editIntegration,
  update: editIntegration,
  delete: disableIntegration,
};

function listIntegrations(admitted: Admitted): ServerReply {
  const effective = new Map([...inheritedRecords(admitted), ...ownRecords(admitted)]);
  const active = [...effective.values()].filter((record) => record.active);
  const rows = active.map((record) => rowOf(admitted.context, record));
  return json(200, rows);
}

function showIntegration(admitted: Admitted): ServerReply {
  const { context } = admitted;
  const found = lookUp(admitted);
  if ("status" in found) return found;
  const record = found.own ?? found.inherited;
  return record ? json(200, entityOf(context, found.integration, record)) : notFound(context.behaviour.notFoundAs);
}

function editIntegration(admitted: Admitted): ServerReply {
  const { context, request, kind } = admitted;
  const { behaviour, kinds, state } = context;
  const found = lookUp(admitted);
  if (found === unknownSlug) return notAllowed;
  if ("status" in found) return found;
  const { integration, own: before, inherited } = found;
  if (!integration) return notAllowed;
  const raw = { ...request.query, ...request.body };
  const { values, active, faults } = readIntegration(context, integration, raw);
  if (faults.length > 0) return invalid(faults);
  const asked = readBoolean(raw[inheriting]);
  const groupsHaveThem = kinds.all.some(({ of, file }) => of === "group" && file === kind.file);
  const own = groupsHaveThem && asked ? undefined : before;
  if (before && !own) dropRow(state, placeKey(admitted), { number: before.id, row: { ...before } });
  const effective = own ?? inherited;
  if (effective?.inherited && behaviour.inheritedSettings && asked !== false)
    return json(200, entityOf(context, integration, effective));
  const known = takeOver(state, own, inherited);
  const record = known
    ? editedRecord(context, integration, known, values, active)
    : createdRecord(context, integration, values, active);
  if (record !== own) saveRecord(admitted, record);
  return json(200, entityOf(context, integration, record));
}

export function saveRecord(place: RowPlace, record: IntegrationRecord): void {
  putRow(place.state, placeKey(place), { number: record.id, row: { ...record } });
}

/** The own record, or a copy of the group's. */
function takeOver(state: State, own?: IntegrationRecord, inherited?: IntegrationRecord): IntegrationRecord | undefined {
  return own ?? (inherited && { ...inherited, id: nextNumber(state, "integration") });
}

function disableIntegration(admitted: Admitted): ServerReply {
  const { context, request } = admitted;
  const { behaviour, state } = context;
  const found = lookUp(admitted);
  if ("status" in found) return found;
  const { integration, own, inherited } = found;
  const record = own ?? inherited;
  if (!record && (behaviour.unconfigured !== "created" || !integration))
    return behaviour.unconfigured === "missing" ? notFound(behaviour.notFoundAs) : noContent;
  const { unmodifiedSince = Number.POSITIVE_INFINITY } = request;
  if (record && behaviour.conditionalRemovals && Date.parse(record.updated_at) > unmodifiedSince) return changedSince;
  const known = takeOver(state, own, inherited) ?? (integration && createdRecord(context, integration, {}, false));
  if (!known || (record && !known.active)) return noContent;
  const values = behaviour.deleteWipes ? wipeValues(integration, known.values) : known.values;
  const updated_at = timestamp(known.updated_at);
  saveRecord(admitted, { ...withoutInheritance(known), active: false, values, updated_at });
  return noContent;
}

const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration of a request; an error in another tier. A slug that the server does not have exists if it was seeded. */
function lookUp(admitted: Admitted) {
  const { context, named } = admitted;
  const { slug = "" } = named;
  const known = context.catalogue.integrations.get(slug);
  const why = known && unavailable(known, context);
  if (why?.rule === "tier") return tooLowTier(why.message);
  const integration = why ? undefined : known;
  const [own, inherited] = [ownRecords(admitted).get(slug), inheritedRecords(admitted).get(slug)];
  return integration || own || inherited ? { integration, own, inherited } : unknownSlug;
}

function ownRecords(admitted: Admitted): ReadonlyMap<string, IntegrationRecord> {
  return bySlug(recordsOf(admitted).map(({ row }) => row));
}

/** The active integrations of the nearest group above that has each. */
function inheritedRecords(admitted: Admitted): ReadonlyMap<string, IntegrationRecord> {
  const active = [...bySlug(rowsAbove(admitted)).values()].filter((record) => record.active);
  return bySlug(active.map((record) => ({ ...record, inherited: true })));
}

function bySlug(rows: readonly JsonObject[]): Map<string, IntegrationRecord> {
  return new Map((rows as unknown as readonly IntegrationRecord[]).map((record) => [record.slug, record]));
}

/** Reads the parameters of a PUT from form fields or JSON. A null, or an empty boolean or integer, clears a parameter. */
function readIntegration(context: ServerContext, integration: Integration, raw: JsonObject) {
  const { behaviour, release } = context;
  const { parameters } = integration;
  const read: JsonObject = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, readValue(parameters.get(name), value)]),
  );
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  // In every behaviour: Evenkeel sends it to all servers of the release.
  const knowsInheriting = holdsInRelease("inherited-integrations", release);
  const faults = parameterFaults(integration, set, release)
    .filter(({ fault }) => !behaviour.lenientParameters || fault === "missing" || fault === "type")
    .filter(({ parameter }) => !(parameter === inheriting && knowsInheriting))
    .map(({ parameter, fault }) => `${parameter} ${words[fault]}`);
  const values: Record<string, Scalar> = {};
  for (const [name, parameter] of parameters) {
    const quirks = quirksOf(context, parameter);
    if (!(name in read) && quirks.has("required")) faults.push(`${name} is missing`);
    if (name in read && !quirks.has("dropped")) values[name] = applyQuirks(quirks, read[name] as Scalar);
  }
  const { [inheriting]: asked = "" } = read;
  if (knowsInheriting && asked !== "" && readBoolean(asked) === undefined) faults.push(`${inheriting} is invalid`);
  const { active, ...others } = values;
  return {
    values: others,
    active: typeof active === "boolean" && !behaviour.putActivates ? active : undefined,
    faults,
  };
}

function readValue(parameter: IntegrationParameter | undefined, value: unknown): unknown {
  if (!parameter || parameter.types.includes("string")) return value;
  if (value === "") return null;
  const [type] = parameter.types;
  return (type === "boolean" ? readBoolean(value) : readInteger(value)) ?? value;
}

const words: Record<FaultKind, string> = {
  missing: "is missing",
  unknown: "is unknown",
  type: "is invalid",
  enum: "does not have a valid value",
  pattern: "does not have a valid value",
};

/** A parameter of every write that belongs to no integration. */
const inheriting = "use_inherited_settings";

const noQuirks: ReadonlySet<ObservedQuirk> = new Set();

function quirksOf({ behaviour, release }: ServerContext, parameter: IntegrationParameter): ReadonlySet<ObservedQuirk> {
  return behaviour.quirks ? quirksAt(parameter, release) : noQuirks;
}

function applyQuirks(quirks: ReadonlySet<ObservedQuirk>, value: Scalar): Scalar {
  if (typeof value !== "string") return value;
  const trimmed = quirks.has("trimmed") ? value.trim() : value;
  return quirks.has("slash") ? trimmed.replace(/\/$/, "") : trimmed;
}

/** A new record with the values of a PUT and the initial values of deployed servers. */
function createdRecord(
  context: ServerContext,
  integration: Integration,
  values: Values,
  active = activeAfterPut(context, integration),
): IntegrationRecord {
  const { state, behaviour } = context;
  const now = timestamp();
  const initial = [...integration.parameters.values()].flatMap(({ name, initial: value }) =>
    value === undefined || !behaviour.quirks ? [] : [[name, value]],
  );
  return {
    id: nextNumber(state, "integration"),
    slug: integration.slug,
    active,
    created_at: now,
    updated_at: now,
    values: { ...Object.fromEntries(initial), ...values },
  };
}

/** Activity after a PUT without `active`: true, unless the integration keeps its state, or `active` has a default. */
function activeAfterPut({ behaviour }: ServerContext, { parameters, staysOff }: Integration, before?: boolean) {
  if (behaviour.quirks && staysOff) return before ?? false;
  const active = parameters.get("active");
  return behaviour.putActivates || !active || (before ?? (active.default ?? true) === true);
}

/**
 * Returns the same record if nothing changes, so that `updated_at` does not change. Deployed servers do not change it
 * either if only settings change that they store separately.
 */
function editedRecord(
  context: ServerContext,
  integration: Integration,
  known: IntegrationRecord,
  values: Values,
  active = activeAfterPut(context, integration, known.active),
): IntegrationRecord {
  const { behaviour } = context;
  const changed = Object.keys(values).filter((name) => known.values[name] !== values[name]);
  const staysActive = active === known.active;
  if (!behaviour.writesMove && staysActive && changed.length === 0) return known;
  const isApart = (name: string) => integration.parameters.get(name)?.level === "properties";
  const isUnmoved = behaviour.quirks && integration.apart && staysActive && changed.every(isApart);
  const updated_at = isUnmoved ? known.updated_at : timestamp(known.updated_at);
  return { ...withoutInheritance(known), active, values: { ...known.values, ...values }, updated_at };
}

/** Parameters become null, including those with a default; event flags are kept. */
function wipeValues(integration: Integration | undefined, values: Values): Values {
  const isTop = (name: string) => integration?.parameters.get(name)?.level === "top";
  const names = [...(integration?.parameters.keys() ?? []), ...Object.keys(values)].filter((name) => !isTop(name));
  const flags = Object.entries(values).filter(([name]) => isTop(name));
  return { ...Object.fromEntries(names.map((name) => [name, null])), ...Object.fromEntries(flags) };
}

/** A written integration is the project's own. */
function withoutInheritance({ inherited: _, ...record }: IntegrationRecord): IntegrationRecord {
  return record;
}

type Fields = Record<string, unknown>;

/** A row of the list: the fields of the spec, all flags true until they are set (docs/api.md#list-items). */
function rowOf({ catalogue, behaviour, release }: ServerContext, record: IntegrationRecord): Fields {
  const { id, slug, created_at, updated_at, active, values } = record;
  const title = catalogue.integrations.get(slug)?.title ?? slug.replaceAll("-", " ");
  const row: Fields = { id, title, slug, created_at, updated_at, active };
  for (const flag of catalogue.listedFlags) row[flag] = values[flag] ?? true;
  if (behaviour.quirks) for (const [flag, unset] of flagsListedIn(release)) row[flag] = values[flag] ?? unset;
  return behaviour.inheritedSettings ? { ...row, inherited: record.inherited ?? false } : row;
}

/** The response to a GET of one and to a PUT: the row, flags that a list omits, and `properties`. */
function entityOf(context: ServerContext, integration: Integration | undefined, record: IntegrationRecord): Fields {
  const entity = rowOf(context, record);
  if (!integration) {
    const flags = Object.entries(record.values).filter(([name]) => !context.catalogue.listedFlags.includes(name));
    return { ...entity, properties: Object.fromEntries(flags) };
  }
  if (!context.behaviour.quirks) for (const field of integration.omitted) delete entity[field];
  const properties: Fields = {};
  for (const parameter of integration.parameters.values()) {
    const { name, level } = parameter;
    if (!isShown(context, parameter) || (level === "top" && name in entity)) continue;
    const value = responseValue(context, integration, parameter, record);
    if (value === undefined) continue;
    if (level === "top") entity[name] = value;
    else properties[name] = value;
  }
  return { ...entity, properties };
}

/** By the specification, only the secrets that it returns; on deployed servers, all that are not hidden. */
function isShown(context: ServerContext, parameter: IntegrationParameter): boolean {
  if (context.behaviour.quirks) return !quirksOf(context, parameter).has("hidden");
  return !parameter.secret || parameter.returned;
}

/** A flag that was never set is off unless the list contains it; other parameters have their defaults. */
function responseValue(
  { behaviour }: ServerContext,
  { apart }: Integration,
  { name, level, default: byDefault, "x-observed-fallback": fallback }: IntegrationParameter,
  { values }: IntegrationRecord,
): Scalar | undefined {
  const value = behaviour.quirks && fallback ? values[name] || values[fallback] : values[name];
  if (value !== undefined && (value !== null || behaviour.quirks)) return value;
  if (level === "top") return false;
  return byDefault ?? (behaviour.unsetNull || (behaviour.quirks && apart) ? null : undefined);
}
