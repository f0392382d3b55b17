import type { AnswerShape } from "./answer-shape.ts";
import type { NeededRole } from "./command-access.ts";
import { keptRowFields } from "./owner-row.ts";
import type { Call, Fields } from "./types.ts";

/**
 * The API as a table (docs/api.md). The client builds its requests from it and the embedded server routes by it.
 * Paths are relative to /api/v4; `:name` is one URL-encoded segment.
 */
export type Endpoint = EndpointRow & (Bodiless | Bodied);

interface Bodiless {
  readonly method: "GET" | "DELETE";
  readonly body?: never;
}

interface Bodied {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly body: "form" | "json";
}

interface EndpointRow {
  readonly path: string;
  /** A list: `paged` lists take `per_page`; `whole` lists are requested without it, but links to further pages are followed. */
  readonly list?: Call["list"];
  readonly answer: AnswerShape;
  readonly segments?: Readonly<Record<string, Parameter>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  /** A read that is not counted as part of a plan. */
  readonly uncounted?: true;
  readonly query?: Fields;
  /** The minimum role that deployed servers require for the call; omitted: access to the project, or any token. */
  readonly needs?: NeededRole;
  /** Not in the specification, but observed on deployed servers. */
  readonly observed?: true;
  /** A call that is sent first. */
  readonly before?: Endpoint;
  /** The release that introduced it (docs/api.md#removals, rule 4). */
  readonly introduced?: string;
}

export interface Parameter {
  readonly type: "string" | "boolean" | "integer" | "datetime";
  readonly required?: true;
  readonly enum?: readonly string[];
  readonly default?: string;
  /** Additional values of servers for which a fact of a dialect holds. */
  readonly beyond?: { readonly fact: string; readonly enum: readonly string[] };
  readonly older?: Readonly<Record<string, string>>;
  /** Other parameters, with values, that deployed servers require together with it. */
  readonly goesWith?: Readonly<Record<string, string>>;
}

const deploymentStatuses = ["created", "running", "success", "failed", "canceled"] as const;

const deploymentStatus: Parameter = { type: "string", enum: deploymentStatuses };

/** Some statuses can only be set by the server. */
const statusFilter: Parameter = {
  ...deploymentStatus,
  beyond: { fact: "deployment-status-filter", enum: ["skipped", "blocked"] },
};

const deploymentOrder: Parameter = {
  type: "string",
  enum: ["id", "iid", "created_at", "updated_at", "ref"],
  default: "id",
  beyond: { fact: "deployments-by-finish", enum: ["finished_at"] },
};

/** Deployed servers sort a list by the time that it is filtered by, or reject the request. */
const updatedTime: Parameter = { type: "datetime", goesWith: { order_by: "updated_at" } };

const requiredText: Parameter = { type: "string", required: true };

const ofProject = { id: requiredText } as const;

const ofDeployment: Endpoint["segments"] = { ...ofProject, deployment_id: { type: "integer", required: true } };

const move = { source_storage_name: requiredText, destination_storage_name: requiredText };

const numbered = { id: "number" } as const;

const numberedRow: AnswerShape = { holds: "row", fields: numbered };

const numberedRows: AnswerShape = { holds: "rows", fields: numbered };

/** Required if a list of projects is read for their paths: without a path, no glob can match the project. */
export const projectsWithPaths: AnswerShape = {
  holds: "rows",
  fields: { ...numbered, path_with_namespace: "text" },
  keeps: [...keptRowFields("project"), "repository_storage", "permissions"],
};

export const groupsWithPaths: AnswerShape = {
  holds: "rows",
  fields: { ...numbered, full_path: "text" },
  keeps: keptRowFields("group"),
};

const nothing: AnswerShape = { holds: "nothing" };

function auditEventsOf(owner: "project" | "group"): Endpoint {
  const times = { created_after: { type: "datetime" }, created_before: { type: "datetime" } } as const;
  const path = `/${owner}s/:id/audit_events`;
  return {
    method: "GET",
    needs: "maintainer",
    path,
    segments: ofProject,
    answer: { holds: "rows" },
    parameters: times,
    uncounted: true,
  };
}

function schedulingOf(one: string): Endpoint {
  const answer = { holds: "nothing", actsLater: true } as const;
  return {
    method: "POST",
    path: `/${one}_repository_storage_moves`,
    body: "json",
    needs: "administrator",
    answer,
    parameters: move,
  };
}

function listingOf(one: string): Endpoint {
  const path = `/${one}_repository_storage_moves`;
  return { method: "GET", path, list: "paged", needs: "administrator", answer: numberedRows, observed: true };
}

const table = {
  listProjects: {
    method: "GET",
    path: "/projects",
    list: "paged",
    answer: numberedRows,
    // Sorted by ID, which is stable while the list is read, and with keyset pagination if the server supports it, because
    // some servers reject an offset above 50,000 rows.
    query: { order_by: "id", sort: "asc", pagination: "keyset" },
    parameters: {
      repository_storage: { type: "string" },
      min_access_level: { type: "integer" },
      order_by: { type: "string", enum: ["id", "name", "path", "created_at", "updated_at"], default: "id" },
      sort: { type: "string", enum: ["asc", "desc"], default: "asc" },
      pagination: { type: "string", enum: ["keyset", "legacy"], default: "legacy" },
      id_after: { type: "integer" },
      id_before: { type: "integer" },
    },
  },
  getProject: {
    method: "GET",
    path: "/projects/:id",
    segments: ofProject,
    answer: { holds: "row", fields: { ...numbered, path_with_namespace: "text" }, same: { id: ":id" } },
  },

  listGroups: {
    method: "GET",
    path: "/groups",
    list: "paged",
    answer: numberedRows,
    // Without keyset pagination: servers refuse it for groups in the order of their IDs.
    query: { order_by: "id", sort: "asc" },
    parameters: {
      min_access_level: { type: "integer" },
      order_by: { type: "string", enum: ["name", "path", "id"], default: "name" },
      sort: { type: "string", enum: ["asc", "desc"], default: "asc" },
      pagination: { type: "string", enum: ["keyset", "legacy"], default: "legacy" },
    },
  },
  getGroup: {
    method: "GET",
    path: "/groups/:id",
    segments: ofProject,
    // Without this, the response contains a hundred projects too.
    query: { with_projects: false },
    answer: { holds: "row", fields: { ...numbered, full_path: "text" }, same: { id: ":id" } },
  },

  getVersion: {
    method: "GET",
    path: "/version",
    answer: { holds: "row", fields: { version: "text" } },
    uncounted: true,
  },
  getMetadata: {
    method: "GET",
    path: "/metadata",
    answer: { holds: "row", fields: { version: "text" } },
    uncounted: true,
  },
  getUser: { method: "GET", path: "/user", answer: { holds: "row", fields: { ...numbered, username: "text" } } },
  getToken: { method: "GET", path: "/personal_access_tokens/self", answer: numberedRow, uncounted: true },

  listDeployments: {
    method: "GET",
    needs: "reporter",
    path: "/projects/:id/deployments",
    segments: ofProject,
    list: "paged",
    answer: numberedRows,
    parameters: {
      order_by: deploymentOrder,
      sort: { type: "string", enum: ["asc", "desc"], default: "asc" },
      updated_after: updatedTime,
      updated_before: updatedTime,
      environment: { type: "string" },
      status: statusFilter,
    },
  },
  getDeployment: {
    method: "GET",
    needs: "reporter",
    path: "/projects/:id/deployments/:deployment_id",
    segments: ofDeployment,
    answer: numberedRow,
  },
  createDeployment: {
    method: "POST",
    needs: "developer",
    path: "/projects/:id/deployments",
    segments: ofProject,
    body: "form",
    answer: numberedRow,
    parameters: {
      environment: requiredText,
      sha: requiredText,
      ref: requiredText,
      tag: { type: "boolean", required: true },
      status: deploymentStatus,
    },
  },
  updateDeployment: {
    method: "PUT",
    needs: "developer",
    path: "/projects/:id/deployments/:deployment_id",
    segments: ofDeployment,
    body: "form",
    answer: numberedRow,
    parameters: { status: deploymentStatus },
  },
  deleteDeployment: {
    method: "DELETE",
    needs: "maintainer",
    path: "/projects/:id/deployments/:deployment_id",
    segments: ofDeployment,
    answer: nothing,
    introduced: "15.3",
    observed: true,
  },
  listDeploymentMergeRequests: {
    method: "GET",
    needs: "reporter",
    path: "/projects/:id/deployments/:deployment_id/merge_requests",
    segments: ofDeployment,
    list: "paged",
    answer: { holds: "rows" },
    introduced: "12.7",
  },

  listAuditEvents: auditEventsOf("project"),
  listGroupAuditEvents: auditEventsOf("group"),

  createCommit: {
    method: "POST",
    needs: "developer",
    path: "/projects/:id/repository/commits",
    segments: ofProject,
    body: "json",
    answer: { holds: "row" },
    parameters: {
      branch: requiredText,
      commit_message: requiredText,
      start_branch: { type: "string" },
      start_sha: { type: "string" },
      force: { type: "boolean" },
    },
  },
  listMergeRequests: {
    method: "GET",
    needs: "reporter",
    path: "/projects/:id/merge_requests",
    segments: ofProject,
    list: "paged",
    answer: { holds: "rows", fields: { iid: "number" } },
    parameters: {
      state: { type: "string", enum: ["opened", "closed", "locked", "merged", "all"], default: "all" },
      source_branch: { type: "string" },
      target_branch: { type: "string" },
    },
  },
  createMergeRequest: {
    method: "POST",
    needs: "developer",
    path: "/projects/:id/merge_requests",
    segments: ofProject,
    body: "form",
    answer: { holds: "row", fields: { iid: "number" } },
    parameters: {
      source_branch: requiredText,
      target_branch: requiredText,
      title: requiredText,
      description: { type: "string" },
    },
  },
  updateMergeRequest: {
    method: "PUT",
    needs: "developer",
    path: "/projects/:id/merge_requests/:iid",
    segments: { ...ofProject, iid: { type: "integer", required: true } },
    body: "form",
    answer: { holds: "row", fields: { iid: "number" } },
    parameters: {
      title: { type: "string" },
      description: { type: "string" },
      state_event: { type: "string", enum: ["close", "reopen"] },
    },
  },

  moveProjects: schedulingOf("project"),
  moveSnippets: schedulingOf("snippet"),
  moveGroups: schedulingOf("group"),

  listProjectMoves: listingOf("project"),
  listSnippetMoves: listingOf("snippet"),
  listGroupMoves: listingOf("group"),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof table;

/** Every endpoint, by the name that `call` takes. */
export const endpoints: Readonly<Record<EndpointName, Endpoint>> = table;

/** The older name of the integrations segment (docs/api.md#integrations), for servers that do not route the newer one. */
export const integrationsAlias = { segment: "/integrations", alias: "/services" } as const;
