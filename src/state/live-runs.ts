import type { Holder } from "./lease-store.ts";
import type { WorkspaceState } from "./state.ts";

/** The active runs, and the holder of the lease. */
export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

/** Active are the lease holder, and runs with workers that send heartbeats. */
export async function liveRuns({ leases, workers }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases.holder();
  const members = (await workers?.members()) ?? [];
  const started = members.filter(({ role }) => role === "run").map(({ id }) => id);
  return { holder, runs: new Set([...started, ...(holder ? [holder.run] : [])]) };
}
