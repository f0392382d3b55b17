import { projectHref } from "../base/console-paths.ts";
import { ignoreUserError } from "../base/exit.ts";
import { counted, firstFew, thousands } from "../base/text-format.ts";
import { openGit } from "../git/open-git.ts";
import type { Fields, Value } from "../model/types.ts";
import { fieldNamesOf } from "../plan/groups.ts";
import { directions } from "../plan/highlights.ts";
import { badge, breakable, commandsNode, each, type Markup, markup } from "../report/html/markup.ts";
import { clipped, nameNode, valueText } from "../report/html/rows.ts";
import type { DifferenceShape, ProjectSummary } from "../state/snapshots/summaries.ts";
import { commandsForCause, type FleetCause, findCauses } from "./causes.ts";
import { age } from "./layout.ts";
import { anyStatus, type WantedProjects } from "./project-filter.ts";

/** The subject of a commit, if known. */
export type SubjectOf = (commit: string) => string | undefined;

/** Number of causes before folding, and in all. */
const [mostAtFirst, mostCauses] = [8, 100];

export interface CausesSection {
  readonly heads: readonly ProjectSummary[];
  readonly wanted: WantedProjects;
  readonly subjectOf: SubjectOf;
  readonly link: (wanted: WantedProjects) => string;
}

export function causesSection({ heads, wanted, subjectOf, link }: CausesSection): Markup {
  const causes = findCauses(heads);
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
  const subject = findSubject(cause, subjectOf);
  const how = markup`<details class="how"><summary>Commands</summary>${commandsNode(commands)}</details>`;
  return markup`<li${isChosen ? markup` class="chosen"` : ""}>${badge(statuses[cause.cause])}<div class="cause"><p class="title">${subject ?? briefNode(cause)}</p>${factsNode(cause, subject, (from) => link({ ...wanted, cause: "", from, status: anyStatus }))}</div>
<p class="size"><a href="${to}#list"${isChosen ? markup` aria-current="true"` : ""}>${counted(projects, "project")}</a> <span class="soft">for ${age(since)}</span></p>${commands.length > 0 ? how : ""}</li>
`;
}

function findSubject({ cause, shapes: [{ commit }] }: FleetCause, subjectOf: SubjectOf): string | undefined {
  return cause === "pending" && commit !== null ? subjectOf(commit) : undefined;
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

function factsNode(cause: FleetCause, subject: string | undefined, linkFrom: (policy: string) => string): Markup {
  const { shapes, within, projects } = cause;
  const [first] = shapes;
  const facts: Markup[] = [];
  if (subject !== undefined) facts.push(markup`<span>${briefNode(cause)}</span>`);
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

/** Subjects of commits, read once from the repository of a workspace. */
export type CommitSubjects = ReturnType<typeof commitSubjects>;

/** Milliseconds to wait for git, and number of commits per query. */
const [patience, most] = [300, 50];

/** Only a full hash, so that none is taken for an option of git. */
const hash = /^[0-9a-f]{40,64}$/;

export function commitSubjects(folder: string) {
  const cached = new Map<string, string>();
  const requested = new Set<string>();
  const readSubjects = async (commits: readonly string[]) => {
    const git = openGit(folder);
    if ("failed" in git) return;
    const options = ["--no-walk=unsorted", "--ignore-missing", "--format=%H %s"];
    const { stdout } = await git.start(["log", ...options, ...commits, "--"]);
    for (const line of stdout.split("\n")) {
      const [commit = "", ...words] = line.split(" ");
      if (words.length > 0) cached.set(commit, words.join(" ").slice(0, 200));
    }
  };
  return {
    /** Undefined for an unknown commit, and before git has returned it. */
    of: (commit: string) => cached.get(commit) || undefined,
    /** Asks git for subjects that are not cached, and waits briefly: a later page shows what arrives late. */
    read: async (commits: readonly string[]): Promise<void> => {
      const unknown = [...new Set(commits)]
        .filter((commit) => hash.test(commit) && !requested.has(commit))
        .slice(0, most);
      if (unknown.length === 0) return;
      for (const commit of unknown) requested.add(commit);
      const answered = readSubjects(unknown).catch(ignoreUserError);
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, patience))]);
    },
  };
}
