import { type Catalogue, type Integration, type IntegrationParameter, quirksAt } from "../model/catalogue.ts";
import type { Scalar } from "../model/types.ts";
import { flagsListedIn } from "./release-facts.ts";
import type { ServerContext } from "./server-context.ts";
import { nextNumber, timestamp } from "./state.ts";

export interface IntegrationRecord {
  readonly id: number;
  readonly slug: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly inherited?: true;
  /** Event flags and other parameters that have been set. */
  readonly values: Readonly<Record<string, Scalar>>;
}

type Values = Readonly<Record<string, Scalar>>;

/** A new record with the values of a PUT and the initial values of deployed servers. */
export function createdRecord(
  context: ServerContext,
  integration: Integration,
  values: Values,
  active?: boolean,
): IntegrationRecord {
  const now = timestamp();
  return {
    id: nextNumber(context.state, "integration"),
    slug: integration.slug,
    active: active ?? activeByDefault(context, integration),
    created_at: now,
    updated_at: now,
    values: context.behaviour.quirks ? { ...initialValues(integration), ...values } : values,
  };
}

function initialValues({ parameters }: Integration): Values {
  const set = [...parameters.values()].flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial]]));
  return Object.fromEntries(set);
}

/** True for a written integration, unless `active` is a parameter with a default. */
function activeByDefault({ behaviour }: ServerContext, { parameters, staysOff }: Integration): boolean {
  if (behaviour.quirks && staysOff) return false;
  return behaviour.putActivates || (parameters.get("active")?.default ?? true) === true;
}

/** Returns the same record if nothing changes, so that `updated_at` does not change. */
export function editedRecord(
  context: ServerContext,
  known: IntegrationRecord,
  values: Values,
  active: boolean | undefined,
): IntegrationRecord {
  const integration = context.slugs.get(known.slug);
  const kept = integration && "parameters" in integration ? activeAfterPut(context, integration, known) : true;
  const next = active ?? kept;
  const isSame =
    !context.behaviour.writesMove &&
    next === known.active &&
    Object.entries(values).every(([name, value]) => known.values[name] === value);
  if (isSame) return known;
  const updated_at = isUnmoved(context, known, values, next) ? known.updated_at : timestamp(known.updated_at);
  return { ...withoutInheritance(known), active: next, values: { ...known.values, ...values }, updated_at };
}

/** Activity after a PUT without `active`: true, unless the integration keeps its state. */
function activeAfterPut(
  { behaviour }: ServerContext,
  { parameters, staysOff }: Integration,
  { active }: IntegrationRecord,
): boolean {
  if (behaviour.quirks && staysOff) return active;
  return !parameters.has("active") || behaviour.putActivates || active;
}

/** Deployed servers do not update the record if only settings change that they store separately. */
function isUnmoved(
  { behaviour, slugs }: ServerContext,
  known: IntegrationRecord,
  values: Values,
  active: boolean,
): boolean {
  const integration = slugs.get(known.slug);
  if (!behaviour.quirks || !integration || "status" in integration || !integration.apart) return false;
  const changed = Object.keys(values).filter((name) => known.values[name] !== values[name]);
  return active === known.active && changed.every((name) => integration.parameters.get(name)?.level === "properties");
}

/** The record after a DELETE of an integration that was never configured, if there is one. */
export function inactiveRecord(
  context: ServerContext,
  integration: Integration | undefined,
): IntegrationRecord | undefined {
  if (!context.behaviour.deleteCreatesInactive || !integration) return undefined;
  return createdRecord(context, integration, {}, false);
}

export function disabledRecord(
  context: ServerContext,
  integration: Integration | undefined,
  record: IntegrationRecord,
): IntegrationRecord {
  const values = context.behaviour.deleteWipes ? wipeValues(integration, record.values) : record.values;
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
export function rowOf({ catalogue, behaviour, release }: ServerContext, record: IntegrationRecord): Fields {
  const { id, slug, created_at, updated_at, active, values } = record;
  const row: Fields = { id, title: findTitle(catalogue, slug), slug, created_at, updated_at, active };
  for (const flag of catalogue.listedFlags) row[flag] = values[flag] ?? true;
  if (behaviour.quirks) for (const [flag, unset] of flagsListedIn(release)) row[flag] = values[flag] ?? unset;
  return behaviour.inheritedSettings ? { ...row, inherited: record.inherited ?? false } : row;
}

function findTitle({ integrations }: Catalogue, slug: string): string {
  return integrations.get(slug)?.title ?? slug.replaceAll("-", " ");
}

/** The response to a GET of one and to a PUT: the row, flags that a list omits, and `properties`. */
export function entityOf(
  context: ServerContext,
  integration: Integration | undefined,
  record: IntegrationRecord,
): Fields {
  const entity = rowOf(context, record);
  if (!integration) return { ...entity, properties: unlistedFlags(context.catalogue, record) };
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

function unlistedFlags({ listedFlags }: Catalogue, { values }: IntegrationRecord): Fields {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !listedFlags.includes(name)));
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
