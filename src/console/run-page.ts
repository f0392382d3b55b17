import { projectHref } from "../base/console-paths.ts";
import { grouped } from "../base/grouped.ts";
import { commonForm, counted, thousands } from "../base/text-format.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import { capitalised, each, factList, type Markup, markup } from "../report/html/markup.ts";
import { changeNode } from "../report/html/rows.ts";
import { progressText } from "../report/runs.ts";
import { plannedRows } from "../report/view.ts";
import type { LiveRuns, RunSummary } from "../state/run-summary.ts";
import { resourceNode } from "./causes.ts";
import type { KnownState } from "./known-state.ts";
import { age, dataLink, moment, pager, selectPage } from "./layout.ts";
import { actionsText, durationText, runOutcomeNode, wasUnsuccessful } from "./runs-page.ts";

export interface RunDetails {
  readonly summary: RunSummary;
  readonly plan: Plan | undefined;
  /** Only of an active run. */
  readonly progress: ShownProgress | undefined;
  /** Errors of failed changes, by address. */
  readonly errors: ReadonlyMap<string, string>;
}

export function runPage({ live }: KnownState, details: RunDetails, page: string | undefined): Markup {
  const { summary, plan, progress } = details;
  const { run, command } = summary;
  const name = command || "run";
  return markup`<p class="crumbs"><a href="/runs">Runs</a> / <b>${run}</b></p>
<h1>${capitalised(name)} of ${moment(summary.started)} ${runOutcomeNode(summary, live)}</h1>
${progress ? liveNode(run, progress) : ""}${each(summary.reasons ?? [], (reason) => markup`<p class="notice bad">${reason}</p>`)}
${factsNode(summary)}
${plan ? planNode(plan, run, page) : touchedNode(details, page)}
${dataLink(`/runs/${run}`)}`;
}

/** Updated by the script while the run is active; without it, a static progress. */
function liveNode(run: string, { done, total, text }: ShownProgress): Markup {
  return markup`<p class="live notice" data-live="/runs/${run}.json" role="status"><progress value="${done}" max="${Math.max(1, total)}">${text}</progress> <span>${text}</span></p>`;
}

function factsNode(summary: RunSummary): Markup {
  const { who, host, job, started, commit, reads, changes, fleet } = summary;
  const statuses = Object.entries(fleet ?? {}).filter(([, count]) => count > 0);
  return factList([
    ["Who", markup`${who} on ${host}`],
    ["Started", markup`${moment(started)} (${age(started)} ago)`],
    ["Took", durationText(summary)],
    ["Commit", commit === null ? "" : markup`<code>${commit.slice(0, 12)}</code>`],
    ["Changes", thousands(changes)],
    ["Requests", reads === undefined ? "" : `${thousands(reads)} to read`],
    ["Job", job === undefined ? "" : jobNode(job)],
    ["Plan", summary.plan === undefined ? "" : markup`<a href="/runs/${summary.plan}">${summary.plan}</a>`],
    ["Fleet status at the time", statuses.map(([name, count]) => `${thousands(count)} ${name}`).join(", ")],
  ]);
}

/** Links only http and https. */
function jobNode(job: string): Markup {
  return /^https?:\/\//.test(job) ? markup`<a href="${job}" rel="noreferrer noopener">${job}</a>` : markup`${job}`;
}

function planNode(plan: Plan, run: string, page: string | undefined): Markup {
  const part = selectPage(plannedRows(plan.resource_changes), page, 40);
  return markup`<section aria-labelledby="plan"><h2 id="plan">The plan</h2>
<p><a class="button" href="/runs/${run}/plan">Open the report</a> <span class="soft">The same plan, with filters.</span></p>
${each(plan.objections, ({ message, waived }) => markup`<p class="notice ${waived ? "" : "bad"}">${message}${waived ? " (waived)" : ""}</p>`)}
${each(plan.problems.slice(0, 20), ({ message, project }) => markup`<p class="notice bad">${project ? `${project}: ` : ""}${message}</p>`)}
<p class="soft">${counted(plan.resource_changes.length, "change")} · <code>${plan.digest}</code></p>
<ul class="rows">${each(part.rows, (change) => changeNode(change, planRow))}</ul>
${pager(part, `/runs/${run}`)}</section>`;
}

/** Rows link to their project; long values are truncated. */
export const planRow = {
  link: ({ project }: PlannedChange) => markup`<a href="${projectHref(project)}">${project}</a>`,
  most: 200,
};

function emptyText({ ended, outcome, fleet }: RunSummary): string {
  if (ended === null) return "No changes are recorded yet.";
  if (outcome === "in sync") return "No changes: everything is as declared.";
  return fleet ? "It changed nothing." : "It ended before it compared anything.";
}

function touchedNode({ summary, errors }: RunDetails, page: string | undefined): Markup {
  const groups = touchedGroups(summary, errors);
  const total = groups.reduce((sum, { projects }) => sum + projects.length, 0);
  const part = selectPage(groups, page, 60);
  if (part.total === 0) return markup`<p class="calm soft">${emptyText(summary)}</p>`;
  return markup`<section aria-labelledby="changes"><h2 id="changes">Changes</h2>
<p class="soft">${counted(total, "address", "addresses")}, equal changes grouped. A plan that is saved (<code>evenkeel plan --save</code>) keeps all their fields.</p>
<ul class="touched paper">${each(part.rows, (group) => groupNode(group))}</ul>
${pager(part, `/runs/${summary.run}`)}</section>`;
}

interface TouchedGroup {
  readonly rest: string;
  readonly code: string;
  readonly error: string;
  readonly projects: readonly string[];
}

/** Failures first, then the change of most projects. */
function touchedGroups({ touched }: RunSummary, errors: RunDetails["errors"]): readonly TouchedGroup[] {
  const all = Object.entries(touched).flatMap(([project, codes]) =>
    Object.entries(codes).map(([rest, code]) => {
      return { project, rest, code, error: (errors.get(`${project}:${rest}`) ?? "").slice(0, 300) };
    }),
  );
  const alike = grouped(all, ({ project, rest, code, error }) =>
    JSON.stringify([rest, code, commonForm(error, project)]),
  );
  const rank = ({ code, error }: TouchedGroup) => Number(error === "" && !wasUnsuccessful(code));
  return [...alike.values()]
    .map((members) => ({ ...members[0], projects: members.map(({ project }) => project) }))
    .sort((a, b) => rank(a) - rank(b) || b.projects.length - a.projects.length);
}

const mostProjects = 200;

function groupNode({ rest, code, error, projects }: TouchedGroup): Markup {
  const links = each(
    projects.slice(0, mostProjects),
    (project) => markup`<li><a href="${projectHref(project)}">${project}</a></li>`,
  );
  const more = projects.length - mostProjects;
  const [only] = links;
  const list = markup`<details><summary>${counted(projects.length, "project")}</summary><ul class="projects">${links}</ul>${more > 0 ? markup`<p class="soft">and ${thousands(more)} more</p>` : ""}</details>`;
  return markup`<li><p>${resourceNode(rest)} <span class="${wasUnsuccessful(code) ? "error" : "soft"}">${actionsText(code)}</span></p>${projects.length === 1 ? markup`<ul class="projects">${only ?? ""}</ul>` : list}${error ? markup`<p class="error">${error}</p>` : ""}</li>
`;
}

export interface ShownProgress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

export function describeProgress({ run, ended, progress }: RunSummary, { runs }: LiveRuns): ShownProgress | undefined {
  if (ended !== null || !runs.has(run)) return undefined;
  if (!progress) return { done: 0, total: 0, text: "running" };
  const { done, total } = progress;
  return { done, total, text: progressText(progress) };
}

export function runData({ summary, plan, progress, errors }: RunDetails): object {
  return { ...summary, progress: progress ?? null, errors: Object.fromEntries(errors), plan: plan ?? null };
}
