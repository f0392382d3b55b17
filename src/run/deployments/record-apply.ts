import { shellWord } from "../../base/shell-word.ts";
import { type ClientOptions, connectWriter } from "../../client/client.ts";
import { deadline } from "../../client/timer.ts";
import type { Call, Fields, Problem } from "../../model/types.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ApplyRecord, Outcomes } from "../apply/apply.ts";
import { creationCall, recordDeployment, updateDeployment } from "./deployment-records.ts";

/** The deployment that an apply is recorded as (docs/deployments.md). */
export interface DeploymentOptions {
  /** The project of the policies, by ID or full path. */
  readonly project: string;
  /** Parameters of the record but for its status. */
  readonly fields: Fields;
}

/** Whom to tell of the record; none of it touches what the apply itself comes to. */
export interface Notices {
  readonly warn: (problem: Problem) => void;
  readonly note: (text: string) => void;
}

/** A run that is about to write. */
interface Begun {
  readonly connection: ClientOptions;
  readonly planned: { readonly plan: Plan };
}

/**
 * Records the writes of an apply as a deployment: `running` before the first of them, then `success` where the apply
 * ends well in every part, `failed` where it does not, `canceled` where it was interrupted. A record that cannot be
 * kept is a warning, and the apply goes on without it.
 */
export function deploying(
  deployment: DeploymentOptions,
  interrupted: AbortSignal,
  notices: Notices,
): (begun: Begun) => Promise<ApplyRecord> {
  return async ({ connection, planned: { plan } }) => {
    let record = await begin(connection, deployment, notices);
    const endAs = async (status: string) => {
      const open = record;
      record = undefined;
      if (open !== undefined) await end(connection, deployment, { record: open, status }, notices);
    };
    return {
      end: (outcomes) => endAs(statusOf(plan, outcomes, interrupted)),
      [Symbol.asyncDispose]: () => endAs("failed"),
    };
  };
}

function statusOf(plan: Plan, outcomes: Outcomes, interrupted: AbortSignal): string {
  if (interrupted.aborted) return "canceled";
  const isWell = plan.problems.length === 0 && [...outcomes.values()].every(({ status }) => status === "applied");
  return isWell ? "success" : "failed";
}

function fieldsOf({ fields }: DeploymentOptions): Fields {
  return { ...fields, status: "running" };
}

/** The ID of the new record; undefined where there is none to go on with. */
async function begin(
  connection: ClientOptions,
  deployment: DeploymentOptions,
  { warn }: Notices,
): Promise<string | undefined> {
  if (connection.signal?.aborted) return undefined;
  await using writer = await connectWriter(connection);
  const written = await recordDeployment(writer, deployment.project, fieldsOf(deployment));
  const id = "row" in written ? written.row.id : undefined;
  if (id !== undefined) return String(id);
  const why = "error" in written ? written.error : "the server did not say which record it made";
  warn(unrecorded(`the apply is not recorded as a deployment: ${why}`));
  return undefined;
}

interface End {
  readonly record: string;
  readonly status: string;
}

/** Also sent in an interrupted run, on a connection of its own, and given up after one request's time. */
async function end(
  connection: ClientOptions,
  { project }: DeploymentOptions,
  { record, status }: End,
  notices: Notices,
): Promise<void> {
  const lasting = { ...connection, signal: deadline(connection.requestTimeout, "requestTimeout has passed") };
  await using writer = await connectWriter(lasting);
  const written = await updateDeployment(writer, project, record, status);
  if (!("error" in written)) return notices.note(`note: recorded as deployment ${record} of ${project}: ${status}`);
  const remedy = `evenkeel deployments update ${shellWord(project)} ${shellWord(record)} --status ${status} corrects it`;
  notices.warn(
    unrecorded(`deployment ${record} of ${project} is not marked as ${status}: ${written.error}; ${remedy}`),
  );
}

function unrecorded(message: string): Problem {
  return { severity: "warning", rule: "deployment-record", message };
}

/** The requests that {@link deploying} puts around those of an apply that goes well, for a dry run. */
export function recordCalls(deployment: DeploymentOptions): { readonly before: Call; readonly after: Call } {
  const before = creationCall(deployment.project, fieldsOf(deployment));
  const path = `${before.path}/:deployment_id`;
  return { before, after: { ...before, method: "PUT", path, parameters: { status: "success" } } };
}
