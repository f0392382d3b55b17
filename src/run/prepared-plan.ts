import type { Reader } from "../client/client.ts";
import { type DesiredFleet, desiredAmong } from "../manifest/desired-fleet.ts";
import { canariesThenAll, inWaves } from "../manifest/waves.ts";
import { isMove } from "../model/repository-kinds.ts";
import { type GuardRules, markWaived, type Objection } from "../plan/guards.ts";
import { type Plan, planDigest } from "../plan/plan.ts";
import type { Batch, Outcomes } from "./apply/apply.ts";
import { projectOf, recheckTargets, stepsOf, type Target } from "./apply/recheck.ts";
import type { PlanWave } from "./apply/waves.ts";
import { type NeededSecret, neededBy } from "./connection.ts";
import type { Context } from "./context.ts";
import type { Planned } from "./request.ts";
import { stepsAllowedByRules } from "./rules-in-force.ts";
import { canaryTest, guardRules, refusedBy, scopeOf } from "./scope.ts";
import type { MovesToMake } from "./storage-moves.ts";

/** A plan, new or saved, with everything that applying it needs. */
export interface PreparedPlan {
  readonly planned: Planned;
  readonly targets: readonly Target[];
  /** Storage moves, made after all other changes. */
  readonly moves: MovesToMake;
  /** Every secret that the writes will need. */
  readonly references: readonly NeededSecret[];
  /** Objections that the request does not waive: nothing may be written. */
  readonly refused: readonly Objection[];
  /** Whether `protected` matches an address of the plan. */
  readonly isProtected: GuardRules["isProtected"];
  /** A saved plan as it was read: what people signed. */
  readonly saved?: Plan;
  /** Whether a project belongs to the first wave. */
  readonly isCanary: (project: string) => boolean;
  /** The outcomes of a saved plan that does not follow from its manifests: nothing may be sent of it. */
  readonly stale?: Outcomes;
  /** The targets wave by wave; left out where the run has no waves. */
  readonly waves?: readonly (readonly Target[])[];
}

/**
 * Prepares a new plan: applied as it is or, where time passes before its writes or workers make them, with each project
 * read again first.
 */
export function preparePlan(context: Context, planned: Planned, fleet: DesiredFleet): PreparedPlan {
  const { request } = context;
  const { plan, differences, moves = [] } = planned;
  const changed = differences.map(({ changes }) => changes).filter((changes) => changes.length > 0);
  const refused = refusedBy(plan, fleet.projects, request);
  const rest = {
    planned: withWaivers(planned, refused),
    references: neededBy(differences, context.loaded.workspace.catalogue),
    refused,
    isProtected: guardRules(context, fleet.projects).isProtected,
    isCanary: canaryTest(context, fleet.projects),
  };
  const steps = moves.map((move) => ({ move }));
  if (request.recheck || request.workers) {
    const recheck = plan.resource_changes.filter(isMove);
    const changing = new Set(plan.resource_changes.map(({ project }) => project));
    const targets = recheckTargets(plan, desiredAmong(fleet, changing));
    return { ...rest, targets, moves: request.recheck ? { recheck } : { steps } };
  }
  const targets = changed.map((changes) => ({ steps: changes.map((change) => ({ change })) }));
  return { ...rest, targets, moves: { steps } };
}

/** The changes of each project; where it has to be read again, that happens right before its writes. */
export function batchesOf(reader: Reader, context: Context, targets: readonly Target[]): Batch[] {
  const scope = scopeOf(context);
  return targets.map((target) => ({
    steps: async () => {
      const steps = await stepsOf(reader, target, scope);
      return "planned" in target ? stepsAllowedByRules(steps, context, target.desired) : steps;
    },
  }));
}

/** The plan with the objections that the request waives marked as waived. */
export function withWaivers(planned: Planned, refused: readonly Objection[]): Planned {
  const { plan } = planned;
  if (refused.length === plan.objections.length) return planned;
  const marked = { ...plan, objections: markWaived(plan.objections, refused) };
  return { ...planned, plan: { ...marked, digest: planDigest(marked) } };
}

/** The plan with its targets wave by wave, by `--waves` or else by the workspace; unchanged where neither asks for waves. */
export function divideIntoWaves(prepared: PreparedPlan, { request, loaded: { workspace } }: Context): PreparedPlan {
  const { canary } = workspace;
  const stated = request.waves ?? workspace.waves ?? (canary.length > 0 ? canariesThenAll : undefined);
  if (!stated || prepared.targets.length === 0) return prepared;
  const byName = new Map(prepared.targets.map((target) => [projectOf(target), target]));
  const named = inWaves([...byName.keys()], stated, prepared.isCanary);
  const waves = named.map((names) => names.flatMap((name) => byName.get(name) ?? []));
  const planned: PlanWave[] = named.map((projects) => ({ projects, status: "planned" }));
  return { ...prepared, targets: waves.flat(), waves, planned: { ...prepared.planned, waves: planned } };
}
