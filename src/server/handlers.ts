import { type Endpoint, type EndpointName, endpoints, type Parameter } from "../model/endpoints.ts";
import { compareReleases } from "../model/releases.ts";
import { listAuditEvents } from "./audit-events.ts";
import { createGroup, createProject } from "./created.ts";
import * as deployments from "./deployments.ts";
import * as mergeRequests from "./merge-requests.ts";
import { addMove, listMoves, moveHandler, scheduleMoves, showMove } from "./moves.ts";
import { readParameters } from "./parameters.ts";
import * as projects from "./projects.ts";
import { forbidden, invalid, json, outOfScope, type ServerReply } from "./reply.ts";
import type { ServedRoute } from "./routes.ts";
import {
  admitProject,
  type Handler,
  hasRole,
  isInScope,
  type ProjectHandler,
  type ServerContext,
  type ServerRequest,
} from "./server-context.ts";
import { getMetadata, getToken, getUser, getVersion, listUsers } from "./users.ts";

/** A handler that checks the parameters before the project and the role, or after the role. */
type Answer = { readonly project: ProjectHandler } | { readonly instance: Handler };

type ServedEndpoint = Pick<Endpoint, "path" | "needs" | "parameters" | "introduced" | "observed"> & {
  readonly method: string;
  readonly body?: "form" | "json";
  /** True if archived projects accept it. */
  readonly ofArchived?: true;
  /** True if a token of any scope may read it. */
  readonly ofAnyScope?: true;
} & Answer;

const handlers: Readonly<Record<EndpointName, Answer & Pick<ServedEndpoint, "ofAnyScope">>> = {
  listGroups: { instance: projects.listGroups },
  getGroup: { instance: projects.getGroup },
  listProjects: { instance: projects.listProjects },
  getProject: { project: projects.getProject },

  getUser: { instance: getUser, ofAnyScope: true },
  getToken: { instance: getToken, ofAnyScope: true },
  getVersion: { instance: getVersion, ofAnyScope: true },
  getMetadata: { instance: getMetadata, ofAnyScope: true },

  listDeployments: { project: deployments.listDeployments },
  getDeployment: { project: deployments.getDeployment },
  createDeployment: { project: deployments.createDeployment },
  updateDeployment: { project: deployments.editDeployment },
  deleteDeployment: { project: deployments.deleteDeployment },
  listDeploymentMergeRequests: { project: deployments.listDeploymentMergeRequests },

  listAuditEvents: { instance: listAuditEvents("project") },
  listGroupAuditEvents: { instance: listAuditEvents("group") },

  createCommit: { project: mergeRequests.createCommit },
  listMergeRequests: { project: mergeRequests.filterMergeRequests },
  createMergeRequest: { project: mergeRequests.createMergeRequest },
  updateMergeRequest: { project: mergeRequests.updateMergeRequest },

  moveProjects: { instance: moveHandler("project", scheduleMoves) },
  moveSnippets: { instance: moveHandler("snippet", scheduleMoves) },
  moveGroups: { instance: moveHandler("group", scheduleMoves) },
  listProjectMoves: { instance: moveHandler("project", listMoves) },
  listSnippetMoves: { instance: moveHandler("snippet", listMoves) },
  listGroupMoves: { instance: moveHandler("group", listMoves) },
};

const text: Parameter = { type: "string" };
const repository = "/projects/:id/repository";
const archiving = { method: "POST", needs: "owner" } as const;
const reading = { method: "GET", needs: "reporter" } as const;

/** Endpoints that Evenkeel does not call: for other clients, and for looking up and creating owners of resources. */
const others: readonly ServedEndpoint[] = [
  { method: "POST", path: "/projects", body: "json", instance: createProject },
  { method: "POST", path: "/groups", body: "json", instance: createGroup },
  { method: "GET", path: "/groups/:id/projects", instance: projects.listBelow("project") },
  { method: "GET", path: "/groups/:id/subgroups", instance: projects.listBelow("group") },
  { ...archiving, path: "/projects/:id/archive", project: projects.setArchived(true) },
  { ...archiving, path: "/projects/:id/unarchive", ofArchived: true, project: projects.setArchived(false) },
  { ...reading, path: `${repository}/commits`, parameters: { ref_name: text }, project: mergeRequests.listCommits },
  { ...reading, path: `${repository}/files/:file/raw`, parameters: { ref: text }, project: mergeRequests.getFile },
  { ...reading, path: "/projects/:id/merge_requests/:iid", project: mergeRequests.getMergeRequest },
  { method: "GET", path: "/users", parameters: { username: text }, instance: listUsers },
  ...(["project", "snippet", "group"] as const).flatMap((kind) => {
    const [all, own] = [`/${kind}_repository_storage_moves`, `/${kind}s/:id/repository_storage_moves`];
    const read = { method: "GET", observed: true, needs: "administrator" } as const;
    const show = moveHandler(kind, showMove);
    return [
      { ...read, path: `${all}/:move_id`, instance: show },
      { ...read, path: own, instance: moveHandler(kind, listMoves) },
      { ...read, path: `${own}/:move_id`, instance: show },
      {
        ...read,
        method: "POST",
        path: own,
        body: "form",
        parameters: { destination_storage_name: text },
        instance: moveHandler(kind, addMove),
      } as const,
    ];
  }),
];

/** The endpoints of the specification and of other clients that a release has. */
export function endpointRoutes({ release, behaviour }: Pick<ServerContext, "release" | "behaviour">): ServedRoute[] {
  const own = (Object.keys(endpoints) as EndpointName[]).map((name): ServedEndpoint => {
    const parameters = { ...endpoints[name].parameters, ...behaviour.parameters[name] };
    return { ...endpoints[name], parameters, ...handlers[name] };
  });
  return [...own, ...others]
    .filter(({ observed }) => behaviour.beyondSpec || !observed)
    .filter(({ introduced }) => !introduced || compareReleases(release, introduced) >= 0)
    .map((endpoint) => {
      const { method, path } = endpoint;
      return { method, path, answer: (context, request) => handle(context, request, endpoint) };
    });
}

const needsJson = json(415, { error: "415 Unsupported Media Type: application/json is needed" });

/** Checks scope, project, role and parameters in the platform's order, then calls the handler. */
function handle(context: ServerContext, request: ServerRequest, endpoint: ServedEndpoint): ServerReply {
  const { needs = "guest", parameters = {}, body, ofArchived, ofAnyScope } = endpoint;
  if (!isInScope(request.caller, request.method, ofAnyScope)) return outOfScope;
  const raw = { ...request.query, ...request.body };
  const { values, faults } = readParameters(parameters, raw);
  const isUnfit = body === "json" && !request.isJson && !context.behaviour.movesTakeForms;
  const unread = request.unreadable ?? (isUnfit ? needsJson : faults.length > 0 ? invalid(faults) : undefined);
  const call = { ...request, raw, given: values };
  const refusal = hasRole(request.caller, needs === "administrator" ? "admin" : needs) ? undefined : forbidden;
  if ("instance" in endpoint) return refusal ?? unread ?? endpoint.instance(context, call);
  if (unread) return unread;
  const project = admitProject(context, request, ofArchived ?? endpoint.method === "GET");
  return "status" in project ? project : (refusal ?? endpoint.project(context, call, project));
}
