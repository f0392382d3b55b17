import { readDeployment } from "../../deployments/deployment-records.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import { checked, reading, shownDeployment } from "./connected.ts";

/** `evenkeel deployments show PROJECT ID`. */
export const run: Run<Options<"deployments show">> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "getDeployment", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) =>
    shownDeployment({ row: await readDeployment(reader, project, id) }, terminal),
  );
};
