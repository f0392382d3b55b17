import type { Integration } from "../model/catalogue.ts";
import { effectiveIntegrations } from "./inherited-integrations.ts";
import { knowsInheriting, modelRefusal, readIntegration } from "./integration-parameters.ts";
import { createdRecord, disabledRecord, editedRecord, entityOf, inactiveRecord, rowOf } from "./integration-record.ts";
import { readBoolean } from "./parameters.ts";
import { dropIntegration, putIntegration as keep } from "./records.ts";
import { changedSince, invalid, json, noContent, notAllowed, notFound, type ServerReply } from "./reply.ts";
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
