import { attempt } from "../base/system-errors.ts";
import type { Reader } from "../client/client.ts";
import { type DesiredFleet, desiredAmong } from "../manifest/desired-fleet.ts";
import { isMatch } from "../manifest/selection.ts";
import { canariesThenAll, inWaves } from "../manifest/waves.ts";
import { projectNamed } from "../model/identity.ts";
import type { Project } from "../model/types.ts";
import { sshSignatures } from "../plan/approvals/ssh-signature.ts";
import { verifyApprovals } from "../plan/approvals/verify.ts";
import { markWaived, type Objection, unwaivedObjections } from "../plan/guards.ts";
import { type Plan, planDigest, removalsOf } from "../plan/plan.ts";
import type { WorkspaceState } from "../state/state.ts";
import { isThere, readRegular } from "../workspace/durable-file.ts";
import { type Batch, projectOf, recheckTargets, stepsOf, type Target } from "./apply/apply.ts";
import type { PlanWave } from "./apply/waves.ts";
import { type NeededSecret, neededBy } from "./connection.ts";
import type { Checked, Context } from "./context.ts";
import { isLeftAlone } from "./live/find-projects.ts";
import type { Planned } from "./request.ts";
import { stepsAllowedByRules } from "./rules-in-force.ts";
import { guardRules, normaliseWaivers, scopeOf } from "./scope.ts";

/** A new or saved plan with everything that applying it needs. */
export interface PreparedPlan {
  readonly planned: Planned;
  readonly targets: readonly Target[];
  readonly references: readonly NeededSecret[];
  /** Objections that the request does not waive: nothing may be written. */
  readonly refused: readonly Objection[];
  /** The projects that policies select. */
  readonly projects: readonly Project[];
  /** The saved plan as it was read: signatures are for this text. */
  readonly saved?: Plan;
  /** The targets by wave; undefined without waves. */
  readonly waves?: readonly (readonly Target[])[];
}

/** Prepares a new plan. If time passes before its writes, or if workers make them, each project is read again first. */
export function preparePlan(context: Context, planned: Planned, fleet: DesiredFleet): PreparedPlan {
  const { request } = context;
  const { plan, differences } = planned;
  const rest = {
    ...judgePlan(context, planned, fleet),
    references: neededBy(differences, context.loaded.workspace.catalogue),
  };
  if (request.recheck || request.workers) {
    const changing = new Set(plan.resource_changes.map(({ project }) => project));
    return { ...rest, targets: recheckTargets(plan, desiredAmong(fleet, changing)) };
  }
  const ids = new Map(fleet.projects.map(({ name, id }) => [name, id]));
  const targets = differences.flatMap(({ project, changes }) => {
    const projectId = ids.get(project);
    const own = projectId === undefined ? {} : { projectId };
    return changes.length > 0 ? { steps: changes.map((change) => ({ change: { ...change, ...own } })) } : [];
  });
  return { ...rest, targets };
}

/** The changes of each project, read again right before its writes if necessary. */
export function batchesOf(reader: Reader, context: Context, targets: readonly Target[]): Batch[] {
  const scope = scopeOf(context);
  return targets.map((target) => ({
    steps: async () => {
      const steps = await stepsOf(reader, target, scope);
      return "planned" in target ? stepsAllowedByRules(steps, context, target.desired) : steps;
    },
    isLeftAlone: () => isLeftAlone(reader, projectNamed(projectOf(target)), context.policies),
  }));
}

/** Marks the objections that the request waives. */
export function judgePlan(context: Context, planned: Planned, { projects }: Pick<DesiredFleet, "projects">) {
  const { plan } = planned;
  const waivers = normaliseWaivers(context.request.waivers, projects);
  const refused = unwaivedObjections(plan.objections, removalsOf(plan).length, waivers);
  const judged = { planned, refused, projects };
  if (refused.length === plan.objections.length) return judged;
  const marked = { ...plan, objections: markWaived(plan.objections, refused) };
  return { ...judged, planned: { ...planned, plan: { ...marked, digest: planDigest(marked) } } };
}

/** Divides the targets into the waves of `--waves` or else of the workspace; unchanged if neither has any. */
export function divideIntoWaves(prepared: PreparedPlan, { request, loaded: { workspace } }: Context): PreparedPlan {
  const { canary } = workspace;
  const waveSizes = request.waves ?? workspace.waves ?? (canary.length > 0 ? canariesThenAll : undefined);
  if (!waveSizes || prepared.targets.length === 0) return prepared;
  const byName = new Map(prepared.targets.map((target) => [projectOf(target), target]));
  const canaries = prepared.projects.filter((project) => canary.some((selector) => isMatch(selector, project)));
  const first = new Set(canaries.map(({ name }) => name));
  const named = inWaves([...byName.keys()], waveSizes, (name) => first.has(name));
  const waves = named.map((names) => names.flatMap((name) => byName.get(name) ?? []));
  const planned: PlanWave[] = named.map((projects) => ({ projects, status: "planned" }));
  return { ...prepared, targets: waves.flat(), waves, planned: { ...prepared.planned, waves: planned } };
}

export async function withApprovals(context: Checked): Promise<Checked> {
  const { request, loaded } = context;
  if (request.env.EVENKEEL_APPROVALS === undefined) return context;
  // Loaded only here, because the parser of the file takes a tenth of the time of a small plan.
  const { approvalPolicy, approvalsInside } = await import("../workspace/approval-policy.ts");
  const { policy, problems: found } = approvalPolicy(request.env);
  const problems = [...found, ...approvalsInside(request.env, loaded.root)];
  return { ...context, ...(policy && { approvals: policy }), problems: [...context.problems, ...problems] };
}

/**
 * Refuses a plan that lacks approvals for its changes (docs/approvals.md).
 * @throws UserError if the signatures cannot be read.
 */
export async function withApprovalObjections(prepared: PreparedPlan, context: Context): Promise<PreparedPlan> {
  const { approvals: policy } = context;
  if (!policy) return prepared;
  const { planned, refused, projects, saved } = prepared;
  const { plan } = planned;
  const { isProtected } = guardRules(context, projects);
  const { saved: path = "", savedRun } = context.request;
  const text = async () => (savedRun === undefined ? signatureText(path) : signaturesInState(context.state, savedRun));
  const signed = saved && { plan: saved, signatures: sshSignatures(await text()) };
  const lacking = verifyApprovals(plan, { policy, signed, isProtected, now: new Date() });
  if (lacking.length === 0) return prepared;
  const blocked = { ...plan, objections: [...plan.objections, ...lacking] };
  // A saved plan keeps the digest that people signed.
  const shown = saved ? blocked : { ...blocked, digest: planDigest(blocked) };
  return { ...prepared, planned: { ...planned, plan: shown }, refused: [...refused, ...lacking] };
}

export function signatureFileOf(plan: string): string {
  return `${plan}.sig`;
}

/** The armored signatures of a saved plan; empty without any. @throws UserError if they cannot be read. */
export function signatureText(plan: string): string {
  const file = signatureFileOf(plan);
  return attempt(`cannot read the signatures ${file}`, () => (isThere(file) ? readRegular(file) : ""));
}

export async function signaturesInState({ lines }: Pick<WorkspaceState, "lines">, run: string): Promise<string> {
  return ((await lines("signatures", [run])).get(run) ?? []).join("\n");
}
