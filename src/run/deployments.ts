import { onError } from "../base/exit.ts";
import type { JsonObject } from "../base/json.ts";
import { shellWord } from "../base/text-format.ts";
import { type ClientOptions, connectWriter, type Reader, type Writer } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { deadline } from "../client/timer.ts";
import { call } from "../model/call.ts";
import type { Call, Fields, Problem } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import type { ApplyRecord, Outcomes } from "./apply/apply.ts";

/**
 * The outcome of a write. `note`: the reason why nothing had to be written. `unknown`: the server may or may not have
 * acted.
 */
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

/**
 * Creates a deployment record. The request is retried only if the server certainly did not act (docs/architecture.md): records
 * cannot be distinguished, so an unconfirmed effect remains unknown.
 */
export async function recordDeployment(writer: Writer, project: string, fields: Fields): Promise<WriteOutcome> {
  try {
    return { row: (await writer.send(call("createDeployment", { id: project }, fields))).body as JsonObject };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const { uncertain, message, status, serverMessage = "" } = error;
    const doubt = "whether the deployment was created is unknown, so it is not sent again";
    if (uncertain) return { status: "unknown", error: `${doubt}: ${message}` };
    // The specification allows omitting the status; servers that reject this do not list valid values.
    const isDemand = status === 400 && fields.status === undefined && serverMessage.includes("status is missing");
    const demand = isDemand ? "; this server demands --status: running, success, failed or canceled" : "";
    return { status: "failed", error: explainCallFailure(error) + demand };
  }
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
  const isTransition = failure.status === 400 && failure.says("cannot transition");
  const row = isTransition
    ? await readDeployment(writer, project, deployment).catch(onError(CallFailed, () => undefined))
    : undefined;
  if (row?.status === status) return { row, note: `deployment ${deployment} is ${status} already: nothing to change` };
  const refusal =
    typeof row?.status === "string"
      ? `; deployment ${deployment} is ${row.status}, and this server does not let it become ${status} from there`
      : "";
  return { status: "failed", error: explainCallFailure(failure) + refusal };
}

/** The deployment record of an apply (docs/deployments.md). */
export interface DeploymentOptions {
  /** The project of the policies, by ID or full path. */
  readonly project: string;
  /** Parameters of the record, except for its status. */
  readonly fields: Fields;
}

/** Receives problems of the record, which do not affect the outcome of the apply. */
export interface Notices {
  readonly warn: (problem: Problem) => void;
  readonly note: (text: string) => void;
}

/**
 * Records the writes of an apply as a deployment: `running` before the first, then `success`, `failed`, or `canceled`
 * if it was interrupted. If the record fails, the apply continues with a warning.
 */
export function deploying(
  deployment: DeploymentOptions,
  interrupted: AbortSignal,
  notices: Notices,
): (begun: { readonly connection: ClientOptions; readonly planned: { readonly plan: Plan } }) => Promise<ApplyRecord> {
  const { project } = deployment;
  return async ({ connection, planned: { plan } }) => {
    let open = await begin(connection, deployment, notices);
    const endAs = async (status: string) => {
      const record = open;
      open = undefined;
      if (record === undefined) return;
      // Sent even if the run is interrupted: on its own connection, for at most the time of one request.
      const lasting = { ...connection, signal: deadline(connection.requestTimeout, "requestTimeout has passed") };
      await using writer = await connectWriter(lasting);
      const written = await updateDeployment(writer, project, record, status);
      if (!("error" in written)) return notices.note(`note: recorded as deployment ${record} of ${project}: ${status}`);
      const remedy = `evenkeel deployments update ${shellWord(project)} ${shellWord(record)} --status ${status} corrects it`;
      notices.warn(
        recordProblem(`deployment ${record} of ${project} is not marked as ${status}: ${written.error}; ${remedy}`),
      );
    };
    return {
      end: (outcomes) => endAs(chooseStatus(plan, outcomes, interrupted)),
      [Symbol.asyncDispose]: () => endAs("failed"),
    };
  };
}

function chooseStatus(plan: Plan, outcomes: Outcomes, interrupted: AbortSignal): string {
  if (interrupted.aborted) return "canceled";
  const isWell = plan.problems.length === 0 && [...outcomes.values()].every(({ status }) => status === "applied");
  return isWell ? "success" : "failed";
}

/** The ID of the new record; undefined if it could not be created. */
async function begin(
  connection: ClientOptions,
  { project, fields }: DeploymentOptions,
  { warn }: Notices,
): Promise<string | undefined> {
  if (connection.signal?.aborted) return undefined;
  await using writer = await connectWriter(connection);
  const written = await recordDeployment(writer, project, { ...fields, status: "running" });
  const id = "row" in written ? written.row.id : undefined;
  if (id !== undefined) return String(id);
  const why = "error" in written ? written.error : "the server did not say which record it made";
  warn(recordProblem(`the apply is not recorded as a deployment: ${why}`));
  return undefined;
}

function recordProblem(message: string): Problem {
  return { severity: "warning", rule: "deployment-record", message };
}

/** The requests of {@link deploying} for a successful apply, for a dry run. */
export function recordCalls({ project, fields }: DeploymentOptions): { readonly before: Call; readonly after: Call } {
  const before = call("createDeployment", { id: project }, { ...fields, status: "running" });
  const path = `${before.path}/:deployment_id`;
  return { before, after: { ...before, method: "PUT", path, parameters: { status: "success" } } };
}
