import { projectHref } from "../base/console-paths.ts";
import { counted, thousands } from "../base/text-format.ts";
import { overrideText } from "../plan/overrides.ts";
import { badge, breakable, each, longList, type Markup, markup } from "../report/html/markup.ts";
import { lastSeen, type SyncStatus, type SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { causesSection, commandsForCause, type FleetCause, findCauses, firstDifference } from "./causes.ts";
import { driftPlot, fleetDays } from "./history.ts";
import type { KnownState } from "./known-state.ts";
import {
  age,
  ago,
  dataLink,
  filterField,
  href,
  type ListPart,
  moment,
  mostRows,
  pageFields,
  pager,
  selectPage,
} from "./layout.ts";
import {
  anyStatus,
  countByStatus,
  filterProjects,
  groupsBelow,
  listLabels,
  outOfSync,
  type ProjectGroup,
  projectFilters,
  type WantedProjects,
} from "./project-filter.ts";

/** Statuses in the order of the page, most urgent first. */
const tileStatuses: readonly SyncStatus[] = ["drifted", "unreadable", "pending", "in sync"];

export function fleetHref(wanted: Partial<WantedProjects>): string {
  return href("/", fleetQuery(wanted));
}

function fleetQuery(wanted: Partial<WantedProjects>) {
  const query = Object.fromEntries(projectFilters.map((name) => [name, wanted[name]]));
  return { ...query, status: wanted.status === outOfSync ? "" : wanted.status };
}

/** The fleet, or the filtered part of it. */
export function fleetPage(known: KnownState, asked: WantedProjects, page: string | undefined): Markup {
  if (known.projects.length === 0) return emptyPage;
  const wanted = { ...asked, status: asked.status || outOfSync };
  const { status, cause } = wanted;
  const inScope = filterProjects(known.worstFirst, { ...wanted, status: "", cause: "" });
  const part = selectPage(filterProjects(inScope, { status, cause }), page);
  const isPart = inScope.length < known.projects.length;
  const days = fleetDays(known, Number(wanted.days) || longestHistory);
  return markup`${headNode(known, wanted, inScope)}
${tilesNode(inScope, wanted)}
${causesSection(inScope, wanted, fleetHref)}
<section aria-labelledby="over-time"><h2 id="over-time">Not in sync over ${counted(days.length, "day")}${isPart ? ", the whole fleet" : ""}</h2><div class="paper">${driftPlot(days)}${rangesNode(known, wanted, days.length)}</div></section>
${overridesNode(known, wanted)}${groupsNode(known, wanted)}
<section aria-labelledby="list"><h2 id="list">Projects${wanted.status === outOfSync ? " out of sync" : ""}</h2>
${formNode(known, wanted)}
${tableNode(part, known, wanted, inScope.length)}
${pager(part, "/", fleetQuery(wanted))}
${dataLink("/", { ...wanted })}</section>`;
}

/** Days of history: choices, and the most. */
const [ranges, longestHistory] = [[7, 30, 90], 90];

/** Links to shorter and longer ranges of the chart, as far as there is data. */
function rangesNode(known: KnownState, wanted: WantedProjects, shown: number): Markup {
  const lengths = [...new Set(ranges.map((days) => fleetDays(known, days).length))];
  if (lengths.length < 2) return markup``;
  return markup`<p class="soft ranges">${each(lengths, (days) => (days === shown ? markup`<b>${counted(days, "day")}</b> ` : markup`<a href="${fleetHref({ ...wanted, days: String(days) })}#over-time">${counted(days, "day")}</a> `))}</p>`;
}

const mostOverrides = 20;

/** Entries of policies with a wildcard that other policies override: of the chosen policy, else of all. */
function overridesNode({ fleet }: KnownState, { policy }: WantedProjects): Markup {
  const overrides = (fleet?.overrides ?? []).filter((each) => policy === "" || each.policy === policy);
  if (overrides.length === 0) return markup``;
  const items = overrides.map(
    (each) =>
      markup`<li><a href="${fleetHref({ policy: each.policy, status: anyStatus })}">${overrideText(each)}</a></li>`,
  );
  return markup`<section aria-labelledby="overrides"><h2 id="overrides">Overridden by other policies</h2>
<div class="paper">${longList(items, mostOverrides, "lines", `${thousands(items.length - mostOverrides)} more`)}</div></section>
`;
}

const emptyPage = markup`<h1>No data yet</h1>
<p class="lead">The console shows the runs of this workspace. Start with one of these:</p>
<ul class="first"><li><code class="command">evenkeel plan</code> compares every project with the manifests</li>
<li><code class="command">evenkeel drift</code> does the same, for scheduled jobs</li>
<li><code class="command">evenkeel watch</code> checks continuously</li></ul>`;

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

const mostGroups = 96;

function groupsNode(known: KnownState, wanted: WantedProjects): Markup {
  const groups = groupsBelow(known, wanted.group);
  const below = groups.filter(({ leaf }) => !leaf);
  if (below.length === 0) return markup``;
  const more = below.length - mostGroups;
  return markup`<section aria-labelledby="groups"><h2 id="groups">Groups${wanted.group ? markup` of ${wanted.group}` : ""}</h2>
<ul class="heat">${each(below.slice(0, mostGroups), (group) => cellNode(group, wanted))}</ul>
${more > 0 ? markup`<p class="soft">and ${counted(more, "more group")}; filter by group below</p>` : ""}</section>`;
}

function cellNode({ path, counts, projects }: ProjectGroup, wanted: WantedProjects): Markup {
  const occurring = byUrgency.filter((syncStatus) => counts[syncStatus] > 0);
  const words = occurring.map((syncStatus) => `${thousands(counts[syncStatus])} ${syncStatus}`);
  const line =
    occurring.length > 0 ? `${words.join(", ")} of ${thousands(projects)}` : `${thousands(projects)} in sync`;
  return markup`<li><a class="cell${occurring.length > 0 ? "" : " settled"}" href="${fleetHref({ ...wanted, group: path })}"><b>${path.split("/").at(-1) ?? ""}</b><span class="count">${line}</span>${barNode(counts, projects)}</a></li>`;
}

/** Statuses in the order of a group's bar. */
const byUrgency: readonly SyncStatus[] = ["drifted", "unreadable", "pending"];

/** The shares of a group that are drifted or unreadable, and pending. Small shares stay visible. */
function barNode({ drifted, unreadable, pending }: SyncStatusCounts, projects: number): Markup {
  const [wrong, waits] = [computeShare(drifted + unreadable, projects), computeShare(pending, projects)];
  const piece = (tone: string, from: number, to: number) =>
    to > from ? markup`<path class="piece ${tone}" d="M${from} 0H${to}V4H${from}Z"/>` : markup``;
  return markup`<svg class="bar-of" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">${piece("drifted", 0, wrong)}${piece("pending", wrong, Math.min(100, wrong + waits))}</svg>`;
}

function computeShare(count: number, all: number): number {
  return count === 0 ? 0 : Math.max(3, Math.round((count / all) * 100));
}

const ages = [
  ["", "any time"],
  ["1", "1 hour"],
  ["24", "1 day"],
  ["168", "7 days"],
  ["720", "30 days"],
] as const;

function formNode(known: KnownState, wanted: WantedProjects): Markup {
  const { policies } = listLabels(known.projects);
  const field = (name: keyof WantedProjects, title: string, choices?: Choices, hint?: string) =>
    filterField(title, name, wanted[name], choices, hint);
  const statuses = [outOfSync, anyStatus, ...tileStatuses].map((each) => [each, each] as const);
  return markup`<form class="filters" action="/">
${field("q", "Path", [], "part of a path")}${field("group", "Group", [], "payments")}
${field("status", "Status", statuses)}
${field("policy", "Policy", policyChoices(wanted.policy, policies))}${field("from", "Difference from policy", policyChoices(wanted.from, policies))}${field("resource", "Resource", [], "webhook/…")}
${field("age", "For at least", ages)}
${each(["cause", "days"] as const, (name) => (wanted[name] === "" ? markup`` : markup`<input type="hidden" name="${name}" value="${wanted[name]}">`))}<span class="go"><button>Show</button> <a href="/">Clear</a></span>
</form>`;
}

type Choices = readonly (readonly [value: string, name: string])[];

/** Beyond this number, a text input replaces the list of choices. */
const mostChoices = 120;

function policyChoices(chosen: string, all: readonly string[]): Choices {
  const isText = all.length > mostChoices || (chosen !== "" && !all.includes(chosen));
  return isText ? [] : [["", "any"], ...all.map((each) => [each, each] as const)];
}

function tableNode(part: ListPart<ProjectSummary>, known: KnownState, wanted: WantedProjects, inScope: number): Markup {
  const all = markup`<a href="${fleetHref({ ...wanted, status: anyStatus, cause: "" })}#list">Show all ${counted(inScope, "project")}</a>`;
  if (inScope === 0)
    return markup`<p class="calm soft">No projects match these filters. <a href="/">Clear them</a></p>`;
  if (part.total === 0) return markup`<p class="calm soft">${emptyText(wanted)} ${all}</p>`;
  const cause = wanted.cause === "" ? "" : " with this cause";
  const projectRow = (head: ProjectSummary) => {
    const { project, syncStatus, since } = head;
    const { at } = lastSeen(head, known.fleet);
    return markup`<tr><th scope="row"><a href="${projectHref(project)}">${breakable(project)}</a></th><td>${badge(syncStatus)}</td><td class="t" data-label="for">${age(since)}</td><td class="difference">${firstDifference(head)}</td><td class="t" data-label="seen">${age(at)} ago</td></tr>
`;
  };
  return markup`<div class="wide paper"><table class="stack"><caption>${counted(part.total, "project")}${cause}${part.total < inScope ? markup` · ${all}` : ""}</caption>
<thead><tr><th scope="col">Project</th><th scope="col">Status</th><th scope="col">For</th><th scope="col">Difference</th><th scope="col">Seen</th></tr></thead>
<tbody>${each(part.rows, projectRow)}</tbody></table></div>`;
}

function emptyText({ status, cause }: WantedProjects): string {
  if (cause !== "") return "No project has this cause any more.";
  return status === outOfSync ? "All of these projects are in sync." : `None of these projects is ${status}.`;
}

export function fleetData(known: KnownState, wanted: WantedProjects, page: string | undefined): object {
  const heads = filterProjects(known.worstFirst, wanted);
  const { server = null, whole = null } = known.fleet ?? {};
  const part = selectPage(heads, page, mostRows);
  const projects = part.rows.map((head) => {
    const { project, syncStatus: status, since, differences } = head;
    const { at: seen, run } = lastSeen(head, known.fleet);
    return { project, status, since, differences, seen, run };
  });
  return {
    ...{ server, whole, error: known.error ?? null, counts: countByStatus(heads) },
    causes: findCauses(heads).slice(0, 100).map(causeRow),
    ...pageFields(part),
    projects,
  };
}

function causeRow(cause: FleetCause) {
  const { id, cause: status, shapes, projects, since, within } = cause;
  const [{ before, after, commit, policy, reason }] = shapes;
  const differences = [...new Set(shapes.map(({ rest }) => rest))].filter(Boolean);
  const commands = commandsForCause(cause).map(([line]) => line);
  return { id, cause: status, projects, since, within, differences, before, after, reason, policy, commit, commands };
}
