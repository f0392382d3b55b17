import { exit, UserError } from "../base/exit.ts";
import type { DeploymentOptions } from "../deployments/record-apply.ts";
import { passed } from "./deployments/connected.ts";
import type { Options } from "./table.ts";

/** The record that is asked for, if one is. @throws UserError naming every mistake. */
export function deploymentFrom(options: Options<"apply">): DeploymentOptions | undefined {
  const { recordDeployment: environment, deploymentProject: id, sha, ref, tag } = options;
  if (environment === undefined) {
    if (id === undefined && sha === undefined && ref === undefined && tag === undefined) return undefined;
    throw new UserError("--deployment-project, --sha, --ref and --tag need --record-deployment", exit.usage);
  }
  const { values } = passed("createDeployment", { id, environment, sha, ref, tag: tag ?? false }, otherNames);
  return { project: id ?? "", fields: values };
}

const otherNames: Readonly<Record<string, string>> = {
  id: "--deployment-project",
  environment: "--record-deployment",
};
