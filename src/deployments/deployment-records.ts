import type { JsonObject } from "../base/json.ts";
import type { Reader, Writer } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/endpoints.ts";
import type { Call, Fields } from "../model/types.ts";

/** What became of a write. `note`: why nothing had to be written. `unknown`: the server may have acted, and no one can tell. */
export type WriteOutcome =
  | { readonly row: JsonObject; readonly note?: string }
  | { readonly status: "failed" | "unknown"; readonly error: string };

/** The deployments of a project that match, from all pages. @throws CallFailed. */
export async function readDeployments(
  reader: Reader,
  project: string,
  filters: Fields,
): Promise<readonly JsonObject[]> {
  return (await reader.list(call("listDeployments", { id: project }, filters))) as readonly JsonObject[];
}

/** One deployment. @throws CallFailed. */
export async function readDeployment(reader: Reader, project: string, deployment: string): Promise<JsonObject> {
  return (await reader.get(call("getDeployment", { id: project, deployment_id: deployment }))).body as JsonObject;
}

/** The merge requests that were shipped with a deployment, from all pages. @throws CallFailed. */
export async function listMergeRequests(
  reader: Reader,
  project: string,
  deployment: string,
): Promise<readonly JsonObject[]> {
  const segments = { id: project, deployment_id: deployment };
  return (await reader.list(call("listDeploymentMergeRequests", segments))) as readonly JsonObject[];
}

/** The request that creates a deployment record. */
export function creationCall(project: string, fields: Fields): Call {
  return call("createDeployment", { id: project }, fields);
}

/**
 * Creates a deployment record. It is sent again only where the server surely did not act (docs/architecture.md): a record cannot
 * be told from its like, so an effect that no one saw stays unknown.
 */
export async function recordDeployment(writer: Writer, project: string, fields: Fields): Promise<WriteOutcome> {
  try {
    return { row: (await writer.send(creationCall(project, fields))).body as JsonObject };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (!error.uncertain) return { status: "failed", error: explained(error) + demandOf(error, fields) };
    const doubt = "whether the deployment was created is unknown, so it is not sent again";
    return { status: "unknown", error: `${doubt}: ${error.message}` };
  }
}

/** By the specification a status may be left out; servers that refuse this do not say what they would take. */
function demandOf({ status, serverMessage = "" }: CallFailed, fields: Fields): string {
  const isDemand = status === 400 && fields.status === undefined && serverMessage.includes("status is missing");
  return isDemand ? "; this server demands --status: running, success, failed or canceled" : "";
}

/**
 * Sets the status of a deployment record. A server that refuses the status that it has already leaves it as asked; one
 * that refuses another change of status is told with the status that stands. Without an answer the record is looked up.
 */
export async function updateDeployment(
  writer: Writer,
  project: string,
  deployment: string,
  status: string,
): Promise<WriteOutcome> {
  let seen: JsonObject = {};
  const update = call("updateDeployment", { id: project, deployment_id: deployment }, { status });
  const settled = await writer.settle(update, async (reader) => {
    seen = await readDeployment(reader, project, deployment);
    return seen.status === status;
  });
  if ("answer" in settled) return { row: settled.answer.body as JsonObject };
  if ("found" in settled) return { row: seen };
  const { failure, unknown } = settled;
  if (unknown)
    return { status: "unknown", error: `whether the deployment is ${status} is unknown: ${failure.message}` };
  const row = isTransition(failure) ? await standing(writer, project, deployment) : undefined;
  if (row?.status === status) return { row, note: `deployment ${deployment} is ${status} already: nothing to change` };
  return { status: "failed", error: explained(failure) + refusalOf(deployment, row, status) };
}

/**
 * Deletes a deployment record; one that is gone already is deleted. Without an answer the record is looked up.
 * Undefined where it is gone.
 */
export async function removeDeployment(
  writer: Writer,
  project: string,
  deployment: string,
): Promise<Extract<WriteOutcome, { status: unknown }> | undefined> {
  const removal = call("deleteDeployment", { id: project, deployment_id: deployment });
  const settled = await writer.settle(removal, (reader) => isGone(reader, project, deployment));
  if (!("failure" in settled)) return undefined;
  const { failure, unknown } = settled;
  if (!unknown) return { status: "failed", error: explained(failure) };
  return { status: "unknown", error: `whether deployment ${deployment} is deleted is unknown: ${failure.message}` };
}

async function isGone(reader: Reader, project: string, deployment: string): Promise<boolean> {
  try {
    await readDeployment(reader, project, deployment);
    return false;
  } catch (error) {
    if (error instanceof CallFailed && error.saysGone) return true;
    throw error;
  }
}

function isTransition({ status, serverMessage = "" }: CallFailed): boolean {
  return status === 400 && serverMessage.includes("cannot transition");
}

function refusalOf(deployment: string, row: JsonObject | undefined, wanted: string): string {
  if (typeof row?.status !== "string") return "";
  return `; deployment ${deployment} is ${row.status}, and this server does not let it become ${wanted} from there`;
}

async function standing(reader: Reader, project: string, deployment: string): Promise<JsonObject | undefined> {
  try {
    return await readDeployment(reader, project, deployment);
  } catch (error) {
    if (error instanceof CallFailed) return undefined;
    throw error;
  }
}
