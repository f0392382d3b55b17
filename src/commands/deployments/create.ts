import { createDeployment } from "../../deployments/records.ts";
import type { OnlineOptions } from "../run.ts";
import type { Run } from "../verbs.ts";
import { checked, shownDeployment, writing } from "./connected.ts";

export interface CreateOptions extends OnlineOptions {
  readonly environment?: string;
  readonly sha?: string;
  readonly ref?: string;
  readonly tag?: boolean;
  readonly status?: string;
}

/** `evenkeel deployments create PROJECT`. */
export const run: Run<CreateOptions> = (terminal, options, [project = ""]) => {
  const { environment, sha, ref, tag, status } = options;
  const { values } = checked(terminal, "createDeployment", { id: project, environment, sha, ref, tag, status });
  return writing(terminal, options, async (writer) =>
    shownDeployment(await createDeployment(writer, project, values), terminal),
  );
};
