import type { Holder } from "./lease-store.ts";
import type { WorkspaceState } from "./state.ts";

/** The runs that go on, and who holds the lease of the workspace. */
export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

/** A run that writes holds the lease; one that has workers says that it is there. */
export async function liveRuns({ leases, workers }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases.holder();
  const members = (await workers?.members()) ?? [];
  const started = members.filter(({ role }) => role === "run").map(({ id }) => id);
  return { holder, runs: new Set([...started, ...(holder ? [holder.run] : [])]) };
}
