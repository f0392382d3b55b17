import type { Holder } from "./lease-store.ts";
import type { WorkspaceState } from "./state.ts";
import { runLeases } from "./worker-store.ts";

/** The active runs, and the holder of the lease. */
export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

/** Active are the lease holder, and runs that have workers. */
export async function liveRuns({ leases, workers }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases.holder();
  const withWorkers = (await workers?.holders(runLeases)) ?? [];
  return { holder, runs: new Set([...withWorkers, ...(holder ? [holder] : [])].map(({ run }) => run)) };
}
