import { projectHref } from "../base/console-paths.ts";
import { counted, thousands } from "../base/text-format.ts";
import { badge, breakable, each, type Markup, markup } from "../report/html/markup.ts";
import type { FleetIndex } from "../state/snapshots/read-snapshots.ts";
import { lastSeen, type SyncStatus } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { causesSection, firstDifference } from "./causes-section.ts";
import { driftPlot, fleetDays } from "./history.ts";
import type { KnownState } from "./known-state.ts";
import { age, ago, dataLink, href, type ListPart, moment, pager, selectPage } from "./layout.ts";
import {
  anyStatus,
  countByStatus,
  filterProjects,
  outOfSync,
  projectFilters,
  type WantedProjects,
} from "./project-filter.ts";

/** Statuses in the order of the page, most urgent first. */
const tileStatuses: readonly SyncStatus[] = ["drifted", "unreadable", "pending", "in sync"];

export function fleetHref(wanted: Partial<WantedProjects>, page?: number): string {
  const query = Object.fromEntries(projectFilters.map((name) => [name, wanted[name]]));
  const status = wanted.status === outOfSync ? "" : wanted.status;
  return href("/", { ...query, status, page: page === 1 ? undefined : page });
}

export function fleetPage(known: KnownState, asked: WantedProjects, page: string | undefined): Markup {
  if (known.projects.length === 0) return emptyPage();
  const wanted = { ...asked, status: asked.status || outOfSync };
  const { status, cause } = wanted;
  const inScope = filterProjects(known.worstFirst, { ...wanted, status: "", cause: "" });
  const part = selectPage(filterProjects(inScope, { status, cause }), page);
  const isPart = inScope.length < known.projects.length;
  const days = fleetDays(known, longestHistory);
  return markup`${headNode(known, wanted, inScope)}
${tilesNode(inScope, wanted)}
${causesSection({ heads: inScope, wanted, link: fleetHref })}
<section aria-labelledby="over-time"><h2 id="over-time">Not in sync over ${counted(days.length, "day")}${isPart ? ", the whole fleet" : ""}</h2><div class="paper">${driftPlot(days)}</div></section>
<section aria-labelledby="list"><h2 id="list">Projects${wanted.status === outOfSync ? " out of sync" : ""}</h2>
${formNode(wanted)}
${tableNode(part, known, wanted, inScope.length)}
${pager(part, (to) => fleetHref(wanted, to))}
${dataLink("/", { ...wanted })}</section>`;
}

const longestHistory = 90;

function emptyPage(): Markup {
  return markup`<h1>No data yet</h1>
<p class="lead">The console shows the runs of this workspace. Start with one of these:</p>
<ul class="first"><li><code class="command">evenkeel plan</code> compares every project with the manifests</li>
<li><code class="command">evenkeel drift</code> does the same, for scheduled jobs</li>
<li><code class="command">evenkeel watch</code> checks continuously</li></ul>`;
}

function headNode(known: KnownState, { group }: WantedProjects, inScope: readonly ProjectSummary[]): Markup {
  const { fleet, projects } = known;
  const off = inScope.length - countByStatus(inScope)["in sync"];
  const all = inScope.length === projects.length;
  const what = counted(inScope.length, "project");
  const title = off === 0 ? `${what} in sync` : `${thousands(off)} of ${what} not in sync`;
  const whole = fleet?.whole;
  const seen = whole
    ? markup`last full check <a href="/runs/${whole.run}">${age(whole.at)} ago</a>, ${moment(whole.at)}`
    : "no full check yet";
  return markup`${crumbsNode(group)}<h1${off === 0 ? markup` class="settled"` : ""}>${title}</h1>
<p class="lead">${fleet?.server ?? ""}${all ? "" : ` · filtered from ${counted(projects.length, "project")}`} · ${seen}</p>`;
}

export function crumbsNode(path: string): Markup {
  if (path === "") return markup``;
  const parts = path.split("/");
  const above = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  return markup`<nav class="crumbs" aria-label="Groups above"><a href="/">All</a>${each(above, (group) => markup` / <a href="${fleetHref({ group })}">${group.split("/").at(-1) ?? ""}</a>`)} / <b>${parts.at(-1) ?? ""}</b></nav>`;
}

function tilesNode(heads: readonly ProjectSummary[], wanted: WantedProjects): Markup {
  const counts = countByStatus(heads);
  return markup`<ul class="tiles">${each(tileStatuses, (syncStatus) => {
    const count = counts[syncStatus];
    const longest = count === 0 ? undefined : heads.find((head) => head.syncStatus === syncStatus);
    const status = wanted.status === syncStatus ? outOfSync : syncStatus;
    const since =
      syncStatus === "in sync" ? shareText(count, heads.length) : !longest ? "" : `longest for ${ago(longest.since)}`;
    return markup`<li><a class="tile ${syncStatus}${count === 0 ? " none" : ""}" href="${fleetHref({ ...wanted, status })}#list"${wanted.status === syncStatus ? markup` aria-current="true"` : ""}><span class="number">${thousands(count)}</span> <span class="word">${syncStatus}</span> <span class="soft">${since}</span></a></li>`;
  })}</ul>`;
}

/** `96.4 % of 2,000`: never 100 % unless it is all. */
function shareText(count: number, all: number): string {
  if (all === 0) return "";
  return `${(Math.floor((count / all) * 1000) / 10).toLocaleString("en")} % of ${thousands(all)}`;
}

function formNode(wanted: WantedProjects): Markup {
  const text = (name: keyof WantedProjects, title: string, hint: string) =>
    markup`<label>${title}<input name="${name}" value="${wanted[name]}" placeholder="${hint}" maxlength="300"></label>`;
  return markup`<form class="filters" action="/">
${text("q", "Path", "part of a path")}${text("group", "Group", "payments")}
<label>Status<select name="status">${each([outOfSync, anyStatus, ...tileStatuses], (status) => optionNode(status, wanted))}</select></label>
${text("policy", "Policy", "its whole name")}
${wanted.cause === "" ? "" : markup`<input type="hidden" name="cause" value="${wanted.cause}">`}<span class="go"><button>Show</button> <a href="/">Clear</a></span>
</form>`;
}

function optionNode(status: string, wanted: WantedProjects): Markup {
  return markup`<option value="${status}"${status === wanted.status ? markup` selected` : ""}>${status}</option>`;
}

function tableNode(part: ListPart<ProjectSummary>, known: KnownState, wanted: WantedProjects, inScope: number): Markup {
  const all = markup`<a href="${fleetHref({ ...wanted, status: anyStatus, cause: "" })}#list">Show all ${counted(inScope, "project")}</a>`;
  if (inScope === 0)
    return markup`<p class="calm soft">No projects match these filters. <a href="/">Clear them</a></p>`;
  if (part.total === 0) return markup`<p class="calm soft">${emptyText(wanted)} ${all}</p>`;
  const cause = wanted.cause === "" ? "" : " with this cause";
  return markup`<div class="wide paper"><table class="stack"><caption>${counted(part.total, "project")}${cause}${part.total < inScope ? markup` · ${all}` : ""}</caption>
<thead><tr><th scope="col">Project</th><th scope="col">Status</th><th scope="col">For</th><th scope="col">Difference</th><th scope="col">Seen</th></tr></thead>
<tbody>${each(part.rows, (head) => projectRow(head, known.fleet))}</tbody></table></div>`;
}

function emptyText({ status, cause }: WantedProjects): string {
  if (cause !== "") return "No project has this cause any more.";
  return status === outOfSync ? "All of these projects are in sync." : `None of these projects is ${status}.`;
}

function projectRow(head: ProjectSummary, fleet: FleetIndex | undefined): Markup {
  const { project, syncStatus, since } = head;
  const { at } = lastSeen(head, fleet);
  return markup`<tr><th scope="row"><a href="${projectHref(project)}">${breakable(project)}</a></th><td>${badge(syncStatus)}</td><td class="t" data-label="for">${age(since)}</td><td class="difference">${firstDifference(head)}</td><td class="t" data-label="seen">${age(at)} ago</td></tr>
`;
}
