import { shellWord } from "../../base/shell-word.ts";
import { counted, firstFew, thousands } from "../../base/text-format.ts";
import { ownersCounted } from "../../plan/heading.ts";
import { attention } from "../../plan/highlights.ts";
import { badge, commandsNode, each, type Markup, markup } from "../../report/html/markup.ts";
import { dataLinks, type ListPart, pager } from "../layout.ts";
import { age, href, moment } from "../markup.ts";
import type { WaitingPlan } from "../review.ts";

/** Saved plans that wait for a review. */
export function reviewPage(part: ListPart<string>, plans: readonly WaitingPlan[]): Markup {
  const none = markup`<p class="calm soft">No plans waiting for review. <code>evenkeel plan --save</code> saves one in the state, for others to review and approve.</p>`;
  return markup`<h1>${part.total === 0 ? "No plans to review" : `${counted(part.total, "saved plan")} to review`}</h1>
<p class="lead">Plans are signed on your own machine, with your own key. A plan that is edited afterwards loses its approvals.</p>
${part.total === 0 ? none : markup`<ul class="plans">${each(plans, planNode)}</ul>`}
${pager(part, (to) => href("/review", { page: to === 1 ? undefined : to }))}
${dataLinks("/review")}`;
}

function planNode(waiting: WaitingPlan): Markup {
  const { run, plan, error, summary } = waiting;
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
  return markup`<li class="paper"><h2><a href="/runs/${run}">Plan of ${moment(plan.created_at)}</a></h2>
<p>${words.join(", ") || "no changes"}, in ${thousands(changed)} of ${ownersCounted(plan.summary)} · saved ${age(plan.created_at)} ago${summary ? ` by ${summary.who}` : ""} · <a href="/runs/${run}/plan">report</a></p>
${highlightsNode(waiting)}${each(unwaived, ({ message }) => markup`<p class="notice bad">${message}</p>`)}
${waiting.later > 0 ? markup`<p class="notice">${counted(waiting.later, "apply", "applies")} made changes since. Those resources are stale in this plan; consider creating a new plan.</p>` : ""}
${needsNode(waiting)}
<p class="soft">Plan digest <code>${plan.digest}</code></p></li>
`;
}

function highlightsNode({ run, highlights }: WaitingPlan): Markup {
  if (highlights.length === 0) return markup``;
  return markup`<div class="attention"><h3>${attention}</h3><ul class="lines">${each(highlights, ({ title, details }) => markup`<li><a href="/runs/${run}/plan">${title}</a>: ${details.join("; ")}</li>`)}</ul></div>`;
}

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
  const approve = commandsNode([{ purpose: "To approve it", line: `evenkeel approve --plan ${name}` }]);
  const apply = commandsNode([{ purpose: "To apply it", line: `evenkeel apply --plan ${name}` }]);
  if (!hasPolicy)
    return markup`<p>${has}. Required approvals are unknown here: EVENKEEL_APPROVALS is not set for this console.</p>${approve}${apply}`;
  if (lacks.length === 0)
    return markup`<p>${badge("approved", "in sync")} ${has}.</p>${approversNode(waiting)}${apply}`;
  return markup`${each(lacks, (lack) => markup`<p>${badge("needs approval", "pending")} ${lack}.</p>`)}${approversNode(waiting)}${approve}`;
}
