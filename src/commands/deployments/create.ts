import { recordDeployment } from "../../deployments/deployment-records.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import { checked, shownDeployment, writing } from "./connected.ts";

/** `evenkeel deployments create PROJECT`. */
export const run: Run<Options<"deployments create">> = (terminal, options, [project = ""]) => {
  const { environment, sha, ref, tag, status } = options;
  const { values } = checked(terminal, "createDeployment", { id: project, environment, sha, ref, tag, status });
  return writing(terminal, options, async (writer) =>
    shownDeployment(await recordDeployment(writer, project, values), terminal),
  );
};
