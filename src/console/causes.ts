import { projectHref } from "../base/console-paths.ts";
import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { counted, firstFew, shellWord, thousands } from "../base/text-format.ts";
import type { Fields, Value } from "../model/types.ts";
import { fieldNamesOf } from "../plan/groups.ts";
import { directions } from "../plan/highlights.ts";
import { badge, breakable, commandsNode, each, type Markup, markup } from "../report/html/markup.ts";
import { clipped, nameNode, valueText } from "../report/html/rows.ts";
import type { NextStep } from "../report/terminal.ts";
import type { DifferenceShape, ProjectSummary } from "../state/snapshots/summaries.ts";
import { age } from "./layout.ts";
import { anyStatus, type WantedProjects } from "./project-filter.ts";

export interface FleetCause {
  readonly id: string;
  readonly cause: DifferenceShape["cause"];
  /** The differences; a sample if there are many. */
  readonly shapes: readonly [DifferenceShape, ...DifferenceShape[]];
  /** True if the same fields have different values in different projects. */
  readonly isVarious: boolean;
  readonly projects: number;
  /** ISO 8601: when the first of the projects was seen to differ. */
  readonly since: string;
  /** The innermost group that contains all of them, or the path of the only one; "" for the whole fleet. */
  readonly within: string;
}

/** Causes of these projects: drift first, then unreadable, then pending; within each, the most projects first. */
export const findCauses = memoized((heads: readonly ProjectSummary[]): readonly FleetCause[] => {
  const seen = heads.flatMap(({ project, shapes }) => shapes.map((each) => ({ ...each, project })));
  const causes = [...grouped(seen, ({ shape }) => shape.group)];
  return [...grouped(causes, ([, [first]]) => first?.shape.topic)].flatMap(joinVariants).sort((a, b) => {
    return urgency[a.cause] - urgency[b.cause] || b.projects - a.projects || (a.since < b.since ? -1 : 1);
  });
}, new WeakMap());

/** A difference of one project. */
interface Seen {
  readonly project: string;
  readonly shape: DifferenceShape;
  readonly since: string;
}

const maxVariants: Readonly<Record<FleetCause["cause"], number>> = { drift: 4, pending: 4, unreadable: 12 };

/** The causes of a topic; a single one if there are many. */
function joinVariants([topic, causes]: readonly [
  topic: string,
  causes: readonly (readonly [id: string, seen: readonly Seen[]])[],
]): readonly FleetCause[] {
  const kind = causes[0]?.[1][0]?.shape.cause ?? "drift";
  if (causes.length <= maxVariants[kind]) return causes.flatMap(([id, seen]) => makeCause(id, [seen]));
  const parts = causes.map(([, seen]) => seen);
  return makeCause(topic, parts);
}

const maxShapes = 50;

function makeCause(id: string, parts: readonly (readonly Seen[])[]): readonly FleetCause[] {
  const [first, ...others] = parts
    .flatMap((seen) => [...new Map(seen.map(({ shape }) => [shape.id, shape])).values()].slice(0, maxShapes))
    .slice(0, maxShapes);
  if (!first) return [];
  const all = parts.flat();
  return [
    {
      id,
      cause: first.cause,
      shapes: [first, ...others],
      isVarious: parts.length > 1 || (first.before === null && first.after === null),
      projects: parts.reduce((sum, part) => sum + new Set(part.map(({ project }) => project)).size, 0),
      since: all.reduce((least, { since }) => (since < least ? since : least), all[0]?.since ?? ""),
      within: all.map(({ project }) => project).reduce(commonGroup),
    },
  ];
}

function commonGroup(one: string, other: string): string {
  if (one === "" || other.startsWith(`${one}/`)) return one;
  const [parts, others] = [one.split("/"), other.split("/")];
  const differs = parts.findIndex((part, index) => part !== others[index]);
  return parts.slice(0, differs < 0 ? parts.length : differs).join("/");
}

const urgency: Readonly<Record<FleetCause["cause"], number>> = { drift: 0, unreadable: 1, pending: 2 };

export function commandsForDifference(address: string, cause: "drift" | "pending"): readonly NextStep[] {
  return listCommands([escapeGlob(address)], cause);
}

/** Commands for all projects of a cause; empty if they are unreadable. */
export function commandsForCause({ cause, shapes, within, projects }: FleetCause): readonly NextStep[] {
  if (cause === "unreadable") return [];
  const [scope, rests] = [scopeGlob(within, projects), [...new Set(shapes.map(({ rest }) => rest))]];
  const globs = rests.length > maxTargets ? [scope] : rests.map((rest) => `${scope}:${toGlob(rest)}`);
  return listCommands(globs, cause);
}

const maxTargets = 3;

function listCommands(globs: readonly string[], cause: "drift" | "pending"): readonly NextStep[] {
  const apply = `evenkeel apply ${globs.map((glob) => `--target ${shellWord(glob)}`).join(" ")}`;
  const accept = `evenkeel accept ${globs.map(shellWord).join(" ")}`;
  if (cause === "pending") return [[apply, "to apply it"]];
  return [
    [apply, "to restore what is declared"],
    [accept, "to keep what is live"],
  ];
}

function scopeGlob(within: string, projects: number): string {
  if (projects === 1) return escapeGlob(within);
  return within === "" ? "*" : `${escapeGlob(within)}/*`;
}

/** The glob of a difference, with `*` in place of each project's own path. */
function toGlob(rest: string): string {
  return rest.endsWith("/*")
    ? rest
    : rest
        .split(/\$\{(?:project|group)\.path\}/)
        .map((part) => escapeGlob(part.replaceAll("$${", "${")))
        .join("*");
}

/** A glob that matches a text literally: `?` replaces characters with a meaning in globs. */
function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{}\\!]/g, "?");
}

/** Number of causes before folding, and in all. */
const [mostAtFirst, mostCauses] = [8, 100];

export type CauseLink = (wanted: WantedProjects) => string;

export function causesSection(heads: readonly ProjectSummary[], wanted: WantedProjects, link: CauseLink): Markup {
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

function causeNode(cause: FleetCause, wanted: WantedProjects, link: CauseLink): Markup {
  const { id, projects, since } = cause;
  const isChosen = wanted.cause === id;
  const to = isChosen ? link({ ...wanted, cause: "" }) : link({ ...wanted, cause: id, status: anyStatus });
  const commands = commandsForCause(cause);
  const how = markup`<details class="how"><summary>Commands</summary>${commandsNode(commands)}</details>`;
  return markup`<li${isChosen ? markup` class="chosen"` : ""}>${badge(statuses[cause.cause])}<div class="cause"><p class="title">${briefNode(cause)}</p>${factsNode(cause, (from) => link({ ...wanted, cause: "", from, status: anyStatus }))}</div>
<p class="size"><a href="${to}#list"${isChosen ? markup` aria-current="true"` : ""}>${counted(projects, "project")}</a> <span class="soft">for ${age(since)}</span></p>${commands.length > 0 ? how : ""}</li>
`;
}

function briefNode({ shapes, isVarious, cause }: FleetCause): Markup {
  const [first, ...others] = shapes;
  const rests = [...new Set(shapes.map(({ rest }) => rest))];
  if (cause === "unreadable") {
    return others.length > 0 ? markup`Projects could not be read, for several reasons` : differenceBrief(first);
  }
  if (rests.length > 1) return markup`${firstFew(rests)}`;
  return others.length === 0 && !isVarious
    ? differenceBrief(first)
    : markup`${resourceNode(first.rest)} has values of its own in each project`;
}

function factsNode(cause: FleetCause, linkFrom: (policy: string) => string): Markup {
  const { shapes, within, projects } = cause;
  const [first] = shapes;
  const facts: Markup[] = [];
  if (cause.cause === "pending" && first.commit !== null) facts.push(markup`<code>${first.commit.slice(0, 7)}</code>`);
  if (first.policy !== "")
    facts.push(markup`<span>policy <a href="${linkFrom(first.policy)}#list">${breakable(first.policy)}</a></span>`);
  if (within !== "" && projects > 1) facts.push(markup`<span>all in ${within}</span>`);
  if (projects === 1) facts.push(markup`<a href="${projectHref(within)}">${within}</a>`);
  return markup`<p class="facts soft">${directionNode(first)}${facts}</p>`;
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
