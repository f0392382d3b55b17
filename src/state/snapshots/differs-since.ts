import { grouped } from "../../base/grouped.ts";
import { addressParts } from "../../model/address.ts";
import type { Shards } from "../state.ts";
import { parseShard, shardNameOf, snapshotIn } from "./shard.ts";

/**
 * Since when resources are known to differ, ISO 8601 by address; those that no run saw differ are missing. Reads the shards of
 * their projects one by one. @throws UserError if the state cannot be read.
 */
export async function differsSince(shards: Shards, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [name, those] of grouped(addresses, (address) => shardNameOf(addressParts(address)[0]))) {
    const wanted = new Map(those.map((address) => [address.toLowerCase(), address]));
    const shard = parseShard((await shards.read([name])).get(name));
    const projects = new Set(those.map((address) => addressParts(address)[0].toLowerCase()));
    for (const row of shard.rows.filter(([project]) => projects.has(project.toLowerCase()))) {
      const { project, differences } = snapshotIn(shard, row);
      for (const { rest, since } of differences) {
        const address = wanted.get(`${project}:${rest}`.toLowerCase());
        if (address !== undefined) found.set(address, since);
      }
    }
  }
  return found;
}
