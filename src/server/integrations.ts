import type { Integration } from "../model/catalogue.ts";
import { modelRefusal, readIntegration } from "./integration-parameters.ts";
import { createdRecord, disabledRecord, editedRecord, entityOf, inactiveRecord, rowOf } from "./integration-record.ts";
import { readBoolean } from "./parameters.ts";
import { putIntegration as keep } from "./records.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import type { IntegrationRecord, ProjectState } from "./state.ts";

const noIntegration = ({ behaviour }: ServerContext) => notFound(behaviour.notFoundAs);
const unknownSlug = invalid(["slug does not have a valid value"]);

/** The integration endpoints (docs/api.md#integrations). Lists have no pages, and contain only active ones. */
export const listIntegrations: ProjectHandler = (context, _, project) => {
  const active = [...project.integrations.values()].filter((record) => record.active);
  return json(
    200,
    active.map((record) => rowOf(context, record)),
  );
};

export const getIntegration: ProjectHandler = (context, call, project) => {
  const known = lookUp(context, call, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  return known.record ? json(200, entityOf(context, known.integration, known.record)) : noIntegration(context);
};

export const editIntegration: ProjectHandler = (context, call, project) => {
  const integration = context.slugs.get(slugOf(call));
  if (!integration) return notAllowed;
  if ("status" in integration) return integration;
  const { values, active, faults } = readIntegration(context, integration, call.raw);
  if (faults.length > 0) return invalid(faults);
  if (isUnclear(context, call)) return invalid(["use_inherited_settings is invalid"]);
  const known = project.integrations.get(integration.slug);
  if (known && staysInherited(context, call, known)) return json(200, entityOf(context, integration, known));
  const record = known
    ? editedRecord(context, known, values, active)
    : createdRecord(context, integration, values, active);
  const refusal = modelRefusal(context, { project, integration, given: values, result: record.values });
  if (refusal) return refusal;
  if (record !== known) keep(context.state, project, record);
  return json(200, entityOf(context, integration, record));
};

export const deleteIntegration: ProjectHandler = (context, call, project) => {
  const known = lookUp(context, call, project);
  if (!known) return unknownSlug;
  if ("status" in known) return known;
  const record = known.record ?? inactiveRecord(context, known.integration);
  if (!record) return noIntegration(context);
  if (isChangedSince(context, call, known.record)) return changedSince;
  if (record.active || record !== known.record)
    keep(context.state, project, disabledRecord(context, known.integration, record));
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
function isUnclear({ behaviour }: ServerContext, { raw: { use_inherited_settings: asked } }: ParsedRequest): boolean {
  return behaviour.inheritedSettings && asked !== undefined && asked !== "" && readBoolean(asked) === undefined;
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
function lookUp(context: ServerContext, call: ParsedRequest, project: ProjectState): Known | ServerReply | undefined {
  const slug = slugOf(call);
  const integration = context.slugs.get(slug);
  if (integration && "status" in integration) return integration;
  const record = project.integrations.get(slug);
  return integration || record ? { integration, record } : undefined;
}

function slugOf({ segments }: ParsedRequest): string {
  return segments.slug ?? "";
}
