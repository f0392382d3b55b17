import { createHash } from "node:crypto";
import { addressScope } from "../model/identity.ts";
import type { Project } from "../model/types.ts";
import type { Plan } from "./plan.ts";

/** One of several parts of a fleet, from 1. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** Assigns projects by a hash of their name, so that a project stays in its shard when others are added or removed. */
export function shardOf({ index, total }: Shard): (project: string) => boolean {
  return (project) => {
    const hash = createHash("sha256").update(project.toLowerCase()).digest();
    return (hash.readUInt32BE(0) % total) + 1 === index;
  };
}

/** The part of the fleet that a plan covers. */
export interface PlanPart {
  readonly includes: (project: Project) => boolean;
  readonly target: (address: string, project: Project) => boolean;
}

/** Changed projects are always included, because the scope in the file could have been edited. */
export function partOfPlan({ scope = {}, resource_changes: changes }: Plan): PlanPart {
  const { targets, excludes, shards = [] } = scope;
  const changed = new Set(changes.map(({ project }) => project));
  const addresses = new Set(changes.map(({ address }) => address));
  const { includes, covers } = addressScope(targets, excludes);
  const inShard = shards.map((shard) => shardOf(parseShard(shard)));
  const isInShard = ({ name }: Project) => inShard.length === 0 || inShard.some((is) => is(name));
  return {
    includes: (project) => changed.has(project.name) || (includes(project) && isInShard(project)),
    target: (address, project) => addresses.has(address) || covers(address, project),
  };
}

function parseShard(shard: string): Shard {
  const [index, total] = shard.split("/").map(Number);
  return { index: index ?? 1, total: total ?? 1 };
}
