import type { Applied, Planned, Request } from "../../src/run/request.ts";

export { type Stage as Runs, stage as runs } from "../support/stage.ts";

/** `update p:license/MIT` for each change of a plan. */
export function changes({ plan: { resource_changes } }: Planned): readonly string[] {
  return resource_changes.map(({ address, change }) => `${change.actions[0]} ${address}`);
}

export function objections({ plan }: Planned): readonly string[] {
  return plan.objections.map(({ message }) => message);
}

export function warnings({ plan }: Planned): readonly string[] {
  return plan.warnings.map(({ message }) => message);
}

/** `applied p:license/MIT` for each outcome. */
export function outcomes({ outcomes: all = new Map() }: Applied): readonly string[] {
  return [...all].map(([address, { status }]) => `${status} ${address}`);
}

export function allowing(...addresses: readonly string[]): Pick<Request, "waivers"> {
  return { waivers: { deletes: 0, protected: new Set(addresses) } };
}
