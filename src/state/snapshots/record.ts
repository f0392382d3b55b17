import { grouped } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text.ts";
import { kept } from "../retention.ts";
import type { Shards } from "../state.ts";
import { differencesAfter } from "./differences.ts";
import { type EntriesAfter, entriesAt, locator } from "./entries.ts";
import { combined, fingerprints } from "./fingerprint.ts";
import {
  type FleetIndex,
  fleetCounts,
  fleetIndex,
  parseFleetIndex,
  readFleetIndex,
  type ShardHead,
} from "./fleet-index.ts";
import type { ProjectObservation, RunObservation } from "./observation.ts";
import {
  parseShard,
  type ShardRow,
  type SnapshotShard,
  serialized,
  shardNameOf,
  shardNames,
  snapshotIn,
} from "./shard.ts";
import { ShardBuilder } from "./shard-builder.ts";
import type { ProjectSnapshot, SeenDifference, SyncStatus, SyncStatusCounts } from "./snapshot.ts";

/**
 * Updates the snapshots of a fleet with what a run saw. Shards without changes are neither read nor written. Returns the
 * counts afterwards. @throws UserError if they cannot be stored.
 */
export async function recordObservation(shards: Shards, observation: RunObservation): Promise<SyncStatusCounts> {
  const run = prepared(observation);
  const names = changedShards(await readFleetIndex(shards), run);
  let counts = fleetCounts({ shards: {} });
  await shards.change([...names, fleetIndex], (before) => {
    const written = names.map((name) => [name, updatedShard(name, before.get(name), run)] as const);
    const heads = Object.fromEntries(written.map(([name, { head }]) => [name, head]));
    const fleet = updatedIndex(parseFleetIndex(before.get(fleetIndex)), heads, observation);
    counts = fleetCounts(fleet);
    return new Map([...written.map(([name, { text }]) => [name, text] as const), [fleetIndex, serialized(fleet)]]);
  });
  return counts;
}

type Observed = ProjectObservation & { readonly fingerprint: string };

interface PreparedObservation extends RunObservation {
  readonly entriesAfter: EntriesAfter;
  /** The observed projects of each shard, sorted by name. */
  readonly byShard: ReadonlyMap<string, readonly Observed[]>;
}

function prepared(observation: RunObservation): PreparedObservation {
  const locate = locator();
  const fingerprintOf = fingerprints(locate);
  const observed = observation.projects
    .map((each): Observed => ({ ...each, fingerprint: fingerprintOf(each) }))
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
  const byShard = grouped(observed, ({ project }) => shardNameOf(project.name));
  return { ...observation, entriesAfter: entriesAt(observation.commit, locate), byShard };
}

/** The names of the shards that a run may change. */
function changedShards(
  fleet: FleetIndex | undefined,
  { covers, whole, byShard }: PreparedObservation,
): readonly string[] {
  const names = covers ? shardNames : [...byShard.keys()];
  return names.filter(
    (name) => !whole || (fleet?.shards[name]?.fingerprint ?? empty) !== fingerprintOf(byShard.get(name)),
  );
}

/** The fingerprint of a shard without projects. */
const empty = combined([]);

function fingerprintOf(observed: readonly Observed[] = []): string {
  return combined(observed.map(({ fingerprint }) => fingerprint));
}

function updatedShard(name: string, before: string | undefined, run: PreparedObservation) {
  const observed = run.byShard.get(name) ?? [];
  const builder = new ShardBuilder();
  mergeProjects(builder, parseShard(before), observed, run);
  const fingerprint = run.whole ? fingerprintOf(observed) : "";
  const head: ShardHead = { run: run.run, fingerprint, counts: builder.counts };
  return { text: builder.text, head };
}

function updatedIndex(
  before: FleetIndex | undefined,
  heads: FleetIndex["shards"],
  { run, at, server, exceptions, whole }: RunObservation,
): FleetIndex {
  const shards = { ...before?.shards, ...heads };
  return { server, exceptions, whole: whole ? { run, at } : (before?.whole ?? null), shards };
}

function nameOf({ project }: Pick<ProjectObservation, "project">): string {
  return project.name.toLowerCase();
}

/** Adds the projects of a shard after a run, sorted by name. */
function mergeProjects(
  builder: ShardBuilder,
  shard: SnapshotShard,
  observed: readonly Observed[],
  run: PreparedObservation,
): void {
  const before = new Map(shard.rows.map((row) => [row[0].toLowerCase(), row]));
  const now = new Map(observed.map((each) => [nameOf(each), each]));
  for (const name of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [row, each] = [before.get(name), now.get(name)];
    if (each) mergeProject(builder, shard, row, each, run);
    else if (row && isKept(row, run)) builder.copy(shard, row);
  }
}

function mergeProject(
  builder: ShardBuilder,
  shard: SnapshotShard,
  row: ShardRow | undefined,
  each: Observed,
  run: PreparedObservation,
): void {
  const isComplete = each.all && each.desired;
  if (row && isComplete && row[2] === each.fingerprint) {
    // The fleet index records when the whole fleet was seen.
    builder.copy(shard, row, run.whole ? undefined : { seen: run.at, run: run.run });
  } else if (row || each.desired) {
    builder.add(updatedSnapshot(row && snapshotIn(shard, row), each, run), isComplete ? each.fingerprint : "");
  }
}

/** Drops projects that policies no longer select, and after a while those that no run covers. */
function isKept([project, , , , , seen]: ShardRow, { covers, at }: RunObservation): boolean {
  return covers?.(project) !== true && Date.parse(at) - Date.parse(seen) < kept.readRuns;
}

function updatedSnapshot(
  before: ProjectSnapshot | undefined,
  observed: ProjectObservation,
  run: PreparedObservation,
): ProjectSnapshot {
  const { project, problems, unmanaged } = observed;
  const differences = differencesAfter(before, observed, run);
  const syncStatus = statusOf(observed, differences);
  return {
    project: project.name,
    ...(project.id !== undefined && { id: project.id }),
    syncStatus,
    since: before?.syncStatus === syncStatus ? before.since : run.at,
    seen: run.at,
    run: run.run,
    entries: run.entriesAfter(before, observed),
    differences,
    unverified: { ...untargeted(before?.unverified ?? {}, observed), ...observed.unverified },
    unmanaged,
    problems,
  };
}

function untargeted(
  unverified: ProjectSnapshot["unverified"],
  { includes, changes }: ProjectObservation,
): ProjectSnapshot["unverified"] {
  return Object.fromEntries(Object.entries(unverified).filter(([rest]) => !changes || !includes(rest)));
}

function statusOf({ changes, problems }: ProjectObservation, differences: readonly SeenDifference[]): SyncStatus {
  if (!changes) return "unreadable";
  if (differences.some(({ cause }) => cause === "drift")) return "drifted";
  if (differences.length > 0) return "pending";
  return problems.length > 0 ? "unreadable" : "in sync";
}
