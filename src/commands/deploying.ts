import { exit, Refusal } from "../base/exit.ts";
import type { DeploymentWish } from "../deployments/record-apply.ts";
import { checkValues } from "../model/call-check.ts";
import type { Options } from "./flags.ts";

/** The record that is asked for, if one is. @throws Refusal naming every mistake. */
export function wishOf(options: Options<"apply">): DeploymentWish | undefined {
  const { recordDeployment: environment, deploymentProject: id, sha, ref, tag } = options;
  if (environment === undefined) {
    if (id === undefined && sha === undefined && ref === undefined && tag === undefined) return undefined;
    throw new Refusal("--deployment-project, --sha, --ref and --tag go with --record-deployment", exit.usage);
  }
  const checked = checkValues("createDeployment", { id, environment, sha, ref, tag: tag ?? false }, optionOf);
  if ("mistakes" in checked) throw new Refusal(checked.mistakes.join("; "), exit.usage);
  return { project: id ?? "", fields: checked.values };
}

const otherNames: Readonly<Record<string, string>> = {
  id: "--deployment-project",
  environment: "--record-deployment",
};

function optionOf(parameter: string): string {
  return otherNames[parameter] ?? `--${parameter}`;
}
