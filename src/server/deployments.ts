import type { JsonObject } from "../base/json.ts";
import { listRow, singleRow, writtenRow } from "./deployment-rows.ts";
import { environmentOf } from "./load-seed.ts";
import { paged } from "./pages.ts";
import { readInteger } from "./parameters.ts";
import { dropDeployment, putDeployment } from "./records.ts";
import { invalid, json, noContent, noRecord, refused, type ServerReply } from "./reply.ts";
import { type DeploymentRecord, nextNumber, type ProjectState, timestamp } from "./state.ts";
import type { ProjectHandler, Visit, World } from "./world.ts";

/** The deployment endpoints (spec: Deployments). */
export const listDeployments: ProjectHandler = (world, visit, project) => {
  const { behaviour } = world;
  const { sort, order_by: asked, ...given } = visit.given;
  const isByTime = given.updated_after !== undefined || given.updated_before !== undefined;
  if (behaviour.timeFilter === "refuses" && isByTime && asked !== "updated_at") return unpairedSort;
  const kept = project.deployments.filter((deployment) => isWanted(deployment, given));
  const order = behaviour.timeFilter === "sorts" && isByTime ? "updated_at" : String(asked);
  const run = behaviour.ordersById && sameAsId.has(order) ? "id" : order;
  const rows = sorted(kept, orders[run as keyof typeof orders], sort === "desc" ? -1 : 1);
  return paged(world, visit, rows, (record) => listRow(world, record));
};

const unpairedSort = refused(400, "Bad request - `updated_at` filter requires `updated_at` sort");

const sameAsId: ReadonlySet<string> = new Set(["iid", "created_at"]);

export const getDeployment: ProjectHandler = (world, visit, project) => {
  const found = find(visit, project);
  return "reply" in found ? found.reply : json(200, singleRow(world, found.record));
};

export const createDeployment: ProjectHandler = (world, visit, project) => {
  const { given, caller } = visit;
  const wanted = {
    ref: String(given.ref),
    sha: String(given.sha),
    tag: given.tag === true,
    status: String(given.status ?? "created"),
  };
  const environment = environmentOf(world.state, project, String(given.environment));
  const same = world.behaviour.deploymentsRepeat ? lastLike(project, environment.id, wanted) : undefined;
  if (same) return json(201, writtenRow(world, same));
  const record: DeploymentRecord = {
    ...numbers(world, project),
    ...wanted,
    ...times(),
    user: caller.user,
    environment,
    deployable: null,
  };
  putDeployment(world.state, project, record);
  return json(201, writtenRow(world, record));
};

export const editDeployment: ProjectHandler = (world, visit, project) => {
  const found = find(visit, project);
  if ("reply" in found) return found.reply;
  const { record } = found;
  const { status } = visit.given;
  if (status === undefined) return json(200, writtenRow(world, record));
  const refusal = world.behaviour.strictTransitions
    ? (jobFault(record) ?? transitionFault(record.status, String(status)))
    : undefined;
  if (refusal) return refusal;
  const next = { ...record, status: String(status), updated_at: timestamp(record.updated_at) };
  putDeployment(world.state, project, next);
  return json(200, writtenRow(world, next));
};

/** How deployed servers call the change to a status, and from which statuses they allow it; undefined: from any other. */
const transitions: Readonly<Record<string, { readonly event: string; readonly from?: readonly string[] }>> = {
  running: { event: "run", from: ["created", "blocked"] },
  success: { event: "succeed" },
  failed: { event: "drop" },
  canceled: { event: "cancel" },
};

/** Why deployed servers do not change a deployment so; undefined where they do. */
function transitionFault(current: string, wanted: string): ServerReply | undefined {
  const change = transitions[wanted];
  if (!change || (change.from?.includes(current) ?? current !== wanted)) return undefined;
  return json(400, { message: { status: [`cannot transition via "${change.event}"`] } });
}

/** A deployment that a CI/CD job made is not changed by the API of deployed servers. */
function jobFault({ deployable }: DeploymentRecord): ServerReply | undefined {
  if (!deployable) return undefined;
  return refused(403, "Forbidden - Deployments created by CI/CD jobs cannot be updated with the API");
}

/** DELETE of a deployment, which deployed servers have: neither of one that runs nor of the one that is live. */
export const deleteDeployment: ProjectHandler = (world, visit, project) => {
  const found = find(visit, project);
  if ("reply" in found) return found.reply;
  const { record } = found;
  const live = project.deployments.findLast(
    ({ environment, status }) => environment.id === record.environment.id && status === "success",
  );
  if (record.status === "running") return json(400, { message: "Cannot destroy running deployment" });
  if (live === record) return json(400, { message: "Deployment currently deployed to environment" });
  dropDeployment(world.state, project, record);
  return noContent;
};

/** The merge requests shipped with a deployment; those that name no deployment were shipped with each. */
export const listDeploymentMergeRequests: ProjectHandler = (world, visit, project) => {
  const found = find(visit, project);
  if ("reply" in found) return world.behaviour.unknownShipsNothing ? paged(world, visit, [], Object) : found.reply;
  const { state } = visit.raw;
  const shipped = project.mergeRequests.filter((request) => {
    return (
      isShippedWith(request, found.record.id) && (state === undefined || state === "all" || request.state === state)
    );
  });
  return paged(world, visit, inMergeOrder(shipped, visit), mergeRequestRow);
};

/** As `order_by` and `sort` ask for; otherwise as they were seeded. */
function inMergeOrder(requests: readonly JsonObject[], { raw }: Visit): readonly JsonObject[] {
  const { order_by: field, sort } = raw;
  if (field === undefined && sort === undefined) return requests;
  const key = (request: JsonObject) => String(request[String(field ?? "created_at")] ?? "");
  const ascending = requests.toSorted((a, b) => key(a).localeCompare(key(b)));
  return sort === "asc" ? ascending : ascending.toReversed();
}

function isShippedWith({ deployment_id, deployment_ids }: JsonObject, deployment: number): boolean {
  if (Array.isArray(deployment_ids)) return deployment_ids.includes(deployment);
  return deployment_id === undefined || deployment_id === deployment;
}

function mergeRequestRow({ deployment_id: _, deployment_ids: __, ...request }: JsonObject): JsonObject {
  return request;
}

type Found = { readonly record: DeploymentRecord } | { readonly reply: ServerReply };

function find({ segments }: Visit, project: ProjectState): Found {
  const id = readInteger(segments.deployment_id);
  if (id === undefined) return { reply: invalid(["deployment_id is invalid"]) };
  const record = project.deployments.find((deployment) => deployment.id === id);
  return record ? { record } : { reply: noRecord };
}

function isWanted(deployment: DeploymentRecord, given: Visit["given"]): boolean {
  const { environment, status, updated_after: after, updated_before: before } = given;
  if (environment !== undefined && deployment.environment.name !== environment) return false;
  if (status !== undefined && deployment.status !== status) return false;
  const updated = Date.parse(deployment.updated_at);
  return (after === undefined || updated > Number(after)) && (before === undefined || updated < Number(before));
}

type Order = (a: DeploymentRecord, b: DeploymentRecord) => number;

const orders = {
  id: (a, b) => a.id - b.id,
  iid: (a, b) => a.iid - b.iid,
  created_at: (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
  updated_at: (a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at),
  ref: (a, b) => Number(a.ref > b.ref) - Number(a.ref < b.ref),
} as const satisfies Record<string, Order>;

function sorted(records: readonly DeploymentRecord[], order: Order, direction: 1 | -1): DeploymentRecord[] {
  return records.toSorted((a, b) => direction * (order(a, b) || a.id - b.id));
}

function numbers({ state }: World, { record }: ProjectState): { id: number; iid: number } {
  return { id: nextNumber(state, "deployment"), iid: nextNumber(state, `deployment of ${record.id}`) };
}

function times(): { created_at: string; updated_at: string } {
  const now = timestamp();
  return { created_at: now, updated_at: now };
}

type Wanted = Pick<DeploymentRecord, "ref" | "sha" | "tag" | "status">;

/** The last deployment of the environment, where it is the same. */
function lastLike(project: ProjectState, environment: number, wanted: Wanted): DeploymentRecord | undefined {
  const last = project.deployments.findLast((deployment) => deployment.environment.id === environment);
  const names = ["ref", "sha", "tag", "status"] as const;
  return last && names.every((name) => last[name] === wanted[name]) ? last : undefined;
}
