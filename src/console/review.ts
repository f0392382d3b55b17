import { UserError } from "../base/exit.ts";
import { memoized } from "../base/memoize.ts";
import { addressMatcher } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { sshSignatures } from "../plan/approvals/ssh-signature.ts";
import { approversOf, type PlanApprovers, verifyApprovals } from "../plan/approvals/verify.ts";
import { type Highlight, highlightsOf } from "../plan/highlights.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";
import { approvalPolicy } from "../workspace/approval-policy.ts";
import { loadSettings } from "../workspace/load.ts";
import type { KnownState } from "./known-state.ts";
import type { PlanReader } from "./plan-reader.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A saved plan that is not applied yet, and what it needs. */
export interface WaitingPlan {
  readonly run: string;
  readonly summary: RunSummary | undefined;
  /** Undefined for one that cannot be used, for the reason in `error`. */
  readonly plan: Pick<Plan, "created_at" | "digest" | "server" | "manifests" | "summary" | "objections"> | undefined;
  readonly error: string | undefined;
  readonly signatures: number;
  /** What needs attention. */
  readonly highlights: readonly Highlight[];
  /** Who has signed it and who else may; undefined where that is not defined here. */
  readonly approvers?: PlanApprovers;
  /** What it lacks; empty where it lacks nothing, or where approvals are not asked for. */
  readonly lacks: readonly string[];
  /** Applies that changed something since it was saved: what they touched is stale in it. */
  readonly later: number;
  /** Whether EVENKEEL_APPROVALS defines the required approvals. */
  readonly hasPolicy: boolean;
}

/** Saved plans that are not applied yet, newest first, by the runs that made them. */
export function waitingRuns(plans: readonly string[], { runs }: Pick<KnownState, "runs">): readonly string[] {
  const done = new Set(runs.flatMap(({ plan, outcome }) => (plan !== undefined && outcome === "applied" ? plan : [])));
  return plans.filter((run) => !done.has(run)).toReversed();
}

interface Review {
  readonly env: Environment;
  readonly folder: string;
  readonly catalogue: Catalogue;
  readonly planOf: PlanReader;
}

/** What is known of some saved plans; the state is asked for what they have in common at once. */
export async function waitingPlans(
  state: WorkspaceState,
  runs: readonly string[],
  known: Pick<KnownState, "runs">,
  review: Review,
): Promise<readonly WaitingPlan[]> {
  const marks = await state.plans.marks(runs);
  const signatures = await state.approvals.ofRuns(runs);
  const waiting = (run: string) => {
    const plan = () => review.planOf(state, run, marks.get(run));
    return waitingPlan(run, plan, signatures.get(run) ?? [], known, review);
  };
  return Promise.all(runs.map(waiting));
}

async function waitingPlan(
  run: string,
  read: () => Promise<Plan>,
  blocks: readonly string[],
  { runs }: Pick<KnownState, "runs">,
  { env, folder, catalogue }: Review,
): Promise<WaitingPlan> {
  const summary = runs.find((each) => each.run === run);
  const later = runs.filter((each) => each.run > run && each.command === "apply" && each.outcome === "applied").length;
  const head = { run, summary, signatures: 0, highlights: [], lacks: [], later, hasPolicy: false };
  try {
    const plan = await read();
    const rest = { error: undefined, signatures: blocks.length, highlights: highlights(catalogue)(plan) };
    return { ...head, plan, ...rest, ...approvalState(plan, blocks, env, folder) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...head, plan: undefined, error: error.message };
  }
}

/** A plan is asked for again and again, and may have many changes. */
const highlights = memoized(
  (catalogue: Catalogue) => memoized((plan: Plan) => highlightsOf(plan.resource_changes, catalogue), new WeakMap()),
  new WeakMap(),
);

function approvalState(plan: Plan, blocks: readonly string[], env: Environment, folder: string) {
  const { policy, problems } = approvalPolicy(env);
  const [problem] = problems.filter(({ severity }) => severity === "error");
  if (problem) return { lacks: [problem.message], hasPolicy: true };
  if (!policy) return { lacks: [], hasPolicy: false };
  const tests = loadSettings(folder).protected.map(addressMatcher);
  const isProtected = (address: string) => tests.some((test) => test(address));
  const signed = { plan, signatures: sshSignatures(blocks.join("\n")) };
  const context = { policy, signed, isProtected, now: new Date() };
  const lacks = verifyApprovals(plan, context).map(({ message }) => message);
  return { lacks, approvers: approversOf(signed, context), hasPolicy: true };
}
