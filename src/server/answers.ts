import { type EndpointName, endpoints } from "../model/endpoints.ts";
import * as deployments from "./deployments.ts";
import * as integrations from "./integrations.ts";
import * as licenses from "./licenses.ts";
import { listMoves, scheduleMoves } from "./moves.ts";
import { readParameters } from "./parameters.ts";
import { getProject, listProjects } from "./projects.ts";
import { forbidden, invalid, notFound, outOfScope, type ServerReply } from "./reply.ts";
import { type Caller, findProject, type Role, roles } from "./state.ts";
import { getToken, getUser } from "./users.ts";
import { accessRefusal, type Handler, type ProjectHandler, type Visit, type World } from "./world.ts";

/** What an endpoint asks of its caller, and how it answers. */
type HandlerRow = {
  /** The least role. */
  readonly role: Role;
  /** The role is asked for before parameters are looked at; otherwise after. */
  readonly roleFirst?: true;
} & ({ readonly project: ProjectHandler } | { readonly instance: Handler });

/** The endpoint table's other half (spec: Endpoints; Authentication). */
const answers: Readonly<Record<EndpointName, HandlerRow>> = {
  listProjects: { role: "guest", instance: listProjects },
  getProject: { role: "guest", project: getProject },

  getUser: { role: "guest", instance: getUser },
  getToken: { role: "guest", instance: getToken },

  listIntegrations: { role: "maintainer", roleFirst: true, project: integrations.listIntegrations },
  getIntegration: { role: "maintainer", roleFirst: true, project: integrations.getIntegration },
  putIntegration: { role: "maintainer", roleFirst: true, project: integrations.editIntegration },
  deleteIntegration: { role: "maintainer", roleFirst: true, project: integrations.deleteIntegration },

  listDeployments: { role: "reporter", project: deployments.listDeployments },
  getDeployment: { role: "reporter", project: deployments.getDeployment },
  createDeployment: { role: "developer", project: deployments.createDeployment },
  updateDeployment: { role: "developer", project: deployments.editDeployment },
  listDeploymentMergeRequests: { role: "reporter", project: deployments.listDeploymentMergeRequests },

  listLicenses: { role: "guest", project: licenses.listLicenses },
  getLicense: { role: "guest", project: licenses.getLicense },
  createLicense: { role: "maintainer", project: licenses.createLicense },
  updateLicense: { role: "maintainer", project: licenses.updateLicense },
  deleteLicense: { role: "maintainer", project: licenses.deleteLicense },

  moveProjects: { role: "admin", roleFirst: true, instance: scheduleMoves("project") },
  moveSnippets: { role: "admin", roleFirst: true, instance: scheduleMoves("snippet") },
  moveGroups: { role: "admin", roleFirst: true, instance: scheduleMoves("group") },

  listProjectMoves: { role: "admin", roleFirst: true, instance: listMoves("project") },
  listSnippetMoves: { role: "admin", roleFirst: true, instance: listMoves("snippet") },
  listGroupMoves: { role: "admin", roleFirst: true, instance: listMoves("group") },
};

const noProject = notFound("Project");

export interface RoutedRequest {
  readonly endpoint: EndpointName;
  readonly caller: Caller;
  readonly segments: Visit["segments"];
  readonly raw: Visit["raw"];
  readonly address: string;
  /** Why the body could not be read; said when the caller may know. */
  readonly unreadable?: ServerReply | undefined;
}

/** Checks in the platform's order (project, role, parameters; where the row says so, parameters first), then answers. */
export function answer(world: World, { endpoint, unreadable, ...asked }: RoutedRequest): ServerReply {
  const row = answers[endpoint];
  if (!isInScope(asked.caller, endpoint)) return outOfScope;
  const { values, faults } = readParameters(world.parameters[endpoint], asked.raw);
  const unread = unreadable ?? (faults.length > 0 ? invalid(faults) : undefined);
  const visit: Visit = { ...asked, given: values };
  if ("instance" in row) return refusalOf(row, asked.caller, unread) ?? row.instance(world, visit);
  const project = findProject(world.state, asked.segments.id ?? "");
  if (unread && !row.roleFirst) return unread;
  if (!project) return noProject;
  return accessRefusal(project) ?? refusalOf(row, asked.caller, unread) ?? row.project(world, visit, project);
}

/** Scopes are asked for before anything else; every one of them may know whose token it is. */
function isInScope({ scopes = ["api"] }: Caller, endpoint: EndpointName): boolean {
  if (scopes.includes("api") || endpoint === "getToken") return true;
  if (endpoints[endpoint].method !== "GET") return false;
  return scopes.includes("read_api") || endpoint === "getUser";
}

function refusalOf(row: HandlerRow, { role }: Caller, unread: ServerReply | undefined): ServerReply | undefined {
  const isAllowed = roles.indexOf(role) >= roles.indexOf(row.role);
  return isAllowed ? unread : forbidden;
}
