import type { JsonObject } from "../base/json.ts";
import { tierIncludes, unavailable } from "../model/availability.ts";
import type { Catalogue, Integration } from "../model/catalogue.ts";
import type { Parameter } from "../model/endpoints.ts";
import { legacyStatuses, licenseStatuses } from "../model/license-status.ts";
import type { Environment, Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import { forbidden, json, type ServerReply } from "./reply.ts";
import { type RouteName, routes } from "./routes.ts";
import type { Caller, ProjectState, State } from "./state.ts";

/** The state and the settings that every answer depends on. */
export interface ServerContext {
  readonly state: State;
  readonly release: string;
  readonly tier: Tier;
  readonly environment: Environment;
  /** What there is to configure, in the names that it speaks. */
  readonly catalogue: Catalogue;
  readonly behaviour: Behaviour;
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** The integrations of this release, tier and environment; why one is out of this tier. */
  readonly slugs: ReadonlyMap<string, Integration | ServerReply>;
  readonly parameters: Readonly<Record<RouteName, Readonly<Record<string, Parameter>>>>;
  /** Lets a scheduled storage move run. */
  readonly startMove: (move: number) => void;
}

/** One request, parsed: who asks, for what, and with which parameters. */
export interface ParsedRequest {
  readonly caller: Caller;
  readonly segments: Readonly<Record<string, string>>;
  /** As they came, from query and body. */
  readonly raw: JsonObject;
  /** Those of the endpoint's table, checked. */
  readonly given: Readonly<Record<string, string | number | boolean>>;
  /** Origin, prefix and path of the request: what links to other pages start with. */
  readonly address: string;
  /** Milliseconds since 1970: nothing that changed after it may be removed. */
  readonly unmodifiedSince: number | undefined;
}

export type Handler = (context: ServerContext, call: ParsedRequest) => ServerReply;

export type ProjectHandler = (context: ServerContext, call: ParsedRequest, project: ProjectState) => ServerReply;

export type ProjectRefusal = (
  context: ServerContext,
  call: ParsedRequest,
  project: ProjectState,
) => ServerReply | undefined;

/** The slugs that exist here. Those of another release or environment do not; those of another tier refuse. */
export function slugsOf(
  platform: Pick<ServerContext, "catalogue" | "release" | "tier" | "environment">,
): ServerContext["slugs"] {
  const entries = [...platform.catalogue.integrations.values()].flatMap(
    (integration): [string, Integration | ServerReply][] => {
      const why = unavailable(integration, platform);
      if (!why) return [[integration.slug, integration]];
      return why.rule === "tier" ? [[integration.slug, tooLowTier(why.message)]] : [];
    },
  );
  return new Map(entries);
}

/** The refusal of what needs a higher tier. */
function tooLowTier(reason: string): ServerReply {
  return json(403, { message: `403 Forbidden - ${reason}` });
}

/** A refusal where the server's tier does not include what `needed` names. */
export function tierRefusal(context: ServerContext, what: string, needed: Tier): ServerReply | undefined {
  if (tierIncludes(context.tier, needed)) return undefined;
  return tooLowTier(`${what} need tier ${needed}; the server is ${context.tier}`);
}

const approvalWords: Readonly<Record<Behaviour["licenseWords"], readonly string[]>> = {
  legacy: [...legacyStatuses.keys()],
  all: [...licenseStatuses, ...legacyStatuses.keys()],
  current: licenseStatuses,
};

/** Each route's parameters in this behaviour. */
export function parametersOf(behaviour: Behaviour): ServerContext["parameters"] {
  const byChoice = chosenParameters(behaviour);
  const entries = (Object.keys(routes) as RouteName[]).map((name) => {
    const table = routes[name].parameters;
    const listed = table === "integration" ? {} : table;
    return [name, { ...listed, ...behaviour.parameters[name], ...byChoice[name] }] as const;
  });
  return Object.fromEntries(entries) as ServerContext["parameters"];
}

/** The parameters that follow from a choice. */
function chosenParameters(behaviour: Behaviour): Behaviour["parameters"] {
  const { licenseWords, approvalOptional } = behaviour;
  const approval: Parameter = { type: "string", enum: approvalWords[licenseWords] };
  const needed: Parameter = { ...approval, required: true };
  return {
    createLicense: { approval_status: needed },
    updateLicense: { approval_status: approvalOptional ? approval : needed },
    listDeployments: deploymentFilters(behaviour),
  };
}

function deploymentFilters({ ordersByRef, moreStatuses, knowsFinish }: Behaviour): Readonly<Record<string, Parameter>> {
  const { parameters } = routes.listDeployments;
  if (!parameters || parameters === "integration") return {};
  const { order_by: order, status } = parameters;
  const listed = order?.enum?.filter((each) => ordersByRef || each !== "ref") ?? [];
  const orders = [...listed, ...((knowsFinish && order?.beyond?.enum) || [])];
  const statuses = [...(status?.enum ?? []), ...((moreStatuses && status?.beyond?.enum) || [])];
  return {
    ...(order && { order_by: { ...order, enum: orders } }),
    ...(status && { status: { ...status, enum: statuses } }),
    ...(knowsFinish && { finished_after: { type: "datetime" }, finished_before: { type: "datetime" } }),
  };
}

/** The refusal of a project whose requests are all forbidden. */
export function accessRefusal(project: ProjectState): ServerReply | undefined {
  return project.record.access === undefined ? undefined : forbidden;
}
