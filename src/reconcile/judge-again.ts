import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { type RefreshedProject, type RefreshScope, refreshProject } from "../live/survey.ts";
import type { DesiredProject } from "../model/types.ts";
import {
  checkProtected,
  checkRemovalShare,
  type GuardRules,
  isMany,
  type Objection,
  type RemovalShare,
  theFleet,
} from "../plan/guards.ts";
import { type Plan, type PlannedChange, removalsOf, visibleOf } from "../plan/plan.ts";

/** A saved plan, and what is known of its projects without it. */
export interface Again {
  readonly plan: Plan;
  readonly desired: readonly DesiredProject[];
  readonly rules: GuardRules;
  readonly scope: RefreshScope;
}

export interface JudgedAgain {
  readonly objections: readonly Objection[];
  /** Projects that could not be read for it: nothing is written to them. */
  readonly unread: ReadonlyMap<string, RefreshedProject>;
}

/**
 * What the guards say of a saved plan. Whoever can write its file can make its digest match, so nothing that can be
 * judged anew is taken from it: what is live is counted on the server, where so much would go that shares matter.
 * What the plan objected to itself still counts.
 * @throws CallFailed where it ends the run.
 */
export async function judgeAgain(reader: Reader, again: Again): Promise<JudgedAgain> {
  const { plan, rules } = again;
  const changes = plan.resource_changes.map(visibleOf);
  const { objections: shares, unread } = await judgeShares(reader, again);
  const before = plan.objections.filter(({ guard }) => guard === "delete-percent");
  const unsaid = shares.filter(({ message }) => before.every((each) => each.message !== message));
  return { objections: [...unsaid, ...before, ...checkProtected(changes, rules)], unread };
}

async function judgeShares(reader: Reader, { plan, desired, rules, scope }: Again): Promise<JudgedAgain> {
  const removals = removalsOf(plan);
  if (!isMany(removals.length, rules.guards)) return { objections: [], unread: new Map() };
  const losing = new Set(removals.map(({ project }) => project));
  const isLosing = ({ project }: DesiredProject) => losing.has(project.name);
  const { live, unread } = await countLive(reader, desired.filter(isLosing), scope);
  const left = removals.filter(({ project }) => live.has(project));
  const others = desired.filter((each) => !isLosing(each));
  const count = () => countLive(reader, others, scope);
  const fleet = await judgeFleet({ scope: theFleet, removals: left, live: sum(live) }, plan.summary.live, count, rules);
  const shares = desired.length > 1 ? sharesOf(left, live) : [];
  return { objections: [...fleet, ...shares.flatMap((share) => checkRemovalShare(share, rules.guards))], unread };
}

function sharesOf(removals: readonly PlannedChange[], live: ReadonlyMap<string, number>): readonly RemovalShare[] {
  const groups = new Map<string, PlannedChange[]>([...live.keys()].map((project) => [project, []]));
  for (const change of removals) groups.get(change.project)?.push(change);
  return [...groups].map(([project, group]) => ({ scope: project, removals: group, live: live.get(project) ?? 0 }));
}

/** A plan's own count can only be held against it; the rest of the fleet is counted where the share hangs on it. */
async function judgeFleet(
  losing: RemovalShare,
  claimed: number,
  countOthers: () => Promise<Counted>,
  { guards }: GuardRules,
): Promise<readonly Objection[]> {
  if (checkRemovalShare(losing, guards).length === 0) return [];
  const asClaimed = checkRemovalShare({ ...losing, live: claimed }, guards);
  if (asClaimed.length > 0) return asClaimed;
  const { live } = await countOthers();
  return checkRemovalShare({ ...losing, live: Math.min(claimed, losing.live + sum(live)) }, guards);
}

interface Counted {
  readonly live: ReadonlyMap<string, number>;
  readonly unread: ReadonlyMap<string, RefreshedProject>;
}

/** What is live in each project; its lists tell, so nothing declared is read on its own. */
async function countLive(reader: Reader, projects: readonly DesiredProject[], scope: RefreshScope): Promise<Counted> {
  const read = await inParallel(projects, scope.workers, async (desired) => {
    const listed = { ...desired, resources: [], exclusive: new Map() };
    return { name: desired.project.name, reread: await refreshProject(reader, listed, scope) };
  });
  return {
    live: new Map(read.flatMap(({ name, reread: { difference } }) => (difference ? [[name, difference.live]] : []))),
    unread: new Map(read.flatMap(({ name, reread }) => (reread.difference ? [] : [[name, reread]]))),
  };
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
