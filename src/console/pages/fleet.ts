import { counted, thousands } from "../../base/text-format.ts";
import { each, type Markup, markup } from "../../report/html/markup.ts";
import { badge } from "../../report/html/values.ts";
import type { FleetIndex } from "../../state/snapshots/fleet-index.ts";
import type { ProjectSummary } from "../../state/snapshots/shard.ts";
import { lastSeen, type SyncStatus } from "../../state/snapshots/snapshot.ts";
import { driftPlot } from "../drift-plot.ts";
import type { KnownState } from "../known-state.ts";
import { dataLinks, type ListPart, pager, partOf } from "../layout.ts";
import { age, ago, href, moment, projectHref } from "../markup.ts";
import {
  countByStatus,
  fleetDays,
  groupsBelow,
  labelsOf,
  type ProjectGroup,
  projectFilters,
  projectsFor,
  type WantedProjects,
} from "../project-filter.ts";

/** The statuses in the order of the page. */
const tileStatuses: readonly SyncStatus[] = ["in sync", "drifted", "pending", "unreadable"];

/** Where the list of projects is, for what a person asks. */
export function fleetHref(wanted: Partial<WantedProjects>, page?: number): string {
  const query = Object.fromEntries(projectFilters.map((name) => [name, wanted[name]]));
  return href("/", { ...query, page: page === 1 ? undefined : page });
}

/** The whole fleet, or the part of it that a person asks for. */
export function fleetPage(known: KnownState, wanted: WantedProjects, page: string | undefined): Markup {
  if (known.projects.length === 0) return emptyPage();
  const found = projectsFor(known, wanted);
  const part = partOf(found, page);
  const inScope = projectsFor(known, { ...wanted, status: "" });
  return markup`${headOf(known, wanted, inScope)}
${tilesOf(inScope, wanted)}
<section aria-labelledby="over-time"><h2 id="over-time">Not in sync over 90 days${inScope.length < known.projects.length ? ", the whole fleet" : ""}</h2><div class="paper">${driftPlot(fleetDays(known, 90))}</div></section>
${groupsOf(known, wanted)}
<section aria-labelledby="list"><h2 id="list">Projects</h2>
${formOf(known, wanted)}
${tableOf(part, known.fleet)}
${pager(part, (to) => fleetHref(wanted, to))}
${dataLinks("/", fleetQuery(wanted))}</section>`;
}

function emptyPage(): Markup {
  return markup`<h1>No data yet</h1>
<p class="lead">The console shows the runs of this workspace. Start with one of these:</p>
<ul class="first"><li><code class="command">evenkeel plan</code> compares every project with the manifests</li>
<li><code class="command">evenkeel drift</code> does the same, for scheduled jobs</li>
<li><code class="command">evenkeel watch</code> checks continuously</li></ul>`;
}

function fleetQuery(wanted: WantedProjects): Record<string, string> {
  return Object.fromEntries(projectFilters.flatMap((name) => (wanted[name] === "" ? [] : [[name, wanted[name]]])));
}

function headOf(
  { fleet, projects }: KnownState,
  { group }: WantedProjects,
  inScope: readonly ProjectSummary[],
): Markup {
  const off = inScope.length - countByStatus(inScope)["in sync"];
  const all = inScope.length === projects.length;
  const what = counted(inScope.length, "project");
  const title = off === 0 ? `${what} in sync` : `${thousands(off)} of ${what} not in sync`;
  const whole = fleet?.whole;
  const seen = whole
    ? markup`last full check <a href="/runs/${whole.run}">${age(whole.at)} ago</a>, ${moment(whole.at)}`
    : "no full check yet";
  return markup`${crumbsOf(group)}<h1${off === 0 ? markup` class="settled"` : ""}>${title}</h1>
<p class="lead">${fleet?.server ?? ""}${all ? "" : ` · filtered from ${counted(projects.length, "project")}`} · ${seen}</p>`;
}

/** The way up from a group. */
export function crumbsOf(path: string): Markup {
  if (path === "") return markup``;
  const parts = path.split("/");
  const above = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  return markup`<nav class="crumbs" aria-label="Groups above"><a href="/">All</a>${each(above, (group) => markup` / <a href="${fleetHref({ group })}">${group.split("/").at(-1) ?? ""}</a>`)} / <b>${parts.at(-1) ?? ""}</b></nav>`;
}

function tilesOf(heads: readonly ProjectSummary[], wanted: WantedProjects): Markup {
  const counts = countByStatus(heads);
  return markup`<ul class="tiles">${each(tileStatuses, (syncStatus) => {
    const longest = heads.find((head) => head.syncStatus === syncStatus);
    const status = wanted.status === syncStatus ? "" : syncStatus;
    const since =
      syncStatus === "in sync"
        ? shareText(counts[syncStatus], heads.length)
        : !longest
          ? ""
          : `longest for ${ago(longest.since)}`;
    return markup`<li><a class="tile ${syncStatus}${counts[syncStatus] === 0 ? " none" : ""}" href="${fleetHref({ ...wanted, status })}#list"${wanted.status === syncStatus ? markup` aria-current="true"` : ""}><span class="number">${thousands(counts[syncStatus])}</span> <span class="word">${syncStatus}</span> <span class="soft">${since}</span></a></li>`;
  })}</ul>`;
}

/** `96.4 % of 2,000`: never 100 % where it is not all. */
function shareText(count: number, all: number): string {
  if (all === 0) return "";
  return `${(Math.floor((count / all) * 1000) / 10).toLocaleString("en")} % of ${thousands(all)}`;
}

/** Groups that are drawn at once. */
const mostGroups = 96;

function groupsOf(known: KnownState, wanted: WantedProjects): Markup {
  const groups = groupsBelow(known, wanted.group);
  const below = groups.filter(({ leaf }) => !leaf);
  if (below.length === 0) return markup``;
  const more = below.length - mostGroups;
  return markup`<section aria-labelledby="groups"><h2 id="groups">Groups${wanted.group ? markup` of ${wanted.group}` : ""}</h2>
<ul class="heat">${each(below.slice(0, mostGroups), (group) => cellOf(group, wanted))}</ul>
${more > 0 ? markup`<p class="soft">and ${counted(more, "more group")}; filter by group below</p>` : ""}</section>`;
}

function cellOf(group: ProjectGroup, wanted: WantedProjects): Markup {
  const { path, counts, projects } = group;
  const found = byUrgency.filter((syncStatus) => counts[syncStatus] > 0);
  const tint = found[0];
  const heat = tint ? markup`${tint} heat-${heatOf(counts[tint] / projects)}` : "settled";
  const words = found.map((syncStatus) => `${thousands(counts[syncStatus])} ${syncStatus}`);
  const line = tint ? `${words.join(", ")} of ${thousands(projects)}` : `${thousands(projects)} in sync`;
  return markup`<li><a class="cell ${heat}" href="${fleetHref({ ...wanted, group: path })}"><b>${path.split("/").at(-1) ?? ""}</b><span class="count">${line}</span></a></li>`;
}

/** What is not in sync: a group has the colour of the first of these that it has any of, and says how many of each. */
const byUrgency: readonly SyncStatus[] = ["drifted", "unreadable", "pending"];

/** From 1, hardly any, to 5. */
function heatOf(share: number): number {
  return [0, 0.01, 0.05, 0.15, 0.4].filter((limit) => share > limit).length;
}

const ages = [
  ["", "any time"],
  ["1", "1 hour"],
  ["24", "1 day"],
  ["168", "7 days"],
  ["720", "30 days"],
] as const;

function formOf(known: KnownState, wanted: WantedProjects): Markup {
  const labels = labelsOf(known);
  const text = (name: keyof WantedProjects, title: string, hint: string) =>
    markup`<label>${title}<input name="${name}" value="${wanted[name]}" placeholder="${hint}" maxlength="300"></label>`;
  const choice = (name: "integration" | "license" | "policy") => choiceOf(name, wanted[name], labels[name]);
  return markup`<form class="filters" action="/">
${text("q", "Path", "part of a path")}${text("group", "Group", "payments")}
<label>Status<select name="status">${options(wanted.status, [["", "any"], ...tileStatuses.map((each) => [each, each] as const)])}</select></label>
${choice("integration")}${choice("license")}${choice("policy")}
<label>For at least<select name="age">${options(wanted.age, ages)}</select></label>
<span class="go"><button>Show</button> <a href="/">Clear</a></span>
</form>`;
}

function options(chosen: string, all: readonly (readonly [string, string])[]): readonly Markup[] {
  return each(all, ([value, name]) => {
    return markup`<option value="${value}"${value === chosen ? markup` selected` : ""}>${name}</option>`;
  });
}

/** More of them do not fit a page, and nobody looks through so many: they are typed. */
const mostChoices = 120;

function choiceOf(name: "integration" | "license" | "policy", chosen: string, all: readonly string[]): Markup {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (all.length > mostChoices || (chosen !== "" && !all.includes(chosen)))
    return markup`<label>${title}<input name="${name}" value="${chosen}" maxlength="300"></label>`;
  return markup`<label>${title}<select name="${name}">${options(chosen, [["", "any"], ...all.map((each) => [each, each] as const)])}</select></label>`;
}

function tableOf(part: ListPart<ProjectSummary>, fleet: FleetIndex | undefined): Markup {
  if (part.total === 0)
    return markup`<p class="calm soft">No projects match these filters. <a href="/">Show all</a></p>`;
  return markup`<div class="wide paper"><table class="stack"><caption>${counted(part.total, "project")}</caption>
<thead><tr><th scope="col">Project</th><th scope="col">Status</th><th scope="col">For</th><th scope="col" class="roomy">Since</th><th scope="col" class="n">Differences</th><th scope="col">Seen</th></tr></thead>
<tbody>${each(part.rows, (head) => rowOf(head, fleet))}</tbody></table></div>`;
}

function rowOf(head: ProjectSummary, fleet: FleetIndex | undefined): Markup {
  const { project, syncStatus, since, differences } = head;
  const { at } = lastSeen(head, fleet);
  return markup`<tr><th scope="row"><a href="${projectHref(project)}">${project}</a></th><td>${badge(syncStatus)}</td><td class="t" data-label="for">${age(since)}</td><td class="t soft roomy">${moment(since)}</td><td class="n" data-label="differences">${differences || ""}</td><td class="t" data-label="seen">${age(at)} ago</td></tr>
`;
}
