import { listDeployments } from "../../deployments/records.ts";
import { deploymentsText } from "../../report/deployments.ts";
import type { OnlineOptions } from "../run.ts";
import type { Run } from "../verbs.ts";
import { checked, reading } from "./connected.ts";

export interface ListOptions extends OnlineOptions {
  readonly orderBy?: string;
  readonly sort?: string;
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
  readonly environment?: string;
  readonly status?: string;
}

/** `evenkeel deployments list PROJECT`. */
export const run: Run<ListOptions> = (terminal, options, [project = ""]) => {
  const { values } = checked(terminal, "listDeployments", {
    id: project,
    order_by: options.orderBy,
    sort: options.sort,
    updated_after: options.updatedAfter,
    updated_before: options.updatedBefore,
    environment: options.environment,
    status: options.status,
  });
  return reading(terminal, options, async (reader) => {
    const rows = await listDeployments(reader, project, values);
    return { text: () => deploymentsText(rows, terminal.palette), json: () => JSON.stringify(rows, null, 2) };
  });
};
