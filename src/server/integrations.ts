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
import { dropRow, nextNumber, putRow, timestamp } from "./state.ts";

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
  return json(
    200,
    active.map((record) => rowOf(admitted.context, record)),
  );
}

function showIntegration(admitted: Admitted): ServerReply {
  const { context } = admitted;
  const found = lookUp(admitted);
  if ("status" in found) return found;
  return found.record ? json(200, entityOf(context, found.integration, found.record)) : noIntegration(context);
}

function noIntegration({ behaviour }: ServerContext): ServerReply {
  return notFound(behaviour.notFoundAs);
}

function editIntegration(admitted: Admitted): ServerReply {
  const { context, request, kind } = admitted;
  const { behaviour, kinds, state } = context;
  const raw = { ...request.query, ...request.body };
  const integration = findIntegration(admitted);
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(context, integration, raw);
  if (faults.length > 0) return invalid(faults);
  const asked = readBoolean(raw[inheriting]);
  const groupsHaveThem = kinds.all.some(({ of, file }) => of === "group" && file === kind.file);
  const before = ownRecords(admitted).get(integration.slug);
  const own = groupsHaveThem && asked ? undefined : before;
  if (before && !own) dropRow(state, placeKey(admitted), { number: before.id, row: { ...before } });
  const known = own ?? inheritedRecords(admitted).get(integration.slug);
  if (known?.inherited && behaviour.inheritedSettings && asked !== false)
    return json(200, entityOf(context, integration, known));
  const record = known
    ? editedRecord(context, integration, own ?? copiedRecord(context, known), { values, active })
    : createdRecord(context, integration, values, active);
  if (record !== own) saveRecord(admitted, record);
  return json(200, entityOf(context, integration, record));
}

export function saveRecord(place: RowPlace, record: IntegrationRecord): void {
  putRow(place.state, placeKey(place), { number: record.id, row: { ...record } });
}

/** A group's record as the project's own. */
function copiedRecord({ state }: ServerContext, known: IntegrationRecord): IntegrationRecord {
  return { ...known, id: nextNumber(state, "integration") };
}

function disableIntegration(admitted: Admitted): ServerReply {
  const { context, request } = admitted;
  const { behaviour } = context;
  const found = lookUp(admitted);
  if ("status" in found) return found;
  const { integration, record } = found;
  if (!record && (behaviour.unconfigured !== "created" || !integration))
    return behaviour.unconfigured === "missing" ? noIntegration(context) : noContent;
  const { unmodifiedSince = Number.POSITIVE_INFINITY } = request;
  if (record && behaviour.conditionalRemovals && Date.parse(record.updated_at) > unmodifiedSince) return changedSince;
  const own = record
    ? (ownRecords(admitted).get(record.slug) ?? copiedRecord(context, record))
    : integration && createdRecord(context, integration, {}, false);
  if (own && (own.active || !record)) saveRecord(admitted, disabledRecord(context, integration, own));
  return noContent;
}

interface Found {
  readonly integration: Integration | undefined;
  readonly record: IntegrationRecord | undefined;
}

/** A slug outside the catalogue exists if it was seeded. */
function lookUp(admitted: Admitted): Found | ServerReply {
  const { slug = "" } = admitted.named;
  const integration = findIntegration(admitted);
  if (integration && "status" in integration) return integration;
  const record = ownRecords(admitted).get(slug) ?? inheritedRecords(admitted).get(slug);
  return integration || record ? { integration, record } : invalid(["slug does not have a valid value"]);
}

/** The integration of a request, if the release and environment have it; an error in another tier. */
function findIntegration({ context, named: { slug = "" } }: Admitted): Integration | ServerReply | undefined {
  const integration = context.catalogue.integrations.get(slug);
  const why = integration && unavailable(integration, context);
  if (!why) return integration;
  return why.rule === "tier" ? tooLowTier(why.message) : undefined;
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

interface ReadIntegration {
  readonly values: Values;
  /** `active`, if it is a parameter and is not ignored. */
  readonly active: boolean | undefined;
  readonly faults: readonly string[];
}

/** Reads the parameters of a PUT from form fields or JSON. A null, or an empty boolean or integer, clears a parameter. */
function readIntegration(context: ServerContext, integration: Integration, raw: JsonObject): ReadIntegration {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) read[name] = readValue(integration.parameters.get(name), value);
  const faults = findFaults(context, integration, read);
  const { active, ...values } = storedValues(context, integration, read);
  return { values, active: typeof active === "boolean" ? active : undefined, faults };
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

function findFaults({ behaviour, release }: ServerContext, integration: Integration, read: JsonObject): string[] {
  // In every behaviour: Evenkeel sends it to all servers of the release.
  const knowsInheriting = holdsInRelease("inherited-integrations", release);
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  const faults = parameterFaults(integration, set, release)
    .filter(({ fault }) => !behaviour.lenientParameters || fault === "missing" || fault === "type")
    .filter(({ parameter }) => !(parameter === inheriting && knowsInheriting))
    .map(({ parameter, fault }) => `${parameter} ${words[fault]}`);
  const required = [...integration.parameters.values()].filter(
    (parameter) => behaviour.quirks && quirksAt(parameter, release).has("required") && !(parameter.name in read),
  );
  const { [inheriting]: asked = "" } = read;
  const isUnclear = knowsInheriting && asked !== "" && readBoolean(asked) === undefined;
  return [
    ...faults,
    ...required.map(({ name }) => `${name} is missing`),
    ...(isUnclear ? [`${inheriting} is invalid`] : []),
  ];
}

function storedValues(
  { behaviour, release }: ServerContext,
  { parameters }: Integration,
  read: JsonObject,
): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(read)) {
    const parameter = parameters.get(name);
    const quirks = parameter && behaviour.quirks ? quirksAt(parameter, release) : noQuirks;
    if (parameter && !quirks.has("dropped")) values[name] = applyQuirks(quirks, value as Scalar);
  }
  if (behaviour.putActivates) delete values.active;
  return values;
}

const noQuirks: ReadonlySet<ObservedQuirk> = new Set();

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
function activeAfterPut(
  { behaviour }: ServerContext,
  { parameters, staysOff }: Integration,
  before?: boolean,
): boolean {
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
  { values, active = activeAfterPut(context, integration, known.active) }: Pick<ReadIntegration, "values" | "active">,
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

function disabledRecord(
  { behaviour }: ServerContext,
  integration: Integration | undefined,
  record: IntegrationRecord,
): IntegrationRecord {
  const values = behaviour.deleteWipes ? wipeValues(integration, record.values) : record.values;
  return { ...withoutInheritance(record), active: false, values, updated_at: timestamp(record.updated_at) };
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
function isShown({ behaviour, release }: ServerContext, parameter: IntegrationParameter): boolean {
  if (behaviour.quirks) return !quirksAt(parameter, release).has("hidden");
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
