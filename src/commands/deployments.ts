import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import type { Reader } from "../client/client.ts";
import { unavailableBefore } from "../model/availability.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { endpoints } from "../model/endpoints.ts";
import type { Platform } from "../model/types.ts";
import { deploymentsText, deploymentText, mergeRequestsText } from "../report/server-texts.ts";
import {
  listMergeRequests,
  readDeployment,
  readDeployments,
  recordDeployment,
  removeDeployment,
  updateDeployment,
} from "../run/deployments.ts";
import { platformAt } from "../run/live/find-dialect.ts";
import { dialectAround, loadSettings } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { checked, reading, shownDeployment, writing } from "./connected.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel deployments list PROJECT`. */
export const printDeployments: Run<Options<"deployments list">> = (terminal, options, [project = ""]) => {
  const { values } = checked(
    terminal,
    "listDeployments",
    {
      id: project,
      order_by: options.orderBy,
      sort: options.sort,
      updated_after: options.updatedAfter,
      updated_before: options.updatedBefore,
      environment: options.environment,
      status: options.status,
    },
    catalogueOf(dialectAround(folderOf(terminal, options))).facts,
  );
  return reading(terminal, options, async (reader) => {
    const rows = await readDeployments(reader, project, values);
    return { text: () => deploymentsText(rows, terminal.palette), json: () => JSON.stringify(rows, null, 2) };
  });
};

/** `evenkeel deployments show PROJECT ID`. */
export const show: Run<Options<"deployments show">> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "getDeployment", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) =>
    shownDeployment({ row: await readDeployment(reader, project, id) }, terminal),
  );
};

/** `evenkeel deployments create PROJECT`. */
export const create: Run<Options<"deployments create">> = (terminal, options, [project = ""]) => {
  const { environment, sha, ref, tag, status } = options;
  const { values } = checked(terminal, "createDeployment", { id: project, environment, sha, ref, tag, status });
  return writing(terminal, options, async (writer) =>
    shownDeployment(await recordDeployment(writer, project, values), terminal),
  );
};

/** `evenkeel deployments update PROJECT ID --status STATUS`. */
export const update: Run<Options<"deployments update">> = (terminal, options, [project = "", id = ""]) => {
  const { status } = options;
  checked(terminal, "updateDeployment", { id: project, deployment_id: id, status });
  if (status === undefined) throw new UserError("--status is missing; there is nothing else to change", exit.usage);
  return writing(terminal, options, async (writer) =>
    shownDeployment(await updateDeployment(writer, project, id, status), terminal),
  );
};

type Choice = Options<"deployments delete">;

/** `evenkeel deployments delete PROJECT ID`: shows the deployment, asks for confirmation and deletes it. */
export const remove: Run<Choice> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "deleteDeployment", { id: project, deployment_id: id });
  if (!options.yes && !terminal.interactive) throw new UserError("stdin is not a terminal: pass --yes", exit.usage);
  const { server } = loadSettings(folderOf(terminal, options));
  const lacking = server.isReleaseAssumed ? undefined : explainLacking(server);
  if (lacking) throw new UserError(lacking);
  return writing(terminal, options, async (writer) => {
    const refused = explainLacking(await platformAt(writer, server));
    if (refused) return { status: "failed", error: refused };
    if (!options.yes && !(await askAgreement(terminal, writer, project, id)))
      return { status: "failed", error: "Not deleted." };
    const failure = await removeDeployment(writer, project, id);
    if (failure) return failure;
    const deleted = { id: Number(id), status: "deleted" };
    return {
      text: () => printable(`Deleted deployment ${id} of ${project}.`),
      json: () => JSON.stringify(deleted, null, 2),
    };
  });
};

function explainLacking(platform: Platform): string | undefined {
  return unavailableBefore("deployments can be deleted", endpoints.deleteDeployment.introduced, platform);
}

async function askAgreement(terminal: Terminal, reader: Reader, project: string, id: string) {
  terminal.warn(deploymentText(await readDeployment(reader, project, id), terminal.palette));
  return terminal.confirm("Its record cannot be brought back. Delete it? Type yes to continue:");
}

/** `evenkeel deployments merge-requests PROJECT ID`: the changes that a deployment shipped. */
export const mergeRequests: Run<Options<"deployments merge-requests">> = (
  terminal,
  options,
  [project = "", id = ""],
) => {
  checked(terminal, "listDeploymentMergeRequests", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) => {
    const rows = await listMergeRequests(reader, project, id);
    return { text: () => mergeRequestsText(rows, terminal.palette), json: () => JSON.stringify(rows, null, 2) };
  });
};
