import type { Plan, PlannedChange } from "../../src/plan/plan.ts";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { policyText, type Setting, token, workspaceText } from "../support/stage.ts";
import { type Environment, runProgram, start } from "./program.ts";

export {
  policyText,
  type Setting,
  type Stage as Scene,
  stage as scene,
  token,
  workspaceText,
} from "../support/stage.ts";

/** `update p:license/MIT` for each change, in the plan's order. */
export function told({ resource_changes }: Plan): string[] {
  return resource_changes.map(({ address, change }) => `${change.actions[0]} ${address}`);
}

/** `applied p:license/MIT` for each change. */
export function outcomes({ resource_changes }: Plan): string[] {
  return resource_changes.map(({ address, outcome }) => `${outcome?.status} ${address}`);
}

export function changeOf({ resource_changes }: Plan, address: string): PlannedChange {
  const found = resource_changes.find((change) => change.address === address);
  if (!found) throw new Error(`no change of ${address} among ${resource_changes.map((change) => change.address)}`);
  return found;
}

/** A workspace of one policy, whose server answers as it is told; `site` and `workspace` as in a scene. */
export async function scripted(
  answer: Parameters<typeof serve>[0],
  {
    policy,
    site = {},
    workspace,
    env,
  }: Pick<Setting, "policy" | "site" | "workspace"> & { readonly env?: Environment },
  version?: string,
) {
  const server = await serve(answer, version);
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: server.url, ...site }, workspace),
    "all.yaml": policyText(policy ?? {}),
  });
  const all = { EVENKEEL_TOKEN: token, ...env };
  return {
    ...files,
    server,
    run: (...args: string[]) => runProgram(args, files.root, all),
    begin: (...args: string[]) => start(args, files.root, all),
  };
}
