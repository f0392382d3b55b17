import type { EndpointName } from "../model/endpoints.ts";
import * as deployments from "./deployments.ts";
import * as integrations from "./integrations.ts";
import * as licenses from "./licenses.ts";
import { listMoves, scheduleMoves } from "./moves.ts";
import { listProjects } from "./projects.ts";
import type { Role } from "./state.ts";
import type { Handler, ProjectHandler } from "./world.ts";

/** What an endpoint asks of its caller, and how it answers. */
export type HandlerRow = {
  /** The least role. */
  readonly role: Role;
  /** The role is asked for before parameters are looked at; otherwise after. */
  readonly roleFirst?: true;
} & ({ readonly project: ProjectHandler } | { readonly instance: Handler });

/** The endpoint table's other half (spec: Endpoints; Authentication). */
export const answers: Readonly<Record<EndpointName, HandlerRow>> = {
  listProjects: { role: "guest", instance: listProjects },

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
