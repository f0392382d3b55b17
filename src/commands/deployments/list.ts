import { readDeployments } from "../../deployments/deployment-records.ts";
import { catalogueOf } from "../../model/catalogue.ts";
import { deploymentsText } from "../../report/server-texts.ts";
import { dialectAround } from "../../workspace/load.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import { folderOf } from "../workspace-options.ts";
import { checked, reading } from "./connected.ts";

/** `evenkeel deployments list PROJECT`. */
export const run: Run<Options<"deployments list">> = (terminal, options, [project = ""]) => {
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
