import { createHash } from "node:crypto";
import { addressTest, projectTest } from "../model/identity.ts";
import type { Project } from "../model/types.ts";
import type { Plan } from "./plan.ts";

/** One of several parts of a fleet, from 1. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** Parts by a hash of the project's name, so that a project stays in its part whatever else comes or goes. */
export function shardOf({ index, total }: Shard): (project: string) => boolean {
  return (project) => {
    const hash = createHash("sha256").update(project.toLowerCase()).digest();
    return (hash.readUInt32BE(0) % total) + 1 === index;
  };
}

/** What a plan is about, by its scope and its changes. */
export interface PlanPart {
  readonly includes: (project: Project) => boolean;
  readonly target: (address: string, project: Project) => boolean;
}

/** What changes is always a part of it, whatever its scope says: whoever can write its file can write its scope. */
export function partOfPlan({ scope = {}, resource_changes: changes }: Plan): PlanPart {
  const { targets = [], shards = [] } = scope;
  const changed = new Set(changes.map(({ project }) => project));
  const addresses = new Set(changes.map(({ address }) => address));
  const [inTarget, targeted] = [targets.map(projectTest), targets.map(addressTest)];
  const inShard = shards.map((shard) => shardOf(shardIn(shard)));
  const isAny = <Tested>(tests: readonly Tested[], is: (test: Tested) => boolean) =>
    tests.length === 0 || tests.some(is);
  return {
    includes: (project) =>
      changed.has(project.name) || (isAny(inTarget, (is) => is(project)) && isAny(inShard, (is) => is(project.name))),
    target: (address, project) => addresses.has(address) || isAny(targeted, (is) => is(address, project)),
  };
}

function shardIn(shard: string): Shard {
  const [index, total] = shard.split("/").map(Number);
  return { index: index ?? 1, total: total ?? 1 };
}
