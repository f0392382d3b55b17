import { setImmediate as turn } from "node:timers/promises";
import { compareTexts } from "../../base/text-format.ts";
import { kept } from "../retention.ts";
import type { Shards } from "../state.ts";
import { differencesAfter } from "./differences.ts";
import { type EntriesAfter, entriesAt } from "./entries.ts";
import { combined, fingerprintOf } from "./fingerprint.ts";
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
 * Updates the snapshots of a fleet with what a run saw, a few shards at a time, so that nothing else waits for long. Shards
 * without changes are neither read nor written. Returns the counts afterwards. @throws UserError if they cannot be stored.
 */
export async function recordObservation(shards: Shards, observation: RunObservation): Promise<SyncStatusCounts> {
  const run = await prepared(observation);
  const batches = batchesOf(changedShards(await readFleetIndex(shards), run), run);
  let counts = fleetCounts({ shards: {} });
  for (const [index, names] of batches.entries()) {
    await turn();
    const isLast = index === batches.length - 1;
    await shards.change([...names, fleetIndex], (before) => {
      const written = names.map((name) => [name, updatedShard(name, before.get(name), run)] as const);
      const heads = Object.fromEntries(written.map(([name, { head }]) => [name, head]));
      const fleet = updatedIndex(parseFleetIndex(before.get(fleetIndex)), heads, {
        ...run,
        whole: isLast && run.whole,
      });
      counts = fleetCounts(fleet);
      return new Map([...written.map(([name, { text }]) => [name, text] as const), [fleetIndex, serialized(fleet)]]);
    });
  }
  return counts;
}

/** Projects in a batch of shards at most, unless a single shard has more; and those that are looked at in one go. */
const batchSize = 1000;

/** The shards in batches that are written at once; at least one, for the index. */
function batchesOf(names: readonly string[], { byShard }: PreparedObservation): readonly (readonly string[])[] {
  const batches: string[][] = [[]];
  let size = 0;
  for (const name of names) {
    const projects = byShard.get(name)?.length ?? 0;
    if (size > 0 && size + projects > batchSize) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(name);
    size += projects;
  }
  return batches;
}

interface PreparedObservation extends RunObservation {
  readonly entriesAfter: EntriesAfter;
  /** In lower case, by the place of the project among those of the run. */
  readonly names: readonly string[];
  /** Of what was seen of each of them. */
  readonly fingerprints: readonly string[];
  /** The places of the projects of each shard, sorted by name. */
  readonly byShard: ReadonlyMap<string, readonly number[]>;
}

async function prepared(observation: RunObservation): Promise<PreparedObservation> {
  const { projects, observe, commit, locate } = observation;
  const names: string[] = [];
  const fingerprints: string[] = [];
  const byShard = new Map<string, number[]>();
  for (const [index, { name }] of projects.entries()) {
    if (index % batchSize === 0) await turn();
    names.push(name.toLowerCase());
    fingerprints.push(fingerprintOf(observe(index)));
    const shard = shardNameOf(name);
    const places = byShard.get(shard) ?? [];
    places.push(index);
    byShard.set(shard, places);
  }
  for (const places of byShard.values()) places.sort((a, b) => compareTexts(names[a] ?? "", names[b] ?? ""));
  return { ...observation, entriesAfter: entriesAt(commit, locate), names, fingerprints, byShard };
}

/** The names of the shards that a run may change. */
function changedShards(fleet: FleetIndex | undefined, run: PreparedObservation): readonly string[] {
  const names = run.covers ? shardNames : [...run.byShard.keys()];
  return names.filter(
    (name) => !run.whole || (fleet?.shards[name]?.fingerprint ?? empty) !== shardFingerprint(name, run),
  );
}

/** The fingerprint of a shard without projects. */
const empty = combined([]);

function shardFingerprint(name: string, { byShard, fingerprints }: PreparedObservation): string {
  return combined((byShard.get(name) ?? []).map((index) => fingerprints[index] ?? ""));
}

function updatedShard(name: string, before: string | undefined, run: PreparedObservation) {
  const builder = new ShardBuilder();
  mergeProjects(builder, parseShard(before), run.byShard.get(name) ?? [], run);
  const fingerprint = run.whole ? shardFingerprint(name, run) : "";
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

/** Adds the projects of a shard after a run, sorted by name. */
function mergeProjects(
  builder: ShardBuilder,
  shard: SnapshotShard,
  observed: readonly number[],
  run: PreparedObservation,
): void {
  const before = new Map(shard.rows.map((row) => [row[0].toLowerCase(), row]));
  const now = new Map(observed.map((index) => [run.names[index] ?? "", index]));
  for (const name of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [row, index] = [before.get(name), now.get(name)];
    if (index !== undefined) mergeProject(builder, shard, row, index, run);
    else if (row && isKept(row, run)) builder.copy(shard, row);
  }
}

function mergeProject(
  builder: ShardBuilder,
  shard: SnapshotShard,
  row: ShardRow | undefined,
  index: number,
  run: PreparedObservation,
): void {
  const [each, fingerprint = ""] = [run.observe(index), run.fingerprints[index]];
  const isComplete = each.all && each.desired;
  if (row && isComplete && row[2] === fingerprint) {
    // The fleet index records when the whole fleet was seen.
    builder.copy(shard, row, run.whole ? undefined : { seen: run.at, run: run.run });
  } else if (row || each.desired) {
    builder.add(updatedSnapshot(row && snapshotIn(shard, row), each, run), isComplete ? fingerprint : "");
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
    ...inheritedAfter(before, observed),
    unmanaged,
    problems,
  };
}

function inheritedAfter(
  before: ProjectSnapshot | undefined,
  { inherited: now = [], includes, changes }: ProjectObservation,
): Pick<ProjectSnapshot, "inherited"> {
  const kept = (before?.inherited ?? []).filter((rest) => !changes || !includes(rest));
  const inherited = [...new Set([...kept, ...now])].sort();
  return inherited.length > 0 ? { inherited } : {};
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
