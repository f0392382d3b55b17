import type { Plan, PlannedChange } from "../../src/plan/plan.ts";

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
