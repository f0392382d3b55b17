import { inParallel } from "../base/concurrency.ts";
import { lazy } from "../base/memoize.ts";
import type { Reader } from "../client/client.ts";
import { type DesiredFleet, fleetPart } from "../manifest/desired-fleet.ts";
import { isCovered } from "../manifest/selection.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { projectNamed } from "../model/identity.ts";
import { kindIn } from "../model/owner.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Change, DesiredProject, Outcome, Project } from "../model/types.ts";
import { type Contradictions, contradictionIn, staleOutcome } from "../plan/contradictions.ts";
import type { LiveCounts } from "../plan/diff/diff.ts";
import {
  addLiveCounts,
  checkProtected,
  checkRemovalShare,
  type GuardRules,
  hasSeveralKinds,
  isMany,
  type Objection,
  type RemovalShare,
  sharesByKind,
  theFleet,
} from "../plan/guards.ts";
import { partOfPlan, plannedChange } from "../plan/make-plan.ts";
import { notificationsIn, type Plan, type PlannedChange, removalsOf, visibleOf } from "../plan/plan.ts";
import { asksServer, type CompiledRule } from "../plan/rules/evaluate.ts";
import type { Outcomes } from "./apply/apply.ts";
import type { Context } from "./context.ts";
import { refreshProject } from "./live/refresh.ts";
import type { RefreshedProject, RefreshScope } from "./live/refresh-scope.ts";
import type { PreparedPlan } from "./prepared-plan.ts";

/** A saved plan, and its projects according to the manifests. */
export interface SavedPlanContext {
  readonly plan: Plan;
  readonly fleet: DesiredFleet;
  readonly rules: GuardRules;
  readonly scope: RefreshScope;
}

export interface CheckedAgain {
  readonly objections: readonly Objection[];
  /** Projects that could not be read; nothing is written to them. */
  readonly unread: ReadonlyMap<string, RefreshedProject>;
}

/**
 * Checks the guards for a saved plan. Its file could have been edited with a matching digest, so nothing that can be
 * determined again is taken from it: live resources are counted on the server if a guard depends on their share.
 * Objections in the plan itself remain.
 * @throws CallFailed if it ends the run.
 */
export async function checkGuardsAgain(reader: Reader, again: SavedPlanContext): Promise<CheckedAgain> {
  const { plan, rules } = again;
  const changes = plan.resource_changes.map(visibleOf);
  const { objections: shares, unread } = await checkShares(reader, again);
  const before = plan.objections.filter(({ guard }) => guard === "delete-percent");
  const implicit = shares.filter(({ message }) => before.every((each) => each.message !== message));
  return { objections: [...implicit, ...before, ...checkProtected(changes, rules)], unread };
}

async function checkShares(reader: Reader, { plan, fleet, rules, scope }: SavedPlanContext): Promise<CheckedAgain> {
  const removals = removalsOf(plan);
  if (!isMany(removals.length, rules.guards)) return { objections: [], unread: new Map() };
  const losing = new Set(removals.map(({ project }) => project));
  const isLosing = ({ name }: Project) => losing.has(name);
  const { live, byKind, unread } = await countLive(reader, fleetPart(fleet, isLosing), scope);
  const left = removals.filter(({ project }) => live.has(project));
  const count = lazy(() =>
    countLive(
      reader,
      fleetPart(fleet, (project) => !isLosing(project)),
      scope,
    ),
  );
  const share = await checkFleet({ scope: theFleet, removals: left, live: sum(live) }, plan.summary.live, count, rules);
  const kindsRead = new Set(scope.policies.flatMap((policy) => [...policy.kinds]));
  const kinds = kindsRead.size > 1 ? await checkKinds(left.map(kindOfRemoval), byKind, count, rules) : [];
  const shares = fleet.projects.length > 1 ? sharesOf(left, live) : [];
  return {
    objections: [...share, ...kinds, ...shares.flatMap((share) => checkRemovalShare(share, rules.guards))],
    unread,
  };
}

function sharesOf(removals: readonly PlannedChange[], live: ReadonlyMap<string, number>): readonly RemovalShare[] {
  const groups = new Map<string, PlannedChange[]>([...live.keys()].map((project) => [project, []]));
  for (const change of removals) groups.get(change.project)?.push(change);
  return [...groups].map(([project, group]) => ({ scope: project, removals: group, live: live.get(project) ?? 0 }));
}

/** The plan's own count can only add objections; the rest of the fleet is counted if the share depends on it. */
async function checkFleet(
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

function kindOfRemoval(planned: PlannedChange): Pick<Change, "address" | "kind"> {
  return { address: planned.address, kind: kindIn(planned) };
}

/** The rest of the fleet is counted only if what the losing projects have does not suffice. */
async function checkKinds(
  removals: readonly Pick<Change, "address" | "kind">[],
  losing: LiveCounts,
  countOthers: () => Promise<Counted>,
  { guards }: GuardRules,
): Promise<readonly Objection[]> {
  const check = (live: LiveCounts) => sharesByKind(removals, live).flatMap((share) => checkRemovalShare(share, guards));
  if (check(losing).length === 0) return [];
  const live = addLiveCounts([losing, (await countOthers()).byKind]);
  return hasSeveralKinds(live) ? check(live) : [];
}

interface Counted {
  readonly live: ReadonlyMap<string, number>;
  readonly byKind: LiveCounts;
  readonly unread: ReadonlyMap<string, RefreshedProject>;
}

/** Counts the live resources of each project from its lists, without reading declared ones separately. */
async function countLive(reader: Reader, { projects, at }: DesiredFleet, scope: RefreshScope): Promise<Counted> {
  const read = await inParallel(projects, scope.workers, async ({ name }, index) => {
    const listed = { ...at(index), resources: [], exclusive: new Map() };
    return { name, reread: await refreshProject(reader, listed, scope) };
  });
  return {
    live: new Map(read.flatMap(({ name, reread: { difference } }) => (difference ? [[name, difference.live]] : []))),
    byKind: addLiveCounts(read.map(({ reread }) => reread.difference?.liveByKind ?? {})),
    unread: new Map(read.flatMap(({ name, reread }) => (reread.difference ? [] : [[name, reread]]))),
  };
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

interface RecountScope {
  readonly fleet: DesiredFleet;
  readonly scope: RefreshScope;
  readonly catalogue: Catalogue;
}

/**
 * Updates the counts and lost notifications that rules read from a saved plan, because its file could have been edited
 * to satisfy a rule. The server is read only if a rule may need it.
 * @throws CallFailed if it ends the run.
 */
export async function withLiveCounts(
  reader: Reader,
  plan: Plan,
  rules: readonly CompiledRule[],
  { fleet, scope, catalogue }: RecountScope,
): Promise<Plan> {
  if (!rules.some(asksServer)) return plan;
  const { includes, target } = partOfPlan(plan);
  const diff: RefreshScope["diff"] = (project) => ({
    ...scope.diff(project),
    target: (address) => target(address, project),
  });
  const { projects, at } = fleetPart(fleet, includes);
  const read = await inParallel(projects, scope.workers, (_, index) =>
    refreshProject(reader, at(index), { ...scope, diff }),
  );
  const differences = read.flatMap(({ difference }) => difference ?? []);
  const sum = (of: (each: (typeof differences)[number]) => number) =>
    differences.reduce((total, each) => total + of(each), 0);
  const counts = {
    projects: differences.length,
    live: sum(({ live }) => live),
    unmanaged: sum(({ unmanaged }) => unmanaged.length),
    unverified: sum(({ unverified }) => unverified.reduce((total, { fields }) => total + fields.length, 0)),
  };
  const changes = differences.flatMap((difference) => difference.changes);
  const resource_changes = withLosses(plan.resource_changes, changes, catalogue);
  return { ...plan, resource_changes, summary: { ...plan.summary, ...counts } };
}

/** Updates the lost notifications of planned changes; changes that are no longer necessary remain unchanged. */
function withLosses(
  planned: readonly PlannedChange[],
  changes: readonly Change[],
  catalogue: Catalogue,
): readonly PlannedChange[] {
  const now = new Map(changes.map((change) => [change.address, change]));
  return planned.map((each) => {
    const change = now.get(each.address);
    if (!change) return each;
    const { notes: _, lost_notifications: __, moved_notifications: ___, ...rest } = each;
    const { notes, lost_notifications: lost = [], moved_notifications: moved = [] } = plannedChange(change, catalogue);
    return { ...rest, ...(notes && { notes }), ...notificationsIn({ lost, moved }) };
  });
}

/** The integrations of a plan's projects, read again because the plan file could have been edited. */
export function contradictionsOf(
  context: Context,
  plan: Plan,
  projects: ReadonlyMap<string, DesiredProject>,
): Contradictions {
  const catalogue = context.loaded.workspace.catalogue;
  const found = plan.resource_changes
    .filter((planned) => !isMove(planned))
    .flatMap((planned) => {
      const project = projects.get(planned.project);
      const why = project ? contradictionIn(planned, project, catalogue) : unselected(planned, context);
      return why === undefined ? [] : [[planned.address, why] as const];
    });
  return new Map(found);
}

/** A selected project may have been deleted since. */
function unselected({ project }: PlannedChange, { policies }: Context): string | undefined {
  return isCovered(policies, projectNamed(project)) ? undefined : `no policy selects ${project}`;
}

/** Sends nothing of a plan that cannot follow from the manifests. */
export function withContradictions(prepared: PreparedPlan, plan: Plan, contradictions: Contradictions): PreparedPlan {
  if (contradictions.size === 0) return prepared;
  const stale = outcomesOf(plan, contradictions);
  return { ...prepared, targets: [], moves: { steps: [] }, references: [], stale };
}

function outcomesOf({ resource_changes: changes }: Plan, contradictions: Contradictions): Outcomes {
  const [[first] = [""]] = contradictions;
  const others = `nothing of this plan is sent, because ${first} does not match the manifests`;
  const outcomeOf = ({ address }: PlannedChange): Outcome => {
    const why = contradictions.get(address);
    return staleOutcome(why ?? others);
  };
  return new Map(changes.map((planned) => [planned.address, outcomeOf(planned)]));
}
