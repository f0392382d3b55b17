import type { Holder, WorkspaceState } from "./state.ts";

/** The runs that go on, and who holds the lease of the workspace. */
export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

/** A run that writes holds the lease; one that has workers says that it is there. */
export async function liveRuns({ leases, fleet }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases.holder();
  const members = (await fleet.members()).filter(({ role }) => role === "run").map(({ id }) => id);
  return { holder, runs: new Set([...members, ...(holder ? [holder.run] : [])]) };
}
