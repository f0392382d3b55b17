import { exit, UserError } from "../../base/exit.ts";
import { updateDeployment } from "../../deployments/deployment-records.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import { checked, shownDeployment, writing } from "./connected.ts";

/** `evenkeel deployments update PROJECT ID --status STATUS`. */
export const run: Run<Options<"deployments update">> = (terminal, options, [project = "", id = ""]) => {
  const { status } = options;
  checked(terminal, "updateDeployment", { id: project, deployment_id: id, status });
  if (status === undefined) throw new UserError("--status is missing; there is nothing else to change", exit.usage);
  return writing(terminal, options, async (writer) =>
    shownDeployment(await updateDeployment(writer, project, id, status), terminal),
  );
};
