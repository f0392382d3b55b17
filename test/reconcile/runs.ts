import { apply, plan, rehearse } from "../../src/reconcile/reconcile.ts";
import type { Applied, Planned, Rehearsed, Request } from "../../src/reconcile/request.ts";
import { type Scene, type Setting, scene, token } from "../e2e/workspace.ts";

/** A workspace, its server, and the pipeline in this process. */
export interface Runs extends Scene {
  readonly planned: (more?: Partial<Request>) => Promise<Planned>;
  readonly rehearsed: (more?: Partial<Request>) => Promise<Rehearsed>;
  /** `meanwhile` happens between the plan and its approval. */
  readonly applied: (more?: Partial<Request>, meanwhile?: () => Promise<unknown>) => Promise<Applied>;
  /** What the server was asked since the last time this was asked, paths below /api/v4 and decoded. */
  readonly asked: () => readonly string[];
}

export async function runs(setting: Setting): Promise<Runs> {
  const made = await scene(setting);
  const { requests } = made.server;
  const request: Request = { folder: made.root, env: { EVENKEEL_TOKEN: token, ...setting.secrets } };
  return {
    ...made,
    planned: (more) => plan({ ...request, ...more }),
    rehearsed: (more) => rehearse({ ...request, ...more }),
    applied: (more, meanwhile = async () => {}) => {
      const approve = async () => {
        await meanwhile();
        return true;
      };
      return apply({ ...request, ...more }, { approve, watchers: [] });
    },
    asked: () => {
      const lines = requests.kept.map(({ method, path }) => `${method} ${decodeURIComponent(path.slice(7))}`);
      requests.reset();
      return lines;
    },
  };
}

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

/** Waivers for these addresses, and for no number of deletes. */
export function allowing(...addresses: readonly string[]): Pick<Request, "waivers"> {
  return { waivers: { deletes: 0, protected: new Set(addresses) } };
}
