import { counted, thousands } from "../../base/text-format.ts";
import { blockingText } from "../../plan/blocking-text.ts";
import { commitText, minuteText, scopeText } from "../../plan/heading.ts";
import { ownersCounted } from "../../plan/owner-counts.ts";
import type { Plan } from "../../plan/plan.ts";
import { each, type Markup, markup } from "./markup.ts";

/** Counts of a plan, or of what was applied, in one sentence. */
export function planHeadline({ summary, resource_changes: { length }, problems }: Plan): string {
  const { changed_projects: changed, outcomes } = summary;
  if (outcomes) return `${thousands(outcomes.applied)} of ${counted(length, "change")} applied`;
  if (length > 0) return `${counted(length, "change")} in ${thousands(changed)} of ${ownersCounted(summary)}`;
  if (problems.length > 0 && summary.projects === 0) return "Nothing was compared";
  return problems.length > 0 ? "No changes among what could be compared" : "Nothing to change";
}

/** The top of the report: what was planned or applied, when, and of which commit. */
export function planHead(plan: Plan, overline: string): Markup {
  const blocking = blockingText(plan);
  if (blocking) return headNode(plan, overline, { title: blocking, lead: planHeadline(plan), tone: "blocked" });
  const lead = leadOf(plan);
  return headNode(plan, overline, { title: planHeadline(plan), lead, tone: lead ? "settled" : "" });
}

interface Head {
  readonly title: string;
  readonly lead: string;
  readonly tone: string;
}

function headNode(plan: Plan, overline: string, { title, lead, tone }: Head): Markup {
  return markup`<header>
<p class="overline"><b>${overline}</b> · ${plan.server.url}</p>
<h1${tone ? markup` class="${tone}"` : ""}>${title}</h1>
${lead ? markup`<p class="lead">${lead}</p>` : ""}${factList(factsOf(plan))}
</header>`;
}

export function planTitle({ summary }: Plan): string {
  return summary.outcomes ? "Apply" : "Plan";
}

function leadOf({ summary, problems }: Plan): string {
  const { projects, unverified, writes } = summary;
  if (writes > 0 || problems.length > 0 || projects === 0) return "";
  const doubt =
    unverified > 0 ? `, except for ${counted(unverified, "parameter")} that the server does not report` : "";
  return `${ownersCounted(summary)} ${projects === 1 ? "is" : "are"} as declared${doubt}.`;
}

export type NamedValue = readonly [name: string, value: string | Markup];

function factsOf({ created_at: createdAt, manifests, scope, summary }: Plan): readonly NamedValue[] {
  return [
    ["Made", markup`<time datetime="${createdAt}" data-age>${minuteText(createdAt)}</time>`],
    ["Commit", commitText(manifests)],
    ["Only", scopeText(scope)],
    ["Requests", `${thousands(summary.reads)} to read, ${thousands(summary.writes)} to write`],
    ["Unmanaged", summary.unmanaged > 0 ? `${thousands(summary.unmanaged)} live, in no policy` : ""],
    ["Unverified", summary.unverified > 0 ? counted(summary.unverified, "parameter") : ""],
  ];
}

/** Names and values; those without a value are left out. */
export function factList(facts: readonly NamedValue[]): Markup {
  const known = facts.filter(([, value]) => value !== "");
  return markup`<dl class="facts">${each(known, ([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
