import { projectHref } from "../base/console-paths.ts";
import { counted, firstFew, thousands } from "../base/text-format.ts";
import type { Fields, Value } from "../model/types.ts";
import { fieldNamesOf } from "../plan/groups.ts";
import { directions } from "../plan/highlights.ts";
import { badge, breakable, commandsNode, each, type Markup, markup } from "../report/html/markup.ts";
import { clipped, nameNode, valueText } from "../report/html/rows.ts";
import type { DifferenceShape, ProjectSummary } from "../state/snapshots/summaries.ts";
import { commandsForCause, type FleetCause, findCauses } from "./causes.ts";
import { age } from "./layout.ts";
import { anyStatus, type WantedProjects } from "./project-filter.ts";

/** Number of causes before folding, and in all. */
const [mostAtFirst, mostCauses] = [8, 100];

export interface CausesSection {
  readonly heads: readonly ProjectSummary[];
  readonly wanted: WantedProjects;
  readonly link: (wanted: WantedProjects) => string;
}

export function causesSection({ heads, wanted, link }: CausesSection): Markup {
  const causes = findCauses(heads);
  if (causes.length === 0) return markup``;
  const rows = each(causes.slice(0, mostCauses), (cause) => causeNode(cause, wanted, link));
  const hidden = causes.length - mostAtFirst;
  const rest = markup`<details class="rest"><summary>${counted(hidden, "more cause")}</summary><ul class="causes paper">${rows.slice(mostAtFirst)}</ul></details>`;
  return markup`<section aria-labelledby="causes"><h2 id="causes">By cause</h2>
<ul class="causes paper">${rows.slice(0, mostAtFirst)}</ul>${hidden > 0 ? rest : ""}</section>
`;
}

const statuses = { drift: "drifted", pending: "pending", unreadable: "unreadable" } as const;

function causeNode(cause: FleetCause, wanted: WantedProjects, link: CausesSection["link"]): Markup {
  const { id, projects, since } = cause;
  const isChosen = wanted.cause === id;
  const to = isChosen ? link({ ...wanted, cause: "" }) : link({ ...wanted, cause: id, status: anyStatus });
  const commands = commandsForCause(cause);
  const how =
    commands.length > 0
      ? markup`<details class="how"><summary>Commands</summary>${commandsNode(commands)}</details>`
      : "";
  return markup`<li${isChosen ? markup` class="chosen"` : ""}>${badge(statuses[cause.cause])}<div class="cause"><p class="title">${briefNode(cause)}</p>${factsNode(cause, (policy) => link({ ...wanted, cause: "", policy, status: anyStatus }))}</div>
<p class="size"><a href="${to}#list"${isChosen ? markup` aria-current="true"` : ""}>${counted(projects, "project")}</a> <span class="soft">for ${age(since)}</span></p>${how}</li>
`;
}

function briefNode({ shapes, isVarious, cause }: FleetCause): Markup {
  const [first, ...others] = shapes;
  const rests = [...new Set(shapes.map(({ rest }) => rest))];
  if (cause === "unreadable") {
    return others.length > 0 ? markup`Projects could not be read, for several reasons` : differenceBrief(first);
  }
  if (rests.length > 1) return markup`${firstFew(rests)}`;
  const isSame = others.length === 0 && !isVarious;
  return isSame ? differenceBrief(first) : markup`${resourceNode(first.rest)} has values of its own in each project`;
}

function factsNode(cause: FleetCause, linkTo: (policy: string) => string): Markup {
  const { shapes, within, projects } = cause;
  const [first] = shapes;
  const facts: Markup[] = [];
  if (cause.cause === "pending" && first.commit !== null) facts.push(markup`<code>${first.commit.slice(0, 7)}</code>`);
  if (first.policy !== "")
    facts.push(markup`<span>policy <a href="${linkTo(first.policy)}#list">${breakable(first.policy)}</a></span>`);
  if (within !== "") facts.push(placeNode(within, projects));
  return markup`<p class="facts soft">${directionNode(first)}${facts}</p>`;
}

function placeNode(within: string, projects: number): Markup {
  return projects === 1
    ? markup`<a href="${projectHref(within)}">${within}</a>`
    : markup`<span>all in ${within}</span>`;
}

export function firstDifference({ shapes, differences }: ProjectSummary): Markup {
  const [first] = shapes;
  if (!first) return markup``;
  const more = differences > 1 ? markup` <span class="soft">+${thousands(differences - 1)} more</span>` : "";
  return markup`${differenceBrief(first.shape)}${more}`;
}

/** A difference in a line: `license/AGPL-3.0 approval_status allowed, declared denied`. */
function differenceBrief(shape: DifferenceShape): Markup {
  if (shape.cause === "unreadable") return markup`${clipped(shape.reason, 300)}`;
  return markup`${resourceNode(shape.rest)} ${formatDifference(shape)}`;
}

export function resourceNode(rest: string): Markup {
  return nameNode(clipped(rest, 100));
}

const missing: Readonly<Record<string, Readonly<Record<"drift" | "pending", string>>>> = {
  create: { drift: "is missing", pending: "to create" },
  delete: { drift: "exists, and is not declared", pending: "to delete" },
  disable: { drift: "is on, declared off", pending: "to disable" },
};

function formatDifference({ action, cause, before, after, reason }: DifferenceShape): Markup {
  const words = missing[action]?.[cause === "pending" ? "pending" : "drift"];
  if (words !== undefined) return markup`${words}`;
  const [name, ...others] = fieldNamesOf({ before, after });
  if (name === undefined) return markup`${clipped(reason, 120)}`;
  const [live, declared] = [shortValue(before, name), shortValue(after, name)];
  const values = cause === "drift" ? markup`${live}, declared ${declared}` : markup`${live} → ${declared}`;
  const more = others.length > 0 ? markup` <span class="soft">+${others.length} more</span>` : "";
  return markup`<span class="field-name">${name}</span> ${values}${more}`;
}

function shortValue(side: Fields | null, name: string): Markup {
  const value: Value | undefined = side?.[name];
  return markup`<code>${value === undefined ? "not set" : clipped(valueText(value), 48)}</code>`;
}

export function directionNode({ effect, cause }: Pick<DifferenceShape, "effect" | "cause">): Markup {
  if (!effect) return markup``;
  return cause === "pending" ? badge(effect) : badge(directions[effect], effect === "tightened" ? "loosened" : "stale");
}
