import type { JsonObject } from "../base/json.ts";
import {
  type Integration,
  type IntegrationParameter,
  isDestination,
  type ObservedQuirk,
  quirksAt,
} from "../model/catalogue.ts";
import { holdsIn } from "../model/dialect.ts";
import { type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import type { Scalar } from "../model/types.ts";
import { groupsAbove } from "./groups.ts";
import { createdRecord, disabledRecord, editedRecord, entityOf, inactiveRecord, rowOf } from "./integration-record.ts";
import { readBoolean, readInteger } from "./parameters.ts";
import { dropIntegration, putIntegration as keep } from "./records.ts";
import { releasesOf } from "./release-facts.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, refused, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ServerContext } from "./server-context.ts";
import { type IntegrationOwner, type IntegrationRecord, nextNumber } from "./state.ts";

type OwnerHandler = (context: ServerContext, call: ParsedRequest, owner: IntegrationOwner) => ServerReply;

const noIntegration = ({ behaviour }: ServerContext) => notFound(behaviour.notFoundAs);
const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration endpoints (docs/api.md#integrations). Lists have no pages, and contain only active ones. */
export const listIntegrations: OwnerHandler = (context, _, owner) => {
  const active = [...effectiveIntegrations(context, owner).values()].filter((record) => record.active);
  return json(
    200,
    active.map((record) => rowOf(context, record)),
  );
};

export const getIntegration: OwnerHandler = (context, call, owner) => {
  const known = lookUp(context, call, owner);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  return known.record ? json(200, entityOf(context, known.integration, known.record)) : noIntegration(context);
};

export const editIntegration: OwnerHandler = (context, call, owner) => {
  const integration = context.slugs.get(slugOf(call));
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(context, integration, call.raw);
  if (faults.length > 0) return invalid(faults);
  if (isUnclear(context, call)) return invalid(["use_inherited_settings is invalid"]);
  if (inheritsAgain(context, call)) dropIntegration(context.state, owner, integration.slug);
  const known = effectiveIntegrations(context, owner).get(integration.slug);
  if (known && staysInherited(context, call, known)) return json(200, entityOf(context, integration, known));
  const own = known && ownRecord(context, owner, known);
  const record = own ? editedRecord(context, own, values, active) : createdRecord(context, integration, values, active);
  const refusal = modelRefusal(context, { owner, integration, given: values, result: record.values });
  if (refusal) return refusal;
  if (record !== owner.integrations.get(integration.slug)) keep(context.state, owner, record);
  return json(200, entityOf(context, integration, record));
};

/** The record that a write edits: one of a group is copied first. */
function ownRecord({ state }: ServerContext, owner: IntegrationOwner, known: IntegrationRecord): IntegrationRecord {
  return owner.integrations.get(known.slug) ?? { ...known, id: nextNumber(state, "integration") };
}

/** Whether a request gives up settings of its own for those of a group. */
function inheritsAgain({ behaviour }: ServerContext, { raw }: ParsedRequest): boolean {
  return behaviour.groupIntegrations && readBoolean(raw.use_inherited_settings) === true;
}

export const deleteIntegration: OwnerHandler = (context, call, owner) => {
  const known = lookUp(context, call, owner);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  const record = known.record ?? inactiveRecord(context, known.integration);
  if (!record) return context.behaviour.deletesUnconfigured ? noContent : noIntegration(context);
  if (isChangedSince(context, call, known.record)) return changedSince;
  if (record.active || record !== known.record)
    keep(context.state, owner, disabledRecord(context, known.integration, ownRecord(context, owner, record)));
  return noContent;
};

/** Whether something changed after the time in a request, on a server that checks it. */
function isChangedSince(
  { behaviour }: ServerContext,
  { unmodifiedSince }: ParsedRequest,
  record?: IntegrationRecord,
): boolean {
  if (!behaviour.conditionalRemovals || unmodifiedSince === undefined || !record) return false;
  return Date.parse(record.updated_at) > unmodifiedSince;
}

/** Whether a request leaves open if the group's settings are used, on a server that requires it. */
function isUnclear(context: ServerContext, { raw: { use_inherited_settings: asked } }: ParsedRequest): boolean {
  return knowsInheriting(context) && asked !== undefined && asked !== "" && readBoolean(asked) === undefined;
}

/** Inherited settings are kept, unless the request overrides them for the project. */
function staysInherited(
  { behaviour }: ServerContext,
  { raw }: ParsedRequest,
  { inherited }: IntegrationRecord,
): boolean {
  return behaviour.inheritedSettings && inherited === true && readBoolean(raw.use_inherited_settings) !== false;
}

interface Known {
  readonly integration: Integration | undefined;
  readonly record: IntegrationRecord | undefined;
}

/** A slug outside the catalogue exists if it was seeded. */
function lookUp(context: ServerContext, call: ParsedRequest, owner: IntegrationOwner): Known | ServerReply | undefined {
  const slug = slugOf(call);
  const integration = context.slugs.get(slug);
  if (integration && "status" in integration) return integration;
  const record = effectiveIntegrations(context, owner).get(slug);
  return integration || record ? { integration, record } : undefined;
}

function slugOf({ segments }: ParsedRequest): string {
  return segments.slug ?? "";
}

/**
 * The integrations of a project or a group as servers return them: its own and, where it has none, those of the nearest group
 * above it.
 */
function effectiveIntegrations(
  { state, behaviour }: ServerContext,
  owner: IntegrationOwner,
): ReadonlyMap<string, IntegrationRecord> {
  if (!behaviour.groupIntegrations) return owner.integrations;
  const groups = state.groupIntegrations.size > 0 ? groupsAbove(state, owner.record.path) : [];
  const above = groups.flatMap(({ id }) => [...(state.groupIntegrations.get(id)?.values() ?? [])]);
  if (above.length === 0) return owner.integrations;
  const inherited = [...new Map(above.map((record) => [record.slug, record])).values()].filter(({ active }) => active);
  const rows = inherited.map((record) => [record.slug, { ...record, inherited: true as const }] as const);
  return new Map([...rows, ...owner.integrations]);
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
  const faults = faultsOf(context, integration, read);
  const { active, ...values } = kept(context, integration, read);
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

/** No integration has it, and every write may contain it. */
const inheriting = "use_inherited_settings";

/** Whether servers of the release take it, in every behaviour: Evenkeel sends it to all of them. */
function knowsInheriting({ release }: Pick<ServerContext, "release">): boolean {
  return holdsIn(releasesOf("inherited-integrations"), release);
}

const lenient: ReadonlySet<FaultKind> = new Set(["unknown", "enum", "pattern"]);

function faultsOf(context: ServerContext, integration: Integration, read: JsonObject): string[] {
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

/** The values that the server stores. */
function kept(
  { behaviour, release }: ServerContext,
  { parameters }: Integration,
  read: JsonObject,
): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(read)) {
    const parameter = parameters.get(name);
    const quirks = parameter && behaviour.quirks ? quirksAt(parameter, release) : noQuirks;
    if (parameter && !quirks.has("dropped")) values[name] = altered(quirks, value as Scalar);
  }
  if (behaviour.putActivates) delete values.active;
  return values;
}

const noQuirks: ReadonlySet<ObservedQuirk> = new Set();

function altered(quirks: ReadonlySet<ObservedQuirk>, value: Scalar): Scalar {
  if (typeof value !== "string") return value;
  const trimmed = quirks.has("trimmed") ? value.trim() : value;
  return quirks.has("slash") ? trimmed.replace(/\/$/, "") : trimmed;
}

type Values = Readonly<Record<string, Scalar>>;

/** The errors of each field. */
type Faults = readonly (readonly [field: string, sentence: string])[];

/** Validations of deployed servers that the seed enables. */
const checks = {
  block_local_addresses: localAddresses,
  validate_values: invalidValues,
} as const satisfies Record<string, (context: ServerContext, asked: Asked) => Faults>;

interface Asked {
  readonly owner: IntegrationOwner;
  readonly integration: Integration;
  /** The values of the request. */
  readonly given: Values;
  /** The resulting values of the integration. */
  readonly result: Values;
}

/** The validation error of an integration; undefined if it is valid or no feature requires the check. */
function modelRefusal(context: ServerContext, asked: Asked): ServerReply | undefined {
  const asking = Object.entries(checks).filter(([feature]) => context.state.features.has(feature));
  const faults = asking.flatMap(([, check]) => check(context, asked));
  if (faults.length === 0) return undefined;
  if (!context.behaviour.validationTold) return refused(400, "Bad Request");
  const fields = faults.map(([field, sentence]) => `:${field}=>[${JSON.stringify(sentence)}]`);
  return json(400, { message: `Failed to update integration. {${fields.join(", ")}}` });
}

function localAddresses(_: ServerContext, { integration: { parameters }, given }: Asked): Faults {
  return Object.entries(given)
    .filter(([name, value]) => isDestination(parameters.get(name) ?? {}) && isLocal(String(value)))
    .map(([name]) => [name, "is blocked: Requests to the local network are not allowed"]);
}

const local = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[::1?\]|\[f[cd])/i;

function isLocal(value: string): boolean {
  return URL.canParse(value) && local.test(new URL(value).hostname);
}

function invalidValues({ behaviour, slugs }: ServerContext, { owner, integration, result }: Asked): Faults {
  const faults = [...integration.parameters.values()].flatMap((parameter) => valueFaults(parameter, result));
  const isTaken = behaviour.oneIssueTracker && integration.alone && hasAnother(owner, integration, slugs);
  return isTaken ? [...faults, ["base", alreadyInUse]] : faults;
}

const alreadyInUse = "Another issue tracker is already in use. Only one issue tracker service can be active at a time";

function valueFaults({ name, valid, isRequired }: IntegrationParameter, values: Values): Faults {
  const isBlank = (each: string) => String(values[each] ?? "").trim() === "";
  const faults: [string, string][] = [];
  if (valid.pattern && !isBlank(name) && !new RegExp(valid.pattern).test(String(values[name])))
    faults.push([name, "is invalid"]);
  if (valid.pattern && isRequired && isBlank(name)) faults.push([name, "can't be blank"]);
  if (valid.instead && isBlank(name) && isBlank(valid.instead)) faults.push([name, "can't be blank"]);
  if (valid.with && isBlank(name) !== isBlank(valid.with))
    faults.push([isBlank(name) ? name : valid.with, "can't be blank"]);
  return faults;
}

function hasAnother({ integrations }: IntegrationOwner, { slug }: Integration, slugs: ServerContext["slugs"]): boolean {
  return [...integrations.values()].some((record) => {
    const other = slugs.get(record.slug);
    return record.active && record.slug !== slug && other !== undefined && !("status" in other) && other.alone;
  });
}
