import type { JsonObject } from "../base/json.ts";
import { tierIncludes, unavailable } from "../model/availability.ts";
import type { Catalogue, Integration } from "../model/catalogue.ts";
import type { Parameter } from "../model/endpoints.ts";
import type { Environment, Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import type { KindMatch } from "./kind-paths.ts";
import type { RowPlace } from "./kind-store.ts";
import type { ServedKind, ServedKinds } from "./kinds.ts";
import { forbidden, json, type ServerReply } from "./reply.ts";
import { type RouteName, routes } from "./routes.ts";
import type { Caller, ProjectState, State } from "./state.ts";

/** The state and the settings that all responses depend on. */
export interface ServerContext {
  readonly state: State;
  readonly release: string;
  readonly tier: Tier;
  readonly environment: Environment;
  /** The catalogue in the dialect of the server. */
  readonly catalogue: Catalogue;
  readonly behaviour: Behaviour;
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** Integrations of this release, tier and environment; for another tier, the error. */
  readonly slugs: ReadonlyMap<string, Integration | ServerReply>;
  readonly parameters: Readonly<Record<RouteName, Readonly<Record<string, Parameter>>>>;
  readonly kinds: ServedKinds;
  /** Starts a scheduled storage move. */
  readonly startMove: (move: number) => void;
}

export interface ParsedRequest {
  readonly caller: Caller;
  readonly segments: Readonly<Record<string, string>>;
  /** As received, from query and body. */
  readonly raw: JsonObject;
  /** Validated parameters of the endpoint's table. */
  readonly given: Readonly<Record<string, string | number | boolean>>;
  /** Origin, prefix and path of the request, as in links to other pages. */
  readonly address: string;
}

export interface KindRequest {
  readonly match: KindMatch<ServedKind>;
  readonly method: string;
  readonly caller: Caller;
  readonly query: JsonObject;
  /** Parameters of the body, which take precedence over the query. */
  readonly body: JsonObject;
  readonly unreadable?: ServerReply | undefined;
  readonly address: string;
  /** Milliseconds since 1970: anything changed after it must not be removed. */
  readonly unmodifiedSince: number | undefined;
}

/** A request to a kind with its project or group, from an authorized caller. */
export interface Admitted extends RowPlace {
  readonly context: ServerContext;
  readonly asked: KindRequest;
  readonly found: OwnerOfRows;
}

/** A project or group with rows; it is a resource itself if a kind says so. */
export interface OwnerOfRows {
  readonly id: number;
  readonly path: string;
  /** The response for the project or group itself. */
  readonly shown: () => JsonObject;
  readonly change: (params: JsonObject) => void;
}

export type Handler = (context: ServerContext, call: ParsedRequest) => ServerReply;

export type ProjectHandler = (context: ServerContext, call: ParsedRequest, project: ProjectState) => ServerReply;

/** Slugs that exist in this release and environment. Those of another tier are rejected. */
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

function tooLowTier(reason: string): ServerReply {
  return json(403, { message: `403 Forbidden - ${reason}` });
}

/** An error if the server's tier does not include `needed`. */
export function tierRefusal(context: ServerContext, what: string, needed: Tier): ServerReply | undefined {
  if (tierIncludes(context.tier, needed)) return undefined;
  return tooLowTier(`${what} need tier ${needed}; the server is ${context.tier}`);
}

export function parametersOf(behaviour: Behaviour): ServerContext["parameters"] {
  const byChoice: Behaviour["parameters"] = { listDeployments: deploymentFilters(behaviour) };
  const entries = (Object.keys(routes) as RouteName[]).map((name) => {
    return [name, { ...routes[name].parameters, ...behaviour.parameters[name], ...byChoice[name] }] as const;
  });
  return Object.fromEntries(entries) as ServerContext["parameters"];
}

function deploymentFilters({ ordersByRef, moreStatuses, knowsFinish }: Behaviour): Readonly<Record<string, Parameter>> {
  const { parameters } = routes.listDeployments;
  if (!parameters) return {};
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

/** The error for a project whose requests are all forbidden, or that is archived and therefore read-only. */
export function accessRefusal({ record }: ProjectState, isReadable: boolean): ServerReply | undefined {
  return record.access === undefined && (isReadable || !record.archived) ? undefined : forbidden;
}
