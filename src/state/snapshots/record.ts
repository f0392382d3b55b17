import { randomBytes } from "node:crypto";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { UserError } from "../../base/exit.ts";
import { claimFor, type Lease, type Leases, tryLease } from "../lease.ts";
import { kept } from "../run-summary.ts";
import type { WorkspaceState } from "../state.ts";
import {
  differencesAfter,
  type EntriesAfter,
  entriesAt,
  type ProjectObservation,
  type RunObservation,
} from "./observed.ts";
import {
  documentText,
  fleetCounts,
  fleetIndex,
  parseShard,
  readFleetIndex,
  shardNameOf,
  shardNames,
} from "./read-snapshots.ts";
import {
  countStatuses,
  type ProjectSnapshot,
  type SeenDifference,
  type SyncStatus,
  type SyncStatusCounts,
} from "./snapshot.ts";

/** Shards that are read and written at once; those of 100,000 projects have 9 MB each. */
const batchSizeOf = (projects: number) => Math.max(1, Math.min(8, Math.floor(100_000 / projects)));

type SnapshotStore = Pick<WorkspaceState, "get" | "put" | "leases">;

/** Updates a few shards at a time, so that nothing else waits for long; the index last. @throws UserError. */
export async function recordObservation(state: SnapshotStore, run: RunObservation): Promise<SyncStatusCounts> {
  await using _ = await lock(state.leases("snapshots"));
  const before = await readFleetIndex(state);
  const counts = { ...before?.counts };
  const observed = await observedByShard(run);
  const names = run.covers ? shardNames : [...observed.keys()];
  const entriesAfter = entriesAt(run.commit, run.locate);
  const batchSize = batchSizeOf(run.projects.length);
  for (let at = 0; at < names.length; at += batchSize) {
    const batch = names.slice(at, at + batchSize);
    const stored = await state.get("snapshots", batch);
    const changed = new Map<string, string>();
    for (const name of batch) {
      await turn();
      const projects = mergeProjects(parseShard(stored.get(name)), observed.get(name) ?? [], run, entriesAfter);
      counts[name] = countStatuses(projects.map(({ syncStatus }) => syncStatus));
      const text = documentText({ projects });
      if (text !== stored.get(name) && (projects.length > 0 || stored.has(name))) changed.set(name, text);
    }
    await state.put("snapshots", changed);
  }
  const { server, exceptions, at } = run;
  const whole = run.whole ? { run: run.run, at } : (before?.whole ?? null);
  const overrides = run.whole ? run.overrides : before?.overrides;
  const index = { server, whole, exceptions, ...(overrides?.length && { overrides }), counts };
  await state.put("snapshots", [[fleetIndex, documentText(index)]]);
  return fleetCounts({ counts });
}

const [leaseDuration, patience, retryInterval] = [30_000, 60_000, 20];

async function lock(leases: Leases): Promise<Lease> {
  const claim = claimFor(`snapshots-${randomBytes(6).toString("hex")}`, {});
  for (const began = performance.now(); ; ) {
    const taken = await tryLease(leases, claim, leaseDuration);
    if (!("heldBy" in taken)) return taken;
    const { host, pid } = taken.heldBy;
    if (performance.now() - began > patience)
      throw new UserError(`cannot write snapshots: process ${pid} on ${host} has been writing them for a minute`);
    await pause(retryInterval);
  }
}

async function observedByShard({ projects }: RunObservation): Promise<ReadonlyMap<string, readonly number[]>> {
  const byShard = new Map<string, number[]>();
  for (const [index, { name }] of projects.entries()) {
    if (index % 1000 === 0) await turn();
    const shard = shardNameOf(name);
    const indexes = byShard.get(shard) ?? [];
    indexes.push(index);
    byShard.set(shard, indexes);
  }
  return byShard;
}

/** The projects of a shard after a run, sorted by name. */
function mergeProjects(
  stored: readonly ProjectSnapshot[],
  observed: readonly number[],
  run: RunObservation,
  entriesAfter: EntriesAfter,
): readonly ProjectSnapshot[] {
  const before = new Map(stored.map((each) => [each.project.toLowerCase(), each]));
  const now = new Map(observed.map((index) => [run.projects[index]?.name.toLowerCase() ?? "", index]));
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [earlier, index] = [before.get(name), now.get(name)];
    if (index === undefined) return earlier && isKept(earlier, run) ? earlier : [];
    const each = run.observe(index);
    if (!earlier && !each.desired) return [];
    const snapshot = updatedSnapshot(earlier, each, run, entriesAfter);
    // The fleet index records when the whole fleet was seen.
    return run.whole && earlier && isUnchanged(earlier, snapshot) ? earlier : snapshot;
  });
}

function isUnchanged(before: ProjectSnapshot, now: ProjectSnapshot): boolean {
  const { seen, run } = before;
  return JSON.stringify(before) === JSON.stringify({ ...now, seen, run });
}

/** Drops projects that policies no longer select, and expired ones that no run covers. */
function isKept({ project, seen }: ProjectSnapshot, { covers, at }: RunObservation): boolean {
  return covers?.(project) !== true && Date.parse(at) - Date.parse(seen) < kept.readRuns;
}

function updatedSnapshot(
  before: ProjectSnapshot | undefined,
  observed: ProjectObservation,
  run: RunObservation,
  entriesAfter: EntriesAfter,
): ProjectSnapshot {
  const { project, problems, unmanaged, changes, includes } = observed;
  /** True for resources that the run did not target or read: their entries come from the earlier snapshot. */
  const isEarlier = (rest: string) => !changes || !includes(rest);
  const differences = differencesAfter(before, observed, run);
  const syncStatus = determineStatus(observed, differences);
  const unverified = Object.entries(before?.unverified ?? {}).filter(([rest]) => isEarlier(rest));
  const inherited = [...(before?.inherited ?? []).filter(isEarlier), ...(observed.inherited ?? [])];
  return {
    project: project.name,
    ...(project.id !== undefined && { id: project.id }),
    syncStatus,
    since: before?.syncStatus === syncStatus ? before.since : run.at,
    seen: run.at,
    run: run.run,
    entries: entriesAfter(before, observed),
    differences,
    unverified: { ...Object.fromEntries(unverified), ...observed.unverified },
    ...(inherited.length > 0 && { inherited: [...new Set(inherited)].sort() }),
    unmanaged,
    problems,
  };
}

function determineStatus(
  { changes, problems }: ProjectObservation,
  differences: readonly SeenDifference[],
): SyncStatus {
  if (!changes) return "unreadable";
  if (differences.some(({ cause }) => cause === "drift")) return "drifted";
  if (differences.length > 0) return "pending";
  return problems.length > 0 ? "unreadable" : "in sync";
}
