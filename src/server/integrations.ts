import type { Integration } from "../model/catalogue.ts";
import { modelRefusal, readIntegration } from "./integration-parameters.ts";
import { createdRecord, disabledRecord, editedRecord, entityOf, inactiveRecord, rowOf } from "./integration-record.ts";
import { readBoolean } from "./parameters.ts";
import { putIntegration as keep } from "./records.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
import type { ProjectHandler, Visit, World } from "./server-context.ts";
import type { IntegrationRecord, ProjectState } from "./state.ts";

const noIntegration = ({ behaviour }: World) => notFound(behaviour.notFoundAs);
const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration endpoints (docs/api.md#integrations). Lists are whole, and hold the active ones alone. */
export const listIntegrations: ProjectHandler = (world, _, project) => {
  const active = [...project.integrations.values()].filter((record) => record.active);
  return json(
    200,
    active.map((record) => rowOf(world, record)),
  );
};

export const getIntegration: ProjectHandler = (world, visit, project) => {
  const known = lookUp(world, visit, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  return known.record ? json(200, entityOf(world, known.integration, known.record)) : noIntegration(world);
};

export const editIntegration: ProjectHandler = (world, visit, project) => {
  const integration = world.slugs.get(slugOf(visit));
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(world, integration, visit.raw);
  if (faults.length > 0) return invalid(faults);
  if (isUnclear(world, visit)) return invalid(["use_inherited_settings is invalid"]);
  const known = project.integrations.get(integration.slug);
  if (known && staysInherited(world, visit, known)) return json(200, entityOf(world, integration, known));
  const record = known ? editedRecord(world, known, values, active) : createdRecord(world, integration, values, active);
  const refusal = modelRefusal(world, { project, integration, given: values, result: record.values });
  if (refusal) return refusal;
  if (record !== known) keep(world.state, project, record);
  return json(200, entityOf(world, integration, record));
};

export const deleteIntegration: ProjectHandler = (world, visit, project) => {
  const known = lookUp(world, visit, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  const record = known.record ?? inactiveRecord(world, known.integration);
  if (!record) return noIntegration(world);
  if (isChangedSince(world, visit, known.record)) return changedSince;
  if (record.active || record !== known.record)
    keep(world.state, project, disabledRecord(world, known.integration, record));
  return noContent;
};

/** Whether something changed after the time that a request names, on a server that heeds it. */
function isChangedSince({ behaviour }: World, { unmodifiedSince }: Visit, record?: IntegrationRecord): boolean {
  if (!behaviour.conditionalRemovals || unmodifiedSince === undefined || !record) return false;
  return Date.parse(record.updated_at) > unmodifiedSince;
}

/** Whether a request says neither yes nor no to the settings of the group, on a server that asks. */
function isUnclear({ behaviour }: World, { raw: { use_inherited_settings: asked } }: Visit): boolean {
  return behaviour.inheritedSettings && asked !== undefined && asked !== "" && readBoolean(asked) === undefined;
}

/** What a group hands down stays as it is, unless the request says that the project has settings of its own. */
function staysInherited({ behaviour }: World, { raw }: Visit, { inherited }: IntegrationRecord): boolean {
  return behaviour.inheritedSettings && inherited === true && readBoolean(raw.use_inherited_settings) !== false;
}

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
