import { exit, UserError } from "../base/exit.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { deploymentsText, mergeRequestsText } from "../report/server-texts.ts";
import {
  listMergeRequests,
  readDeployment,
  readDeployments,
  recordDeployment,
  updateDeployment,
} from "../run/deployments.ts";
import { dialectAround } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { checkArguments, reading, shownDeployment, writing } from "./connected.ts";
import { folderOf } from "./run-request.ts";

export const printDeployments: Run<Options<"deployments list">> = (terminal, options, [project = ""]) => {
  const { values } = checkArguments(
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

export const show: Run<Options<"deployments show">> = (terminal, options, [project = "", id = ""]) => {
  checkArguments(terminal, "getDeployment", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) =>
    shownDeployment({ row: await readDeployment(reader, project, id) }, terminal),
  );
};

export const create: Run<Options<"deployments create">> = (terminal, options, [project = ""]) => {
  const { environment, sha, ref, tag, status } = options;
  const { values } = checkArguments(terminal, "createDeployment", { id: project, environment, sha, ref, tag, status });
  return writing(terminal, options, async (writer) =>
    shownDeployment(await recordDeployment(writer, project, values), terminal),
  );
};

export const update: Run<Options<"deployments update">> = (terminal, options, [project = "", id = ""]) => {
  const { status } = options;
  checkArguments(terminal, "updateDeployment", { id: project, deployment_id: id, status });
  if (status === undefined) throw new UserError("--status is missing; there is nothing else to change", exit.usage);
  return writing(terminal, options, async (writer) =>
    shownDeployment(await updateDeployment(writer, project, id, status), terminal),
  );
};

export const mergeRequests: Run<Options<"deployments merge-requests">> = (
  terminal,
  options,
  [project = "", id = ""],
) => {
  checkArguments(terminal, "listDeploymentMergeRequests", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) => {
    const rows = await listMergeRequests(reader, project, id);
    return { text: () => mergeRequestsText(rows, terminal.palette), json: () => JSON.stringify(rows, null, 2) };
  });
};
