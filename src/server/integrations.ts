import type { Integration } from "../model/catalogue.ts";
import type { Scalar } from "../model/types.ts";
import { entityOf, rowOf } from "./integration-entity.ts";
import { readIntegration } from "./integration-parameters.ts";
import { putIntegration as keep } from "./records.ts";
import { invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
import { type IntegrationRecord, nextNumber, type ProjectState, timestamp } from "./state.ts";
import type { ProjectHandler, Visit, World } from "./world.ts";

const noIntegration = notFound("Integration");
const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration endpoints (spec: Integrations). Lists are whole, and hold the active ones alone. */
export const listIntegrations: ProjectHandler = ({ catalogue }, _, project) => {
  const active = [...project.integrations.values()].filter((record) => record.active);
  return json(
    200,
    active.map((record) => rowOf(catalogue, record)),
  );
};

export const getIntegration: ProjectHandler = (world, visit, project) => {
  const known = lookUp(world, visit, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  return known.record ? json(200, entityOf(world, known.integration, known.record)) : noIntegration;
};

export const editIntegration: ProjectHandler = (world, visit, project) => {
  const integration = world.slugs.get(slugOf(visit));
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(world, integration, visit.raw);
  if (faults.length > 0) return invalid(faults);
  const known = project.integrations.get(integration.slug);
  const record = known ? edited(world, known, values, active) : created(world, integration, values, active);
  if (record !== known) keep(world.state, project, record);
  return json(200, entityOf(world, integration, record));
};

export const deleteIntegration: ProjectHandler = (world, visit, project) => {
  const known = lookUp(world, visit, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  const record = known.record ?? inactiveRecord(world, known.integration);
  if (!record) return noIntegration;
  if (record.active || record !== known.record) keep(world.state, project, disabled(world, known.integration, record));
  return noContent;
};

interface Known {
  readonly integration: Integration | undefined;
  readonly record: IntegrationRecord | undefined;
}

/** A slug that the catalogue does not have is known where it was seeded. */
function lookUp(world: World, visit: Visit, project: ProjectState): Known | ServerReply | undefined {
  const slug = slugOf(visit);
  const integration = world.slugs.get(slug);
  if (integration && "status" in integration) return integration;
  const record = project.integrations.get(slug);
  return integration || record ? { integration, record } : undefined;
}

function slugOf({ segments }: Visit): string {
  return segments.slug ?? "";
}

type Values = Readonly<Record<string, Scalar>>;

function created(world: World, integration: Integration, values: Values, active?: boolean): IntegrationRecord {
  const now = timestamp();
  return {
    id: nextNumber(world.state, "integration"),
    slug: integration.slug,
    active: active ?? activeByDefault(world, integration),
    created_at: now,
    updated_at: now,
    values,
  };
}

/** Where `active` is a parameter its default counts; every other integration is on once it is written. */
function activeByDefault({ behaviour }: World, { parameters }: Integration): boolean {
  return behaviour.putActivates || (parameters.get("active")?.default ?? true) === true;
}

/** The same record where nothing changes, so that `updated_at` stands still. */
function edited(
  world: World,
  known: IntegrationRecord,
  values: Values,
  active: boolean | undefined,
): IntegrationRecord {
  const integration = world.slugs.get(known.slug);
  const keepsOwn = integration && "parameters" in integration && integration.parameters.has("active");
  const kept = keepsOwn && !world.behaviour.putActivates ? known.active : true;
  const next = active ?? kept;
  const isSame = next === known.active && Object.entries(values).every(([name, value]) => known.values[name] === value);
  if (isSame) return known;
  const updated_at = isUnmoved(world, known, values, next) ? known.updated_at : timestamp(known.updated_at);
  return { ...known, active: next, values: { ...known.values, ...values }, updated_at };
}

/** Deployed servers do not touch the record where only settings change that they keep apart. */
function isUnmoved({ behaviour, slugs }: World, known: IntegrationRecord, values: Values, active: boolean): boolean {
  const integration = slugs.get(known.slug);
  if (!behaviour.quirks || !integration || "status" in integration || !integration.apart) return false;
  const changed = Object.keys(values).filter((name) => known.values[name] !== values[name]);
  return active === known.active && changed.every((name) => integration.parameters.get(name)?.level === "properties");
}

function inactiveRecord(world: World, integration: Integration | undefined): IntegrationRecord | undefined {
  if (!world.behaviour.deleteCreatesInactive || !integration) return undefined;
  return created(world, integration, {}, false);
}

function disabled(world: World, integration: Integration | undefined, record: IntegrationRecord): IntegrationRecord {
  const values = world.behaviour.deleteWipes ? wiped(integration, record.values) : record.values;
  return { ...record, active: false, values, updated_at: timestamp(record.updated_at) };
}

/** Parameters become null; event flags survive. */
function wiped(integration: Integration | undefined, values: Values): Values {
  const entries = Object.entries(values).map(([name, value]): [string, Scalar] => {
    const isTop = integration?.parameters.get(name)?.level === "top";
    return [name, isTop ? value : null];
  });
  return Object.fromEntries(entries);
}
