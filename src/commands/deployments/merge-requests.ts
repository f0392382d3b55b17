import { listMergeRequests } from "../../deployments/deployment-records.ts";
import { mergeRequestsText } from "../../report/server-texts.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import { checked, reading } from "./connected.ts";

/** `evenkeel deployments merge-requests PROJECT ID`: which changes a deployment shipped. */
export const run: Run<Options<"deployments merge-requests">> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "listDeploymentMergeRequests", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) => {
    const rows = await listMergeRequests(reader, project, id);
    return { text: () => mergeRequestsText(rows, terminal.palette), json: () => JSON.stringify(rows, null, 2) };
  });
};
