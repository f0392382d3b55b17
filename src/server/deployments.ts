import type { JsonObject } from "../base/json.ts";
import { environmentOf } from "./load-seed.ts";
import { paged } from "./pages.ts";
import { readInteger } from "./parameters.ts";
import { putDeployment } from "./records.ts";
import { invalid, json, noRecord, refused, type ServerReply } from "./reply.ts";
import { type DeploymentRecord, nextNumber, type ProjectState, timestamp } from "./state.ts";
import type { ProjectHandler, Visit, World } from "./world.ts";

/** The deployment endpoints (spec: Deployments). */
export const listDeployments: ProjectHandler = (world, visit, project) => {
  const { sort, ...given } = visit.given;
  const kept = project.deployments.filter((deployment) => isWanted(deployment, given));
  const isByTime = given.updated_after !== undefined || given.updated_before !== undefined;
  const order = world.behaviour.filterSorts && isByTime ? "updated_at" : String(given.order_by);
  const rows = sorted(kept, orders[order as keyof typeof orders], sort === "desc" ? -1 : 1);
  return paged(world, visit, rows, listRow);
};

export const getDeployment: ProjectHandler = (_, visit, project) => {
  const found = find(visit, project);
  return "reply" in found ? found.reply : json(200, singleRow(found.record));
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

/** The merge requests shipped with a deployment; those that name no deployment were shipped with each. */
export const listDeploymentMergeRequests: ProjectHandler = (world, visit, project) => {
  const found = find(visit, project);
  if ("reply" in found) return found.reply;
  const { state } = visit.raw;
  const shipped = project.mergeRequests.filter((request) => {
    return (
      isShippedWith(request, found.record.id) && (state === undefined || state === "all" || request.state === state)
    );
  });
  return paged(world, visit, shipped, mergeRequestRow);
};

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

function listRow({ tag: _, ...deployment }: DeploymentRecord): JsonObject {
  return deployment;
}

/** As in a list, but for a field of the job's user that only a list shows. */
function singleRow(record: DeploymentRecord): JsonObject {
  const { deployable } = record;
  if (!deployable) return listRow(record);
  const { public_email: _, ...user } = deployable.user as JsonObject;
  return { ...listRow(record), deployable: { ...deployable, user } };
}

/** The answer of a create or an update (spec: Deployment). */
function writtenRow({ behaviour }: World, record: DeploymentRecord): JsonObject {
  const { updated_at, ...row } = listRow(record);
  return { ...row, ...(behaviour.fullDeployments && { updated_at }), deployable: null };
}
