import { listAuditEvents } from "./audit-events.ts";
import { createGroup, createProject, listGroupProjects, listSubgroups } from "./created.ts";
import { listDeployments } from "./deployment-list.ts";
import * as deployments from "./deployments.ts";
import { formerProject, movedReply } from "./former-paths.ts";
import { getGroup, listGroups } from "./groups.ts";
import * as mergeRequests from "./merge-requests.ts";
import { addMove, listMoves, ownMove, ownMoves, scheduleMoves, showMove } from "./moves.ts";
import { readParameters } from "./parameters.ts";
import { getProject, listProjects, setArchived } from "./projects.ts";
import { forbidden, invalid, notFound, outOfScope, type ServerReply } from "./reply.ts";
import { type RouteName, routes } from "./routes.ts";
import {
  accessRefusal,
  type Handler,
  type ParsedRequest,
  type ProjectHandler,
  type ServerContext,
} from "./server-context.ts";
import { type Caller, findProject, type MoveKind, type Role, roles } from "./state.ts";
import { getMetadata, getToken, getUser, getVersion, listUsers } from "./users.ts";

type HandlerRow = {
  readonly role: Role;
  /** True if the role is checked before the parameters. */
  readonly roleFirst?: true;
  /** True if archived projects accept it. */
  readonly ofArchived?: true;
} & ({ readonly project: ProjectHandler } | { readonly instance: Handler });

function moveHandlers<Kind extends MoveKind>(kind: Kind) {
  const asAdmin = { role: "admin", roleFirst: true } as const;
  return {
    [`oneMove:${kind}`]: { ...asAdmin, instance: showMove(kind) },
    [`ownMoves:${kind}`]: { ...asAdmin, instance: ownMoves(kind) },
    [`ownMove:${kind}`]: { ...asAdmin, instance: ownMove(kind) },
    [`addMove:${kind}`]: { ...asAdmin, instance: addMove(kind) },
  } as Readonly<Record<`${"oneMove" | "ownMoves" | "ownMove" | "addMove"}:${Kind}`, HandlerRow>>;
}

const handlers: Readonly<Record<RouteName, HandlerRow>> = {
  listGroups: { role: "guest", instance: listGroups },
  createGroup: { role: "guest", instance: createGroup },
  listGroupProjects: { role: "guest", instance: listGroupProjects },
  listSubgroups: { role: "guest", instance: listSubgroups },
  getGroup: { role: "guest", instance: getGroup },

  listProjects: { role: "guest", instance: listProjects },
  createProject: { role: "guest", instance: createProject },
  getProject: { role: "guest", project: getProject },
  archiveProject: { role: "owner", project: setArchived(true) },
  unarchiveProject: { role: "owner", ofArchived: true, project: setArchived(false) },

  getUser: { role: "guest", instance: getUser },
  getToken: { role: "guest", instance: getToken },
  getVersion: { role: "guest", instance: getVersion },
  getMetadata: { role: "guest", instance: getMetadata },
  listUsers: { role: "guest", instance: listUsers },

  listDeployments: { role: "reporter", project: listDeployments },
  getDeployment: { role: "reporter", project: deployments.getDeployment },
  createDeployment: { role: "developer", project: deployments.createDeployment },
  updateDeployment: { role: "developer", project: deployments.editDeployment },
  deleteDeployment: { role: "maintainer", project: deployments.deleteDeployment },
  listDeploymentMergeRequests: { role: "reporter", project: deployments.listDeploymentMergeRequests },

  listAuditEvents: { role: "maintainer", instance: listAuditEvents("project") },
  listGroupAuditEvents: { role: "maintainer", instance: listAuditEvents("group") },

  createCommit: { role: "developer", project: mergeRequests.createCommit },
  listCommits: { role: "reporter", project: mergeRequests.listCommits },
  getFile: { role: "reporter", project: mergeRequests.getFile },
  listMergeRequests: { role: "reporter", project: mergeRequests.filterMergeRequests },
  getMergeRequest: { role: "reporter", project: mergeRequests.getMergeRequest },
  createMergeRequest: { role: "developer", project: mergeRequests.createMergeRequest },
  updateMergeRequest: { role: "developer", project: mergeRequests.updateMergeRequest },

  moveProjects: { role: "admin", roleFirst: true, instance: scheduleMoves("project") },
  moveSnippets: { role: "admin", roleFirst: true, instance: scheduleMoves("snippet") },
  moveGroups: { role: "admin", roleFirst: true, instance: scheduleMoves("group") },

  listProjectMoves: { role: "admin", roleFirst: true, instance: listMoves("project") },
  listSnippetMoves: { role: "admin", roleFirst: true, instance: listMoves("snippet") },
  listGroupMoves: { role: "admin", roleFirst: true, instance: listMoves("group") },

  ...moveHandlers("project"),
  ...moveHandlers("snippet"),
  ...moveHandlers("group"),
};

const noProject = notFound("Project");

export interface RoutedRequest {
  readonly endpoint: RouteName;
  readonly caller: Caller;
  readonly segments: ParsedRequest["segments"];
  readonly raw: ParsedRequest["raw"];
  readonly address: string;
  /** The error if the body could not be read; reported after authentication. */
  readonly unreadable?: ServerReply | undefined;
}

/** Checks in the platform's order (project, role, parameters; or parameters first, by the row), then calls the handler. */
export function handle(context: ServerContext, { endpoint, unreadable, ...asked }: RoutedRequest): ServerReply {
  const row = handlers[endpoint];
  if (!isInScope(asked.caller, endpoint)) return outOfScope;
  const { values, faults } = readParameters(context.parameters[endpoint], asked.raw);
  const unread = unreadable ?? (faults.length > 0 ? invalid(faults) : undefined);
  const call: ParsedRequest = { ...asked, given: values };
  if ("instance" in row) return roleRefusal(row, asked.caller) ?? unread ?? row.instance(context, call);
  const named = asked.segments.id ?? "";
  const project = findProject(context.state, named) ?? formerProject(context, named);
  if (project && !("record" in project)) {
    return movedReply(routes[endpoint].method, call.address, call.raw, project.movedTo);
  }
  if (unread && !row.roleFirst) return unread;
  if (!project) return noProject;
  const refusal =
    accessRefusal(project, row.ofArchived ?? routes[endpoint].method === "GET") ?? roleRefusal(row, asked.caller);
  return refusal ?? unread ?? row.project(context, call, project);
}

const ofAnyScope: ReadonlySet<RouteName> = new Set(["getUser", "getVersion", "getMetadata"]);

/** Scopes are checked first; any scope may read the user of the token. */
function isInScope({ scopes = ["api"] }: Caller, endpoint: RouteName): boolean {
  if (scopes.includes("api") || scopes.includes("granular") || endpoint === "getToken") return true;
  if (routes[endpoint].method !== "GET") return false;
  return scopes.includes("read_api") || ofAnyScope.has(endpoint);
}

function roleRefusal(row: HandlerRow, { role }: Caller): ServerReply | undefined {
  return roles.indexOf(role) >= roles.indexOf(row.role) ? undefined : forbidden;
}
