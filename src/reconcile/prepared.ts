import type { Outcomes } from "../apply/apply.ts";
import { recheckTargets, type Target } from "../apply/recheck.ts";
import { firstFew } from "../base/text.ts";
import { version } from "../base/version.ts";
import type { Difference } from "../diff/diff.ts";
import type { Selection } from "../live/survey.ts";
import { referencesIn } from "../model/normalise.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { DesiredProject, Problem, SecretReference } from "../model/types.ts";
import { type GuardRules, markWaived, type Objection } from "../plan/guards.ts";
import { type PlanInput, planOf, secretsSentBy } from "../plan/make-plan.ts";
import { type Plan, type PlanScope, planDigest } from "../plan/plan.ts";
import type { Context } from "./context.ts";
import type { Planned } from "./request.ts";
import { canaryTest, guardRules, refusedBy } from "./scope.ts";
import type { MovesToMake } from "./storage-moves.ts";

/** A plan, new or saved, and all that carrying it out takes. */
export interface Prepared {
  readonly planned: Planned;
  readonly targets: readonly Target[];
  /** What moves from one storage to another, after everything else. */
  readonly moves: MovesToMake;
  /** Every secret that the writes will need. */
  readonly references: readonly SecretReference[];
  /** What the guards object to in spite of the waivers: nothing may be written. */
  readonly refused: readonly Objection[];
  /** Whether `protected` means an address of the plan. */
  readonly isProtected: GuardRules["isProtected"];
  /** A saved plan as it was read: what people signed. */
  readonly saved?: Plan;
  /** Whether a project comes first among the waves. */
  readonly isCanary: (project: string) => boolean;
  /** The outcomes of a saved plan that says what its manifests do not: nothing may be sent of it. */
  readonly stale?: Outcomes;
  /** The targets wave by wave; left out where the run has no waves. */
  readonly waves?: readonly (readonly Target[])[];
}

type Contents = Pick<PlanInput, "differences" | "projects" | "moves" | "objections" | "problems" | "reads">;

/** A new plan as a document. */
export function documentOf(
  { heading, problems, request }: Context,
  since: SinceScope | undefined,
  contents: Contents,
): Plan {
  const { targets = [], part } = request;
  const scope = {
    ...since,
    ...(targets.length > 0 && { targets: [...new Set(targets)].sort() }),
    ...(part !== undefined && { shards: [part] }),
  };
  return planOf({
    ...heading,
    ...(Object.keys(scope).length > 0 && { scope }),
    version,
    createdAt: new Date().toISOString(),
    ...contents,
    problems: [...problems, ...contents.problems],
  });
}

/** The part of the fleet that a run since a revision is about; undefined for any other run. */
export function sinceOf(
  { since }: Context,
  { desired, of }: Pick<Selection, "desired" | "of">,
): SinceScope | undefined {
  return since && { since: since.commit, projects: desired.length, ...(of !== undefined && { of }) };
}

type SinceScope = Pick<PlanScope, "since" | "projects" | "of">;

/** The plan where manifests turned out to be wrong once projects were known, so that nothing was read. */
export function unreadPlan(
  context: Context,
  since: SinceScope | undefined,
  problems: readonly Problem[],
  reads: number,
): Planned {
  const plan = documentOf(context, since, { differences: [], objections: [], problems, reads });
  return { plan, differences: [], moves: [], compared: false, missing: [] };
}

/** What a new plan comes to: carried out as it stands or, where time passes before its writes, looked at again. */
export function preparedOf(context: Context, planned: Planned, desired: readonly DesiredProject[]): Prepared {
  const { request } = context;
  const { isProtected } = guardRules(context, desired);
  const isCanary = canaryTest(context, desired);
  const { plan, differences, moves = [] } = planned;
  const changed = differences.map(({ changes }) => changes).filter((changes) => changes.length > 0);
  const refused = refusedBy(plan, desired, request);
  const rest = {
    planned: withWaivers({ ...planned, desired }, refused),
    references: neededBy(differences),
    refused,
    isProtected,
    isCanary,
  };
  if (!request.recheck) {
    const targets = changed.map((changes) => ({ steps: changes.map((change) => ({ change })) }));
    return { ...rest, targets, moves: { steps: moves.map((move) => ({ move })) } };
  }
  return { ...rest, ...rechecked(plan, desired) };
}

/** The plan with the objections that a person has waived told as such, so that none of them reads as a refusal. */
export function withWaivers(planned: Planned, refused: readonly Objection[]): Planned {
  const { plan } = planned;
  if (refused.length === plan.objections.length) return planned;
  const told = { ...plan, objections: markWaived(plan.objections, refused) };
  return { ...planned, plan: { ...told, digest: planDigest(told) } };
}

/** Planned changes, all to be looked at again right before they are carried out. */
function rechecked(plan: Plan, desired: readonly DesiredProject[]): Pick<Prepared, "targets" | "moves"> {
  return { targets: recheckTargets(plan, desired), moves: { recheck: plan.resource_changes.filter(isMove) } };
}

/** The secrets that the changes of these projects will send. */
export function neededBy(differences: readonly Difference[]): SecretReference[] {
  return differences.flatMap(({ changes }) => changes.flatMap(secretsSentBy));
}

/**
 * Learns the secrets of a run's projects, which the server may repeat. With a ledger, what they are now is compared with
 * what was sent, so providers are asked for all of them at once; returned is a warning where they do not give one.
 */
export async function secretsToCompare(
  { secrets, ledger, request }: Context,
  desired: readonly DesiredProject[],
): Promise<Problem[]> {
  const references = desired.flatMap(({ resources }) => resources.flatMap(({ fields }) => referencesIn(fields)));
  secrets.missing(references);
  const unknown = ledger ? await secrets.ask(references, request.signal) : [];
  if (unknown.length === 0) return [];
  const message = `secrets that providers did not give could not be compared: ${firstFew(unknown)}`;
  return [{ severity: "warning", rule: "secret-provider", message }];
}

/** Every secret is resolved before the first write (docs/manifests.md); what is missing is named. */
export async function missingSecrets(
  references: readonly SecretReference[],
  { secrets, request }: Context,
): Promise<Problem[]> {
  await secrets.ask(references, request.signal);
  return secrets.missing(references).map((missing) => ({
    severity: "error",
    rule: "missing-secret",
    message: `a secret is needed and cannot be resolved: ${missing}`,
  }));
}
