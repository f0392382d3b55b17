import type { JsonObject } from "../base/json.ts";
import { singleRow, writtenRow } from "./deployment-rows.ts";
import { environmentOf } from "./load-seed.ts";
import { paged } from "./pages.ts";
import { readInteger } from "./parameters.ts";
import { dropDeployment, putDeployment } from "./records.ts";
import { invalid, json, noContent, noRecord, refused, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import { type DeploymentRecord, finalStatuses, nextNumber, type ProjectState, timestamp } from "./state.ts";

export const getDeployment: ProjectHandler = (context, call, project) => {
  const deployment = findDeployment(call, project);
  return "reply" in deployment ? deployment.reply : json(200, singleRow(context, deployment.record));
};

export const createDeployment: ProjectHandler = (context, call, project) => {
  const { given, caller } = call;
  const blank = blankFault(context, given);
  if (blank) return blank;
  const wanted = {
    ref: String(given.ref),
    sha: String(given.sha),
    tag: given.tag === true,
    status: String(given.status ?? "created"),
  };
  const environment = environmentOf(context.state, project, String(given.environment));
  const same = context.behaviour.deploymentsRepeat ? findLastIdentical(project, environment.id, wanted) : undefined;
  if (same) return json(201, writtenRow(context, same));
  const record: DeploymentRecord = {
    ...nextNumbers(context, project),
    ...wanted,
    ...initialTimes(wanted.status),
    user: caller.user,
    environment,
    deployable: null,
  };
  putDeployment(context.state, project, record);
  return json(201, writtenRow(context, record));
};

/** The error of deployed servers about an empty commit or ref; later releases name any empty parameter. */
function blankFault({ behaviour }: ServerContext, given: ParsedRequest["given"]): ServerReply | undefined {
  const blank = ["environment", "sha", "ref"].filter((name) => String(given[name]).trim() === "");
  if (behaviour.blankTold === "as empty" && blank.length > 0) return invalid(blank.map((name) => `${name} is empty`));
  const unknown = blank.filter((name) => name in notThere);
  if (behaviour.blankTold === "taken" || unknown.length === 0) return undefined;
  return json(400, { message: Object.fromEntries(unknown.map((name) => [name, [notThere[name]]])) });
}

const notThere: Readonly<Record<string, string>> = {
  sha: "The commit does not exist",
  ref: "The branch or tag does not exist",
};

export const editDeployment: ProjectHandler = (context, call, project) => {
  const deployment = findDeployment(call, project);
  if ("reply" in deployment) return deployment.reply;
  const { record } = deployment;
  const { status } = call.given;
  if (status === undefined) return json(200, writtenRow(context, record));
  const refusal = context.behaviour.strictTransitions
    ? (jobFault(record) ?? transitionFault(record.status, String(status)))
    : undefined;
  if (refusal) return refusal;
  const updated_at = timestamp(record.updated_at);
  const finished = finalStatuses.has(String(status)) && { finished_at: updated_at };
  const next = { ...record, status: String(status), updated_at, ...finished };
  putDeployment(context.state, project, next);
  return json(200, writtenRow(context, next));
};

/** The events by which deployed servers change to a status, and the statuses that allow it; undefined: any other. */
const transitions: Readonly<Record<string, { readonly event: string; readonly from?: readonly string[] }>> = {
  running: { event: "run", from: ["created", "blocked"] },
  success: { event: "succeed" },
  failed: { event: "drop" },
  canceled: { event: "cancel" },
};

function transitionFault(current: string, wanted: string): ServerReply | undefined {
  const change = transitions[wanted];
  if (!change || (change.from?.includes(current) ?? current !== wanted)) return undefined;
  return json(400, { message: { status: [`cannot transition via "${change.event}"`] } });
}

/** Deployed servers do not change a deployment of a CI/CD job through the API. */
function jobFault({ deployable }: DeploymentRecord): ServerReply | undefined {
  if (!deployable) return undefined;
  return refused(403, "Forbidden - Deployments created using GitLab CI can not be updated using the API");
}

/** DELETE of a deployment, on deployed servers only: rejects a running one and the live one. */
export const deleteDeployment: ProjectHandler = (context, call, project) => {
  const deployment = findDeployment(call, project);
  if ("reply" in deployment) return deployment.reply;
  const { record } = deployment;
  const live = project.deployments.findLast(
    ({ environment, status }) => environment.id === record.environment.id && status === "success",
  );
  if (record.status === "running") return json(400, { message: "Cannot destroy running deployment" });
  if (live === record) return json(400, { message: "Deployment currently deployed to environment" });
  dropDeployment(context.state, project, record);
  return noContent;
};

/** The merge requests of a deployment; those that name no deployment belong to each. */
export const listDeploymentMergeRequests: ProjectHandler = (context, call, project) => {
  const deployment = findDeployment(call, project);
  if ("reply" in deployment)
    return context.behaviour.unknownShipsNothing ? paged(context, call, [], Object) : deployment.reply;
  const { state } = call.raw;
  const shipped = project.mergeRequests.filter((request) => {
    return (
      isShippedWith(request, deployment.record.id) &&
      (state === undefined || state === "all" || request.state === state)
    );
  });
  return paged(context, call, inMergeOrder(shipped, call), mergeRequestRow);
};

/** Sorted by `order_by` and `sort`; by default in the order of the seed. */
function inMergeOrder(requests: readonly JsonObject[], { raw }: ParsedRequest): readonly JsonObject[] {
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

type FoundDeployment = { readonly record: DeploymentRecord } | { readonly reply: ServerReply };

function findDeployment({ segments }: ParsedRequest, project: ProjectState): FoundDeployment {
  const id = readInteger(segments.deployment_id);
  if (id === undefined) return { reply: invalid(["deployment_id is invalid"]) };
  const record = project.deployments.find((deployment) => deployment.id === id);
  return record ? { record } : { reply: noRecord };
}

function nextNumbers({ state }: ServerContext, { record }: ProjectState): { id: number; iid: number } {
  return { id: nextNumber(state, "deployment"), iid: nextNumber(state, `deployment of ${record.id}`) };
}

function initialTimes(status: string): Pick<DeploymentRecord, "created_at" | "updated_at" | "finished_at"> {
  const now = timestamp();
  return { created_at: now, updated_at: now, ...(finalStatuses.has(status) && { finished_at: now }) };
}

type Wanted = Pick<DeploymentRecord, "ref" | "sha" | "tag" | "status">;

/** The last deployment of the environment, if it is identical. */
function findLastIdentical(project: ProjectState, environment: number, wanted: Wanted): DeploymentRecord | undefined {
  const last = project.deployments.findLast((deployment) => deployment.environment.id === environment);
  const names = ["ref", "sha", "tag", "status"] as const;
  return last && names.every((name) => last[name] === wanted[name]) ? last : undefined;
}
