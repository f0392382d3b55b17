import type { JsonObject } from "../base/json.ts";
import { tierIncludes } from "../model/availability.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Environment, Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import type { ServedKinds } from "./kinds.ts";
import { forbidden, json, notFound, type ServerReply } from "./reply.ts";
import { type Caller, findRepository, type Repository, roles, type State } from "./state.ts";

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
  readonly kinds: ServedKinds;
  /** Starts a scheduled storage move. */
  readonly startMove: (move: number) => void;
}

/** A request to a known path from an authenticated caller. */
export interface ServerRequest {
  readonly method: string;
  /** Relative to /api/v4. */
  readonly path: string;
  /** Origin, prefix and path of the request, as in links to other pages. */
  readonly address: string;
  /** The query without the token. */
  readonly search: string;
  readonly caller: Caller;
  /** Decoded values of the parameters in the path. */
  readonly segments: Readonly<Record<string, string>>;
  readonly query: JsonObject;
  /** Parameters of the body, which take precedence over the query. */
  readonly body: JsonObject;
  readonly isJson: boolean;
  /** The error if the body could not be read; reported after authentication. */
  readonly unreadable?: ServerReply | undefined;
  /** Milliseconds since 1970: anything changed after it must not be removed. */
  readonly unmodifiedSince: number | undefined;
}

export interface ParsedRequest extends ServerRequest {
  /** As received, from query and body. */
  readonly raw: JsonObject;
  /** Validated parameters of the endpoint's table. */
  readonly given: Readonly<Record<string, string | number | boolean>>;
}

export type Handler = (context: ServerContext, call: ParsedRequest) => ServerReply;

export type ProjectHandler = (context: ServerContext, call: ParsedRequest, project: Repository) => ServerReply;

export function tooLowTier(reason: string): ServerReply {
  return json(403, { message: `403 Forbidden - ${reason}` });
}

/** An error if the server's tier does not include `needed`. */
export function tierRefusal(context: ServerContext, what: string, needed: Tier): ServerReply | undefined {
  if (tierIncludes(context.tier, needed)) return undefined;
  return tooLowTier(`${what} need tier ${needed}; the server is ${context.tier}`);
}

/** True if the scopes of a token allow a request; only reads are allowed to any scope. */
export function isInScope({ scopes = ["api"] }: Caller, method: string, isOpen = false): boolean {
  if (scopes.includes("api") || scopes.includes("granular")) return true;
  return (isOpen || scopes.includes("read_api")) && (method === "GET" || method === "HEAD");
}

export function hasRole({ role }: Caller, least: Caller["role"]): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/**
 * The project of a request. An error if it does not exist, moved, forbids every request, or is archived and the request
 * is not one that archived projects accept.
 */
export function admitProject(
  { state, behaviour }: ServerContext,
  { segments: { id = "" }, method, address, search }: ServerRequest,
  isReadable: boolean,
): Repository | ServerReply {
  const former = behaviour.formerPaths === "unknown" ? undefined : state.ids.former.get(id.toLowerCase());
  const project = findRepository(state, "project", id) ?? state.project.get(String(former));
  if (!project) return notFound("Project");
  if (project.id === former && behaviour.formerPaths === "redirected") {
    if (method !== "GET") return json(405, { message: "Non GET methods are not allowed for moved projects" });
    const location = address.replace(/\/projects\/[^/]+/, `/projects/${former}`) + (search && `?${search}`);
    return json(301, `This resource has been moved permanently to ${location}`, { location });
  }
  return project.access === undefined && (isReadable || !project.archived) ? project : forbidden;
}
