import { projectHref } from "../../base/console-paths.ts";
import { counted, firstFew, thousands } from "../../base/text-format.ts";
import { badge, commandsNode, each, type Markup, markup } from "../../report/html/markup.ts";
import type { ProjectSummary } from "../../state/snapshots/summaries.ts";
import { causesOf, type FleetCause } from "../causes.ts";
import { commandsForCause } from "../commands.ts";
import { differenceBrief, directionNode, resourceNode } from "../difference-nodes.ts";
import { age } from "../markup.ts";
import { anyStatus, type WantedProjects } from "../project-filter.ts";

/** The subject of a commit, where it is known. */
export type SubjectOf = (commit: string) => string | undefined;

/** Causes that are shown at once, and at all. */
const [mostAtFirst, mostCauses] = [8, 100];

export interface CausesSection {
  readonly heads: readonly ProjectSummary[];
  readonly wanted: WantedProjects;
  readonly subjectOf: SubjectOf;
  /** The list of projects, filtered. */
  readonly link: (wanted: WantedProjects) => string;
}

/** Why projects are not in sync, each cause once. Nothing where all are. */
export function causesSection({ heads, wanted, subjectOf, link }: CausesSection): Markup {
  const causes = causesOf(heads);
  if (causes.length === 0) return markup``;
  const rows = each(causes.slice(0, mostCauses), (cause) => causeNode(cause, wanted, subjectOf, link));
  const hidden = causes.length - mostAtFirst;
  const rest = markup`<details class="rest"><summary>${counted(hidden, "more cause")}</summary><ul class="causes paper">${rows.slice(mostAtFirst)}</ul></details>`;
  return markup`<section aria-labelledby="causes"><h2 id="causes">By cause</h2>
<ul class="causes paper">${rows.slice(0, mostAtFirst)}</ul>${hidden > 0 ? rest : ""}</section>
`;
}

const statuses = { drift: "drifted", pending: "pending", unreadable: "unreadable" } as const;

function causeNode(
  cause: FleetCause,
  wanted: WantedProjects,
  subjectOf: SubjectOf,
  link: CausesSection["link"],
): Markup {
  const { id, projects, since } = cause;
  const isChosen = wanted.cause === id;
  const to = isChosen ? link({ ...wanted, cause: "" }) : link({ ...wanted, cause: id, status: anyStatus });
  const commands = commandsForCause(cause);
  const how =
    commands.length > 0
      ? markup`<details class="how"><summary>Commands</summary>${commandsNode(commands)}</details>`
      : "";
  return markup`<li${isChosen ? markup` class="chosen"` : ""}>${badge(statuses[cause.cause])}<div class="cause"><p class="title">${titleOf(cause, subjectOf)}</p>${factsOf(cause, subjectOf)}</div>
<p class="size"><a href="${to}#list"${isChosen ? markup` aria-current="true"` : ""}>${counted(projects, "project")}</a><span class="soft">for ${age(since)}</span></p>${how}</li>
`;
}

function subjectIn({ cause, shapes: [{ commit }] }: FleetCause, subjectOf: SubjectOf): string | undefined {
  return cause === "pending" && commit !== null ? subjectOf(commit) : undefined;
}

function titleOf(cause: FleetCause, subjectOf: SubjectOf): Markup {
  const subject = subjectIn(cause, subjectOf);
  return subject === undefined ? briefOf(cause) : markup`${subject}`;
}

/** The only difference, or what several have in common. */
function briefOf({ shapes, isVarious, cause }: FleetCause): Markup {
  const [first, ...others] = shapes;
  const rests = [...new Set(shapes.map(({ rest }) => rest))];
  if (cause === "unreadable") {
    return others.length > 0 ? markup`Projects could not be read, for several reasons` : differenceBrief(first);
  }
  if (rests.length > 1) return markup`${firstFew(rests)}`;
  const isSame = others.length === 0 && !isVarious;
  return isSame ? differenceBrief(first) : markup`${resourceNode(first.rest)} has values of its own in each project`;
}

function factsOf(cause: FleetCause, subjectOf: SubjectOf): Markup {
  const { shapes, within, projects } = cause;
  const [first] = shapes;
  const subject = subjectIn(cause, subjectOf);
  const facts: Markup[] = [];
  if (subject !== undefined) facts.push(markup`<span>${briefOf(cause)}</span>`);
  if (cause.cause === "pending" && first.commit !== null) facts.push(markup`<code>${first.commit.slice(0, 7)}</code>`);
  if (first.policy !== "") facts.push(markup`<span>policy ${first.policy}</span>`);
  if (within !== "") facts.push(placeNode(within, projects));
  return markup`<p class="facts soft">${directionNode(first)}${facts}</p>`;
}

function placeNode(within: string, projects: number): Markup {
  return projects === 1
    ? markup`<a href="${projectHref(within)}">${within}</a>`
    : markup`<span>all in ${within}</span>`;
}

/** The difference of a project in a list: the first one, and how many more there are. */
export function firstDifference({ shapes, differences }: ProjectSummary): Markup {
  const [first] = shapes;
  if (!first) return markup``;
  const more = differences > 1 ? markup` <span class="soft">+${thousands(differences - 1)} more</span>` : "";
  return markup`${differenceBrief(first.shape)}${more}`;
}
