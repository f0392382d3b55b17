import { UserError } from "../base/exit.ts";
import { counted, firstFew, shellWord, thousands } from "../base/text-format.ts";
import { addressMatcher } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { sshSignatures } from "../plan/approvals/ssh-signature.ts";
import { approversOf, type PlanApprovers, type SignedPlan, verifyApprovals } from "../plan/approvals/verify.ts";
import { changeCount, ownersCounted } from "../plan/heading.ts";
import { attention, type Highlight, highlightLine, highlightsOf } from "../plan/highlights.ts";
import type { Plan } from "../plan/plan.ts";
import { badge, commandsNode, each, type Markup, markup } from "../report/html/markup.ts";
import { changeNode } from "../report/html/rows.ts";
import { plannedRows } from "../report/view.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";
import { approvalPolicy } from "../workspace/approval-policy.ts";
import { loadSettings } from "../workspace/load.ts";
import type { KnownState, PlanReader } from "./known-state.ts";
import { age, dataLink, type ListPart, moment, pageFields, pager } from "./layout.ts";
import { planRow } from "./run-page.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface WaitingPlan {
  readonly run: string;
  readonly summary: RunSummary | undefined;
  readonly plan?: Plan;
  readonly error?: string;
  readonly signatures: number;
  readonly highlights: readonly Highlight[];
  /** Signers and eligible approvers; undefined if this workspace does not define them. */
  readonly approvers?: PlanApprovers;
  /** Missing approvals; empty if there are none, or none are required. */
  readonly lacks: readonly string[];
  /** Number of later runs that applied changes: what they touched is stale in this plan. */
  readonly later: number;
  /** True if EVENKEEL_APPROVALS defines the required approvals. */
  readonly hasPolicy: boolean;
}

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

/** Reads saved plans; what they share is read from the state once. */
export async function waitingPlans(
  state: WorkspaceState,
  names: readonly string[],
  { runs }: Pick<KnownState, "runs">,
  { env, folder, catalogue, planOf }: Review,
): Promise<readonly WaitingPlan[]> {
  const marks = await state.marks("plans", names);
  const lines = await state.lines("signatures", names);
  const applied = runs.filter(({ command, outcome }) => command === "apply" && outcome === "applied");
  const waiting = async (run: string): Promise<WaitingPlan> => {
    const summary = runs.find((each) => each.run === run);
    const later = applied.filter((each) => each.run > run).length;
    const head = { run, summary, signatures: 0, highlights: [], lacks: [], later, hasPolicy: false };
    try {
      const plan = await planOf(state, run, marks.get(run));
      const highlights = highlightsOf(plan.resource_changes, catalogue);
      const signatures = sshSignatures((lines.get(run) ?? []).join("\n"));
      const approvals = approvalState({ plan, signatures }, env, folder);
      return { ...head, plan, signatures: signatures.length, highlights, ...approvals };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { ...head, error: error.message };
    }
  };
  return Promise.all(names.map(waiting));
}

function approvalState(signed: SignedPlan, env: Environment, folder: string) {
  const { policy, problems } = approvalPolicy(env);
  const [problem] = problems.filter(({ severity }) => severity === "error");
  if (problem) return { lacks: [problem.message], hasPolicy: true };
  if (!policy) return { lacks: [], hasPolicy: false };
  const tests = loadSettings(folder).protected.map(addressMatcher);
  const isProtected = (address: string) => tests.some((test) => test(address));
  const context = { policy, signed, isProtected, now: new Date() };
  const lacks = verifyApprovals(signed.plan, context).map(({ message }) => message);
  return { lacks, approvers: approversOf(signed, context), hasPolicy: true };
}

export function reviewPage(part: ListPart<string>, plans: readonly WaitingPlan[]): Markup {
  const none = markup`<p class="calm soft">No plans waiting for review. <code>evenkeel plan --save</code> saves one in the state, for others to review and approve.</p>`;
  return markup`<h1>${part.total === 0 ? "No plans to review" : `${counted(part.total, "saved plan")} to review`}</h1>
<p class="lead">Plans are signed on your own machine, with your own key. A plan that is edited afterwards loses its approvals.</p>
${part.total === 0 ? none : markup`<ul class="plans">${each(plans, planNode)}</ul>`}
${pager(part, "/review")}
${dataLink("/review")}`;
}

function planNode(waiting: WaitingPlan): Markup {
  const { run, plan, error, summary, highlights } = waiting;
  if (!plan)
    return markup`<li class="paper"><h2><a href="/runs/${run}">${run}</a></h2><p class="notice bad">${error ?? ""}</p></li>`;
  const { create, update, replace = 0, disable, delete: deletes, loosened, changed_projects: changed } = plan.summary;
  const counts = [
    [deletes, "to delete"],
    [replace, "to replace"],
    [disable, "to disable"],
    [create, "to create"],
    [update, "to update"],
    [loosened, "that loosen a policy"],
  ] as const;
  const words = counts.flatMap(([count, word]) => (count > 0 ? [`${thousands(count)} ${word}`] : []));
  const unwaived = plan.objections.filter(({ waived }) => !waived);
  const attentionNode = markup`<div class="attention"><h3>${attention}</h3><ul class="lines">${each(highlights, ({ title, details }) => markup`<li><a href="/runs/${run}/plan">${title}</a>: ${details.join("; ")}</li>`)}</ul></div>`;
  return markup`<li class="paper"><h2><a href="/runs/${run}">Plan of ${moment(plan.created_at)}</a></h2>
<p>${words.join(", ") || "no changes"}, in ${thousands(changed)} of ${ownersCounted(plan.summary)} · saved ${age(plan.created_at)} ago${summary ? ` by ${summary.who}` : ""} · <a href="/runs/${run}/plan">report</a></p>
${highlights.length > 0 ? attentionNode : ""}${changesNode(waiting.run, plan)}${each(unwaived, ({ message }) => markup`<p class="notice bad">${message}</p>`)}
${waiting.later > 0 ? markup`<p class="notice">${counted(waiting.later, "apply", "applies")} made changes since. Those resources are stale in this plan; consider creating a new plan.</p>` : ""}
${needsNode(waiting)}
<p class="soft">Plan digest <code>${plan.digest}</code></p></li>
`;
}

const mostRows = 20;

function changesNode(run: string, plan: Plan): Markup {
  const rows = plannedRows(plan.resource_changes);
  const more = rows.length - mostRows;
  const rest =
    more > 0 ? markup`<p><a href="/runs/${run}/plan">${counted(more, "more row")} in the report</a></p>` : "";
  const list = each(rows.slice(0, mostRows), (row) => changeNode(row, planRow));
  return markup`<details${rows.length <= mostOpen ? markup` open` : ""}><summary>${counted(plan.resource_changes.length, "change")}</summary><ul class="rows">${list}</ul>${rest}</details>`;
}

const mostOpen = 5;

function approversNode({ approvers }: WaitingPlan): Markup {
  if (!approvers) return markup``;
  const { approved, others } = approvers;
  const signed = approved.length > 0 ? `Signed by ${approved.join(", ")}` : "Signed by nobody yet";
  const may = others.length > 0 ? `. May sign: ${firstFew(others, 10)}` : "";
  return markup`<p class="soft">${signed}${may}</p>`;
}

function needsNode(waiting: WaitingPlan): Markup {
  const { run, signatures, lacks, hasPolicy } = waiting;
  const name = shellWord(run);
  const has = signatures === 0 ? "No signatures yet" : counted(signatures, "signature");
  const approve = commandsNode([[`evenkeel approve --plan ${name}`, "to approve it"]]);
  const apply = commandsNode([[`evenkeel apply --plan ${name}`, "to apply it"]]);
  if (!hasPolicy)
    return markup`<p>${has}. Required approvals are unknown here: EVENKEEL_APPROVALS is not set for this console.</p>${approve}${apply}`;
  if (lacks.length === 0)
    return markup`<p>${badge("approved", "in sync")} ${has}.</p>${approversNode(waiting)}${apply}`;
  return markup`${each(lacks, (lack) => markup`<p>${badge("needs approval", "pending")} ${lack}.</p>`)}${approversNode(waiting)}${approve}`;
}

export function reviewData(part: ListPart<string>, waiting: readonly WaitingPlan[]): object {
  const plans = waiting.map(({ run, plan, signatures, approvers, highlights, lacks, error }) => ({
    run,
    saved: plan?.created_at ?? "",
    digest: plan?.digest ?? "",
    changes: plan ? changeCount(plan.summary) : 0,
    signatures,
    signed_by: approvers?.approved.join("; ") ?? "",
    highlights: highlights.map(highlightLine).join("; "),
    lacks: lacks.join("; "),
    error: error ?? "",
  }));
  return { ...pageFields(part), plans };
}
