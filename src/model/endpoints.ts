import { UserError } from "../base/exit.ts";
import { memoized } from "../base/memoize.ts";
import type { AnswerShape } from "./answer-shape.ts";
import type { NeededRole } from "./command-access.ts";
import { legacyStatuses, licenseStatuses } from "./license-status.ts";
import type { Call, Fields, Value } from "./types.ts";

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
  /** How parameters travel. Form fields unless the spec states JSON. */
  readonly body: "form" | "json";
}

interface EndpointRow {
  readonly path: string;
  /** A list: `paged` ones take `per_page`; a `whole` one is not asked for pages, though they are followed if it names any. */
  readonly list?: Call["list"];
  /** What a success must hold to be believed. */
  readonly answer: AnswerShape;
  /** Segments of the path that are not just any text. */
  readonly segments?: Readonly<Record<string, Parameter>>;
  /** Query or body parameters; `integration` means: those that the catalogue gives for the slug. */
  readonly parameters?: Readonly<Record<string, Parameter>> | "integration";
  /** A read that no plan counts. */
  readonly uncounted?: true;
  /** What a list is always asked with. */
  readonly query?: Fields;
  /** The least role that the call needs, as deployed servers ask for it; left out: the project or the token will do. */
  readonly needs?: NeededRole;
  /** Not in the specification: seen on deployed servers only. */
  readonly observed?: true;
  /** The release that brought it (docs/api.md#removals, rule 4). */
  readonly introduced?: string;
}

export interface Parameter {
  readonly type: "string" | "boolean" | "integer" | "datetime";
  readonly required?: true;
  readonly enum?: readonly string[];
  readonly default?: string;
  /** Further values, of servers of which a dialect states a fact. */
  readonly beyond?: { readonly fact: string; readonly enum: readonly string[] };
  /** What servers of older releases call its values that know no others. */
  readonly older?: Readonly<Record<string, string>>;
  /** What deployed servers demand beside it: parameters by name, with their values. */
  readonly goesWith?: Readonly<Record<string, string>>;
}

const deploymentStatuses = ["created", "running", "success", "failed", "canceled"] as const;

const deploymentStatus: Parameter = { type: "string", enum: deploymentStatuses };

/** Some statuses are set by servers alone. */
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

/** Filtered by a time, deployed servers sort by it, or refuse. */
const updatedTime: Parameter = { type: "datetime", goesWith: { order_by: "updated_at" } };

const requiredText: Parameter = { type: "string", required: true };

const ofProject: Endpoint["segments"] = { id: requiredText };

const ofDeployment: Endpoint["segments"] = { ...ofProject, deployment_id: { type: "integer", required: true } };

const approval: Parameter = {
  type: "string",
  required: true,
  enum: [...licenseStatuses, ...legacyStatuses.keys()],
  older: Object.fromEntries(Array.from(legacyStatuses, ([older, today]) => [today, older])),
};

const move = { source_storage_name: requiredText, destination_storage_name: requiredText };

const numbered = { id: "number" } as const;

const numberedRow: AnswerShape = { holds: "row", fields: numbered };

const numberedRows: AnswerShape = { holds: "rows", fields: numbered };

/** What a list of projects must hold where it is read for their paths: without one, no glob can mean the project. */
export const projectsWithPaths: AnswerShape = {
  holds: "rows",
  fields: { ...numbered, path_with_namespace: "text" },
  keeps: ["id", "path_with_namespace", "repository_storage", "permissions"],
};

/** By the specification only one integration's fields are known, so one of those that all have will do. */
const integration: AnswerShape = {
  holds: "row",
  oneOf: { slug: "text", active: "boolean", properties: "row" },
  // Taken for "not reported", a list would make every parameter unverified, and the plan would say "in sync".
  ifAny: { properties: "row" },
  same: { slug: ":slug" },
};

const licenseFields = { ...numbered, name: "text", approval_status: "text" } as const;

const license: AnswerShape = { holds: "row", fields: licenseFields };

const oneLicense: AnswerShape = { ...license, same: { id: ":managed_license_id" } };

const nothing: AnswerShape = { holds: "nothing" };

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
    // In the order of IDs, which stands still while the list is read, and by them where the server knows how: some refuse
    // a page that begins after 50,000 rows.
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

  getVersion: {
    method: "GET",
    path: "/version",
    answer: { holds: "row", fields: { version: "text" } },
    uncounted: true,
  },
  getUser: { method: "GET", path: "/user", answer: { holds: "row", fields: { ...numbered, username: "text" } } },
  getToken: { method: "GET", path: "/personal_access_tokens/self", answer: numberedRow },

  listIntegrations: {
    method: "GET",
    needs: "maintainer",
    path: "/projects/:id/integrations",
    list: "whole",
    answer: { holds: "rows", fields: { slug: "text" } },
    introduced: "12.7",
  },
  getIntegration: { method: "GET", needs: "maintainer", path: "/projects/:id/integrations/:slug", answer: integration },
  putIntegration: {
    method: "PUT",
    needs: "maintainer",
    path: "/projects/:id/integrations/:slug",
    body: "form",
    answer: { ...integration, mayBeSilent: true },
    parameters: "integration",
  },
  deleteIntegration: {
    method: "DELETE",
    needs: "maintainer",
    path: "/projects/:id/integrations/:slug",
    answer: nothing,
  },

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

  listLicenses: {
    method: "GET",
    needs: "maintainer",
    path: "/projects/:id/managed_licenses",
    list: "paged",
    answer: { holds: "rows", fields: licenseFields },
  },
  getLicense: {
    method: "GET",
    needs: "maintainer",
    path: "/projects/:id/managed_licenses/:managed_license_id",
    answer: oneLicense,
  },
  createLicense: {
    method: "POST",
    needs: "maintainer",
    path: "/projects/:id/managed_licenses",
    body: "form",
    answer: { ...license, alike: { name: ":name" } },
    parameters: { name: requiredText, approval_status: approval },
  },
  updateLicense: {
    method: "PATCH",
    needs: "maintainer",
    path: "/projects/:id/managed_licenses/:managed_license_id",
    body: "form",
    answer: oneLicense,
    parameters: { approval_status: approval },
  },
  deleteLicense: {
    method: "DELETE",
    needs: "maintainer",
    path: "/projects/:id/managed_licenses/:managed_license_id",
    answer: nothing,
  },

  moveProjects: schedulingOf("project"),
  moveSnippets: schedulingOf("snippet"),
  moveGroups: schedulingOf("group"),

  listProjectMoves: listingOf("project"),
  listSnippetMoves: listingOf("snippet"),
  listGroupMoves: listingOf("group"),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof table;

export const endpoints: Readonly<Record<EndpointName, Endpoint>> = table;

/** The older name of the integrations segment (docs/api.md#integrations), for servers that do not route the newer one. */
export const integrationsAlias = { segment: "/integrations", alias: "/services" } as const;

/** A path's literal text and the names of its segments, in turn: `id`, a field, or `row.id` for one of the row as read. */
const partsOf = memoized((path: string): readonly string[] => path.split(/:((?:row\.)?\w+)/));

/** Thrown for a name that no path of the API can hold. */
export class NamesNothing extends UserError {}

/**
 * The call of an endpoint, its path filled in and URL-encoded.
 * @throws RangeError where `segments` lacks a name that the path has: a mistake in this program; NamesNothing for a segment
 * that would lead to another path.
 */
export function call(
  of: EndpointName | Endpoint,
  segments: Readonly<Record<string, string>>,
  parameters?: Fields,
): Call {
  const endpoint = typeof of === "string" ? endpoints[of] : of;
  const { method, path, body, list, answer, query, uncounted, parameters: table } = endpoint;
  const asked = query ? { ...query, ...parameters } : parameters;
  let filled = "";
  for (const [index, part] of partsOf(path).entries()) filled += index % 2 ? segmentOf(endpoint, segments, part) : part;
  const expected = expectedOf(answer, segments, parameters);
  const older = asked && table && table !== "integration" ? inOlderWords(asked, table) : undefined;
  const how = {
    ...(body && { body }),
    ...(list && { list }),
    ...(uncounted && { uncounted }),
    ...(older && { older }),
  };
  return { method, path: filled, ...(asked && { parameters: asked }), ...how, answer: expected };
}

function segmentOf({ method, path }: Endpoint, segments: Readonly<Record<string, string>>, part: string): string {
  const value = segments[part];
  if (value === undefined) throw new RangeError(`${method} ${path} needs ${part}`);
  // Whatever reads URLs resolves these, percent-encoded or not.
  const isResolved = value.includes(".") && value.split("/").some((part) => part === "." || part === "..");
  if (isResolved || value === "") throw new NamesNothing(notAName(value));
  return encodeURIComponent(value);
}

/** The parameters that servers of older releases know by other values, with those. */
function inOlderWords(given: Fields, table: Readonly<Record<string, Parameter>>): Call["older"] {
  const words = Object.entries(given).flatMap(([name, value]) => {
    const older = table[name]?.older?.[String(value)];
    return older === undefined ? [] : [[name, older] as const];
  });
  return words.length > 0 ? Object.fromEntries(words) : undefined;
}

function notAName(value: string): string {
  return `${JSON.stringify(value)} names nothing on the server: no part of a path is . or .., and none is empty`;
}

function expectedOf(answer: AnswerShape, segments: Fields, parameters: Fields | undefined): AnswerShape {
  const { same, alike, fields = {} } = answer;
  if (!same && !alike) return answer;
  const given = (name: string) => segments[name] ?? parameters?.[name];
  const expected = { ...answer };
  if (same) expected.same = filledIn(same, given, fields);
  if (alike) expected.alike = filledIn(alike, given, fields);
  return expected;
}

/** `:name` as what is given by that name; left out where that is no number and the field is one, since a name may stand for an ID. */
function filledIn(
  names: Readonly<Record<string, string>>,
  given: (name: string) => Value | undefined,
  fields: NonNullable<AnswerShape["fields"]>,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const field in names) {
    const value = given(names[field]?.slice(1) ?? "");
    if (typeof value === "string" && (fields[field] !== "number" || /^\d+$/.test(value))) filled[field] = value;
  }
  return filled;
}
