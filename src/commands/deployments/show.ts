import { getDeployment } from "../../deployments/records.ts";
import type { OnlineOptions } from "../run.ts";
import type { Run } from "../verbs.ts";
import { checked, reading, shownDeployment } from "./connected.ts";

/** `evenkeel deployments show PROJECT ID`. */
export const run: Run<OnlineOptions> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "getDeployment", { id: project, deployment_id: id });
  return reading(terminal, options, async (reader) =>
    shownDeployment({ row: await getDeployment(reader, project, id) }, terminal),
  );
};
