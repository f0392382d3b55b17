import type { Reader, Writer } from "./client/client.ts";
import { CallFailed } from "./client/failure.ts";
import { call } from "./endpoints.ts";
import { isRow } from "./live.ts";
import type { Call, Fields } from "./model.ts";

/** A deployment or a merge request as the server reports it. */
export type Row = Readonly<Record<string, unknown>>;

/** What became of a write. `unknown`: the server may have acted, and nobody can tell. */
export type Written = { readonly row: Row } | { readonly status: "failed" | "unknown"; readonly error: string };

/** The deployments of a project that match, from all pages. @throws CallFailed. */
export async function listDeployments(reader: Reader, project: string, filters: Fields): Promise<readonly Row[]> {
  return (await reader.list(call("listDeployments", { id: project }, filters))).filter(isRow);
}

/** One deployment. @throws CallFailed. */
export async function getDeployment(reader: Reader, project: string, deployment: string): Promise<Row> {
  const { body } = await reader.get(call("getDeployment", { id: project, deployment_id: deployment }));
  return isRow(body) ? body : {};
}

/** The merge requests that were shipped with a deployment, from all pages. @throws CallFailed. */
export async function listMergeRequests(reader: Reader, project: string, deployment: string): Promise<readonly Row[]> {
  const segments = { id: project, deployment_id: deployment };
  return (await reader.list(call("listDeploymentMergeRequests", segments))).filter(isRow);
}

/** The request that creates a deployment record. */
export function creationCall(project: string, fields: Fields): Call {
  return call("createDeployment", { id: project }, fields);
}

/**
 * Creates a deployment record. It is sent again only where the server surely did not act (contract 7): a record cannot
 * be told from its like, so an effect that nobody saw stays unknown.
 */
export async function createDeployment(writer: Writer, project: string, fields: Fields): Promise<Written> {
  try {
    return { row: rowOf((await writer.send(creationCall(project, fields))).body) };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (!error.uncertain) return { status: "failed", error: error.message };
    const doubt = "whether the deployment was created is unknown, so it is not sent again";
    return { status: "unknown", error: `${doubt}: ${error.message}` };
  }
}

/** Sets the status of a deployment record; where the server refuses, the error tells what its status is. */
export async function updateDeployment(
  writer: Writer,
  project: string,
  deployment: string,
  status: string,
): Promise<Written> {
  try {
    const update = call("updateDeployment", { id: project, deployment_id: deployment }, { status });
    return { row: rowOf((await writer.send(update)).body) };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const why = error.status === 400 ? await standingOf(writer, project, deployment, status) : undefined;
    return { status: "failed", error: why ? `${error.message}; ${why}` : error.message };
  }
}

async function standingOf(
  reader: Reader,
  project: string,
  deployment: string,
  wanted: string,
): Promise<string | undefined> {
  try {
    const { status } = await getDeployment(reader, project, deployment);
    if (typeof status !== "string") return undefined;
    if (status === wanted)
      return `deployment ${deployment} is ${status} already, and this server refuses to say so twice`;
    return `deployment ${deployment} is ${status}, and this server does not let it become ${wanted} from there`;
  } catch (error) {
    if (error instanceof CallFailed) return undefined;
    throw error;
  }
}

function rowOf(body: unknown): Row {
  return isRow(body) ? body : {};
}
