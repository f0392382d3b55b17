import type { AnswerShape } from "./answer-shape.ts";
import type { NeededRole } from "./command-access.ts";
import type { Owner } from "./owner.ts";
import { keptRowFields } from "./owner-row.ts";
import type { Call, Fields } from "./types.ts";

/**
 * The API as a table (docs/api.md). The client builds its requests from it and the embedded server routes by it.
 * Paths are relative to /api/v4; `:name` is one URL-encoded segment.
 */
export type Endpoint = (
  | { readonly method: "GET" | "DELETE"; readonly body?: never }
  | { readonly method: "POST" | "PUT" | "PATCH"; readonly body: "form" | "json" }
) & {
  readonly path: string;
  /** A list: `paged` lists take `per_page`; `whole` lists are requested without it, but links to further pages are followed. */
  readonly list?: Call["list"];
  readonly answer: AnswerShape;
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
};

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

const deploymentStatus: Parameter = { type: "string", enum: ["created", "running", "success", "failed", "canceled"] };

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

const numbered = { id: "number" } as const;

const numberedRow: AnswerShape = { holds: "row", fields: numbered };

const numberedRows: AnswerShape = { holds: "rows", fields: numbered };

/** Required if a list of projects is read for their paths: without a path, no glob can match the project. */
export const projectsWithPaths: AnswerShape = {
  holds: "rows",
  fields: { ...numbered, path_with_namespace: "text" },
  keeps: [...keptRowFields("project"), "repository_storage", "permissions"],
};

const groupsWithPaths: AnswerShape = {
  holds: "rows",
  fields: { ...numbered, full_path: "text" },
  keeps: keptRowFields("group"),
};

function read(path: string, needs?: NeededRole) {
  return { method: "GET", path, ...(needs && { needs }) } as const;
}

function list(path: string, needs?: NeededRole) {
  return { ...read(path, needs), list: "paged" } as const;
}

function write(method: "POST" | "PUT", path: string, body: "form" | "json", needs: NeededRole) {
  return { method, path, body, needs } as const;
}

function auditEventsOf(owner: "project" | "group"): Endpoint {
  const times = { created_after: { type: "datetime" }, created_before: { type: "datetime" } } as const;
  const call = read(`/${owner}s/:id/audit_events`, "maintainer");
  return { ...call, answer: { holds: "rows" }, parameters: times, uncounted: true };
}

function schedulingOf(one: string): Endpoint {
  const call = write("POST", `/${one}_repository_storage_moves`, "json", "administrator");
  const parameters = { source_storage_name: requiredText, destination_storage_name: requiredText };
  return { ...call, answer: { holds: "nothing", actsLater: true }, parameters };
}

function listingOf(one: string): Endpoint {
  return { ...list(`/${one}_repository_storage_moves`, "administrator"), answer: numberedRows, observed: true };
}

const table = {
  listProjects: {
    ...list("/projects"),
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
    ...read("/projects/:id"),
    answer: { holds: "row", fields: { ...numbered, path_with_namespace: "text" }, same: { id: ":id" } },
  },

  listGroups: {
    ...list("/groups"),
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
    ...read("/groups/:id"),
    // Without this, the response contains a hundred projects too.
    query: { with_projects: false },
    answer: { holds: "row", fields: { ...numbered, full_path: "text" }, same: { id: ":id" } },
  },

  getVersion: {
    ...read("/version"),
    answer: { holds: "row", fields: { version: "text" } },
    uncounted: true,
  },
  getMetadata: {
    ...read("/metadata"),
    answer: { holds: "row", fields: { version: "text" } },
    uncounted: true,
  },
  getUser: { method: "GET", path: "/user", answer: { holds: "row", fields: { ...numbered, username: "text" } } },
  getToken: { method: "GET", path: "/personal_access_tokens/self", answer: numberedRow, uncounted: true },

  listDeployments: {
    ...list("/projects/:id/deployments", "reporter"),
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
    ...read("/projects/:id/deployments/:deployment_id", "reporter"),
    answer: numberedRow,
  },
  createDeployment: {
    ...write("POST", "/projects/:id/deployments", "form", "developer"),
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
    ...write("PUT", "/projects/:id/deployments/:deployment_id", "form", "developer"),
    answer: numberedRow,
    parameters: { status: deploymentStatus },
  },
  deleteDeployment: {
    method: "DELETE",
    needs: "maintainer",
    path: "/projects/:id/deployments/:deployment_id",
    answer: { holds: "nothing" },
    introduced: "15.3",
    observed: true,
  },
  listDeploymentMergeRequests: {
    ...list("/projects/:id/deployments/:deployment_id/merge_requests", "reporter"),
    answer: { holds: "rows" },
    introduced: "12.7",
  },

  listAuditEvents: auditEventsOf("project"),
  listGroupAuditEvents: auditEventsOf("group"),

  createCommit: {
    ...write("POST", "/projects/:id/repository/commits", "json", "developer"),
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
    ...list("/projects/:id/merge_requests", "reporter"),
    answer: { holds: "rows", fields: { iid: "number" } },
    parameters: {
      state: { type: "string", enum: ["opened", "closed", "locked", "merged", "all"], default: "all" },
      source_branch: { type: "string" },
      target_branch: { type: "string" },
    },
  },
  createMergeRequest: {
    ...write("POST", "/projects/:id/merge_requests", "form", "developer"),
    answer: { holds: "row", fields: { iid: "number" } },
    parameters: {
      source_branch: requiredText,
      target_branch: requiredText,
      title: requiredText,
      description: { type: "string" },
    },
  },
  updateMergeRequest: {
    ...write("PUT", "/projects/:id/merge_requests/:iid", "form", "developer"),
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

/** The calls about owners; none for the instance, which is not listed and has neither ID nor path. */
export const ownerCalls = {
  project: {
    list: "listProjects",
    one: "getProject",
    auditEvents: "listAuditEvents",
    rows: projectsWithPaths,
    path: "path_with_namespace",
  },
  group: {
    list: "listGroups",
    one: "getGroup",
    auditEvents: "listGroupAuditEvents",
    rows: groupsWithPaths,
    path: "full_path",
  },
  instance: undefined,
} as const satisfies Record<Owner, object | undefined>;
