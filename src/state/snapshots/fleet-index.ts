import { isObject } from "../../base/json.ts";
import type { Shards } from "../state.ts";
import { parseFormat } from "./shard.ts";
import { addCounts, type SeenException, type SyncStatusCounts } from "./snapshot.ts";

/** The name under which the index is stored beside the shards. */
export const fleetIndex = "fleet";

/** When the whole fleet was last seen, and what is known of each shard without reading it. */
export interface FleetIndex {
  readonly server: string;
  /** The last run over everything that policies select; null before the first. */
  readonly whole: { readonly run: string; readonly at: string } | null;
  /** Exceptions from rules. */
  readonly exceptions: readonly SeenException[];
  /** By name. */
  readonly shards: Readonly<Record<string, ShardHead>>;
}

export interface ShardHead {
  /** The run that wrote it last; it changes whenever the shard does. */
  readonly run: string;
  /** Of what the last run over the whole fleet saw of its projects; "" if a later run changed the shard. */
  readonly fingerprint: string;
  /** Its projects by status. */
  readonly counts: SyncStatusCounts;
}

/** Undefined if the text is invalid. @throws UserError if a newer version wrote it. */
export function parseFleetIndex(text: string | undefined): FleetIndex | undefined {
  const { server, whole, shards, exceptions } = parseFormat(text);
  if (typeof server !== "string" || !isObject(shards)) return undefined;
  return {
    server,
    whole: (isObject(whole) ? whole : null) as FleetIndex["whole"],
    exceptions: (Array.isArray(exceptions) ? exceptions : []) as FleetIndex["exceptions"],
    shards: shards as FleetIndex["shards"],
  };
}

/** The index that a state stores, parsed as by {@link parseFleetIndex}. */
export async function readFleetIndex(shards: Pick<Shards, "read">): Promise<FleetIndex | undefined> {
  return parseFleetIndex((await shards.read([fleetIndex])).get(fleetIndex));
}

/** The projects of all shards by status. */
export function fleetCounts({ shards }: Pick<FleetIndex, "shards">): SyncStatusCounts {
  return addCounts(Object.values(shards).map(({ counts }) => counts));
}

/** The number of projects with a snapshot. */
export async function countSnapshots(shards: Pick<Shards, "read">): Promise<number> {
  const fleet = await readFleetIndex(shards);
  return fleet ? Object.values(fleetCounts(fleet)).reduce((sum, count) => sum + count, 0) : 0;
}
