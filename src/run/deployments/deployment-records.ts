import type { JsonObject } from "../../base/json.ts";
import type { Reader, Writer } from "../../client/client.ts";
import { explained } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import type { Call, Fields } from "../../model/types.ts";

/** The outcome of a write. `note`: why nothing had to be written. `unknown`: the server may or may not have acted. */
export type WriteOutcome =
  | { readonly row: JsonObject; readonly note?: string }
  | { readonly status: "failed" | "unknown"; readonly error: string };

/** The matching deployments of a project. @throws CallFailed. */
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

/** The merge requests of a deployment. @throws CallFailed. */
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
 * Creates a deployment record. The request is retried only if the server certainly did not act (docs/architecture.md): records
 * cannot be distinguished, so an unconfirmed effect remains unknown.
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

/** The specification allows omitting the status; servers that reject this do not list valid values. */
function demandOf({ status, serverMessage = "" }: CallFailed, fields: Fields): string {
  const isDemand = status === 400 && fields.status === undefined && serverMessage.includes("status is missing");
  return isDemand ? "; this server demands --status: running, success, failed or canceled" : "";
}

/**
 * Sets the status of a deployment record. A rejected transition to the current status is a success;
 * any other is reported with the current status. Without a response the record is read.
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
  const row = isTransition(failure) ? await currentRow(writer, project, deployment) : undefined;
  if (row?.status === status) return { row, note: `deployment ${deployment} is ${status} already: nothing to change` };
  return { status: "failed", error: explained(failure) + refusalOf(deployment, row, status) };
}

/**
 * Deletes a deployment record, if it exists. Without a response the record is read.
 * Undefined on success.
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

function isTransition(failure: CallFailed): boolean {
  return failure.status === 400 && failure.says("cannot transition");
}

function refusalOf(deployment: string, row: JsonObject | undefined, wanted: string): string {
  if (typeof row?.status !== "string") return "";
  return `; deployment ${deployment} is ${row.status}, and this server does not let it become ${wanted} from there`;
}

async function currentRow(reader: Reader, project: string, deployment: string): Promise<JsonObject | undefined> {
  try {
    return await readDeployment(reader, project, deployment);
  } catch (error) {
    if (error instanceof CallFailed) return undefined;
    throw error;
  }
}
