import type { JsonObject } from "../base/json.ts";
import { type Integration, type IntegrationParameter, type ObservedQuirk, quirksAt } from "../model/catalogue.ts";
import { holdsIn } from "../model/dialect.ts";
import { type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import type { CallName } from "../model/resource-kind.ts";
import type { Scalar } from "../model/types.ts";
import {
  createdRecord,
  disabledRecord,
  editedRecord,
  entityOf,
  type IntegrationRecord,
  inactiveRecord,
  rowOf,
} from "./integration-record.ts";
import { putRecord, recordsOf, removeRow, rowsAbove } from "./kind-store.ts";
import { readBoolean, readInteger } from "./parameters.ts";
import { releasesOf } from "./release-facts.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
import type { Admitted, ServerContext } from "./server-context.ts";
import { nextNumber } from "./state.ts";

const noIntegration = ({ behaviour }: ServerContext) => notFound(behaviour.notFoundAs);
const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration endpoints (docs/api.md#integrations). Lists have no pages, and contain only active ones. */
export const integrationHandlers: Readonly<Record<CallName, (admitted: Admitted) => ServerReply>> = {
  list: listIntegrations,
  show: showIntegration,
  create: editIntegration,
  update: editIntegration,
  delete: disableIntegration,
};

function listIntegrations(admitted: Admitted): ServerReply {
  const active = [...effectiveIntegrations(admitted).values()].filter((record) => record.active);
  return json(
    200,
    active.map((record) => rowOf(admitted.context, record)),
  );
}

function showIntegration(admitted: Admitted): ServerReply {
  const { context } = admitted;
  const known = lookUp(admitted);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  return known.record ? json(200, entityOf(context, known.integration, known.record)) : noIntegration(context);
}

function editIntegration(admitted: Admitted): ServerReply {
  const { context } = admitted;
  const raw = { ...admitted.asked.query, ...admitted.asked.body };
  const integration = context.slugs.get(readSlug(admitted));
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(context, integration, raw);
  if (faults.length > 0) return invalid(faults);
  if (isUnclear(context, raw)) return invalid(["use_inherited_settings is invalid"]);
  const before = ownRecords(admitted).get(integration.slug);
  if (before && inheritsAgain(admitted, raw))
    removeRow(context.state, admitted, { number: before.id, row: { ...before } });
  const known = effectiveIntegrations(admitted).get(integration.slug);
  if (known && staysInherited(context, raw, known)) return json(200, entityOf(context, integration, known));
  const own = known && ownRecord(admitted, known);
  const record = own ? editedRecord(context, own, values, active) : createdRecord(context, integration, values, active);
  if (record !== ownRecords(admitted).get(integration.slug)) saveRecord(admitted, record);
  return json(200, entityOf(context, integration, record));
}

function saveRecord(admitted: Admitted, record: IntegrationRecord): void {
  putRecord(admitted.context.state, admitted, { number: record.id, row: { ...record } });
}

/** The record that a write edits: a group's record is copied first. */
function ownRecord(admitted: Admitted, known: IntegrationRecord): IntegrationRecord {
  const id = () => nextNumber(admitted.context.state, "integration");
  return ownRecords(admitted).get(known.slug) ?? { ...known, id: id() };
}

/** True if a request returns to the settings of a group. */
function inheritsAgain({ kind, context: { kinds } }: Admitted, raw: JsonObject): boolean {
  const groupsHaveThem = kinds.all.some(({ of, file }) => of === "group" && file === kind.file);
  return groupsHaveThem && readBoolean(raw.use_inherited_settings) === true;
}

function disableIntegration(admitted: Admitted): ServerReply {
  const { context } = admitted;
  const known = lookUp(admitted);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  const record = known.record ?? inactiveRecord(context, known.integration);
  if (!record) return context.behaviour.deletesUnconfigured ? noContent : noIntegration(context);
  if (isChangedSince(admitted, known.record)) return changedSince;
  if (record.active || record !== known.record)
    saveRecord(admitted, disabledRecord(context, known.integration, ownRecord(admitted, record)));
  return noContent;
}

/** True if the integration changed after the time in the request, on a server that checks it. */
function isChangedSince({ context, asked }: Admitted, record?: IntegrationRecord): boolean {
  const { behaviour } = context;
  const { unmodifiedSince } = asked;
  if (!behaviour.conditionalRemovals || unmodifiedSince === undefined || !record) return false;
  return Date.parse(record.updated_at) > unmodifiedSince;
}

/** True if `use_inherited_settings` is not a boolean, on a server that knows it. */
function isUnclear(context: ServerContext, { use_inherited_settings: asked }: JsonObject): boolean {
  return knowsInheriting(context) && asked !== undefined && asked !== "" && readBoolean(asked) === undefined;
}

/** True if inherited settings stay: the request does not override them. */
function staysInherited({ behaviour }: ServerContext, raw: JsonObject, { inherited }: IntegrationRecord): boolean {
  return behaviour.inheritedSettings && inherited === true && readBoolean(raw.use_inherited_settings) !== false;
}

interface Known {
  readonly integration: Integration | undefined;
  readonly record: IntegrationRecord | undefined;
}

/** A slug outside the catalogue exists if it was seeded. */
function lookUp(admitted: Admitted): Known | ServerReply | undefined {
  const slug = readSlug(admitted);
  const integration = admitted.context.slugs.get(slug);
  if (integration && "status" in integration) return integration;
  const record = effectiveIntegrations(admitted).get(slug);
  return integration || record ? { integration, record } : undefined;
}

function readSlug({ asked }: Admitted): string {
  return asked.match.named.slug ?? "";
}

function ownRecords(admitted: Admitted): ReadonlyMap<string, IntegrationRecord> {
  return bySlug(recordsOf(admitted.context.state, admitted).map(({ row }) => row));
}

function bySlug(rows: readonly JsonObject[]): Map<string, IntegrationRecord> {
  return new Map((rows as unknown as readonly IntegrationRecord[]).map((record) => [record.slug, record]));
}

/** The integrations as servers return them: own ones, else those of the nearest group above. */
function effectiveIntegrations(admitted: Admitted): ReadonlyMap<string, IntegrationRecord> {
  const { context, found } = admitted;
  const above = bySlug(rowsAbove(context.state, context.kinds, admitted, found.path));
  const inherited = [...above.values()].filter(({ active }) => active);
  const rows = inherited.map((record) => [record.slug, { ...record, inherited: true as const }] as const);
  return new Map([...rows, ...ownRecords(admitted)]);
}

interface ReadIntegration {
  readonly values: Readonly<Record<string, Scalar>>;
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

/** True if servers of the release accept it, in every behaviour: Evenkeel sends it to all of them. */
function knowsInheriting({ release }: Pick<ServerContext, "release">): boolean {
  return holdsIn(releasesOf("inherited-integrations"), release);
}

const lenient: ReadonlySet<FaultKind> = new Set(["unknown", "enum", "pattern"]);

function findFaults(context: ServerContext, integration: Integration, read: JsonObject): string[] {
  const { behaviour, release } = context;
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  const faults = parameterFaults(integration, set, release)
    .filter(({ fault }) => !(behaviour.lenientParameters && lenient.has(fault)))
    .filter(({ parameter }) => !(parameter === inheriting && knowsInheriting(context)))
    .map(({ parameter, fault }) => `${parameter} ${words[fault]}`);
  if (!behaviour.quirks) return faults;
  const required = [...integration.parameters.values()].filter(
    (parameter) => quirksAt(parameter, release).has("required") && !(parameter.name in read),
  );
  return [...faults, ...required.map(({ name }) => `${name} is missing`)];
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
