import { projectHref } from "../base/console-paths.ts";
import { counted, thousands } from "../base/text-format.ts";
import { badge, breakable, each, type Markup, markup } from "../report/html/markup.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { fleetHref } from "./fleet-page.ts";
import type { KnownState } from "./known-state.ts";
import { age, dataLink, moment } from "./layout.ts";
import { anyStatus, listLabels, parseProjectFilters } from "./project-filter.ts";
import { runOutcomeNode } from "./runs-page.ts";

/** Maximum number of results per category. */
const most = 30;

/**
 * Finds projects (also by an address), resources, policies and runs whose name contains the query: the first of each
 * category, and the number of all of them.
 */
function search(known: KnownState, query: string) {
  const q = query.trim().toLowerCase().slice(0, 200);
  if (q === "") return { projects: [], labels: [], runs: [], counts: { projects: 0, labels: 0, runs: 0 } };
  const [path = q] = q.split(":");
  const projects = known.worstFirst.filter(({ project }) => project.toLowerCase().includes(path));
  const exact = projects.filter(({ project }) => project.toLowerCase() === path);
  const { policies, keys } = listLabels(known.projects);
  const labels = [
    ...policies.map((name) => ({ kind: "policy", name, filter: { policy: name } })),
    ...[...keys].flatMap(([kind, names]) =>
      names.map((name) => ({ kind, name, filter: { resource: `${kind}/${name}` } })),
    ),
  ].filter(({ name }) => name.toLowerCase().includes(q));
  const words = ({ run, command, who, host, commit, outcome }: RunSummary) =>
    [run, command, who, host, commit, outcome].join("\n").toLowerCase();
  const runs = known.runs.filter((run) => words(run).includes(q));
  return {
    projects: [...new Set([...exact, ...projects.slice(0, most)])].slice(0, most),
    labels: labels.slice(0, most),
    runs: runs.slice(0, most),
    counts: { projects: projects.length, labels: labels.length, runs: runs.length },
  };
}

export function searchPage(known: KnownState, q: string): Markup {
  const { projects, labels, runs, counts } = search(known, q);
  if (q.trim() === "")
    return markup`<h1>Search</h1><p class="lead">Projects, addresses, resources of every kind, policies, people, commits and runs. Press <kbd>/</kbd> to search from any page.</p>`;
  const none = projects.length + labels.length + runs.length === 0;
  const all =
    counts.projects > projects.length
      ? markup`<p><a href="${fleetHref({ ...parseProjectFilters({}), q: q.split(":")[0] ?? "", status: anyStatus })}">All ${counted(counts.projects, "project")}</a></p>`
      : "";
  return markup`<h1>${none ? "No results" : "Results"} for “${q}”</h1>
${sectionNode("Projects", counts.projects, projects, ({ project, syncStatus, since }) => markup`<li><a href="${projectHref(project)}">${breakable(project)}</a> ${badge(syncStatus)} <span class="soft">for ${age(since)}</span></li>`)}${all}
${sectionNode("Settings and policies", counts.labels, labels, ({ kind, name, filter }) => markup`<li><a href="${fleetHref({ ...filter, status: anyStatus })}">${name}</a> <span class="soft">${kind}</span></li>`)}
${sectionNode("Runs", counts.runs, runs, (run) => markup`<li><a href="/runs/${run.run}">${run.command} of ${moment(run.started)}</a> ${runOutcomeNode(run, known.live)} <span class="soft">${run.who}</span></li>`)}
${dataLink("/search", { q })}`;
}

function sectionNode<Thing>(
  title: string,
  count: number,
  things: readonly Thing[],
  piece: (thing: Thing) => Markup,
): Markup {
  if (things.length === 0) return markup``;
  const shown = things.length < count ? `the first ${things.length} of ${thousands(count)}` : thousands(count);
  return markup`<section><h2>${title} <span class="soft">${shown}</span></h2><ul class="found">${each(things, piece)}</ul></section>`;
}

export function searchData(known: KnownState, q: string): object {
  const { projects, labels, runs, counts } = search(known, q);
  const found = [
    ...projects.map(({ project, syncStatus }) => ({ sort: "project", name: project, is: syncStatus })),
    ...labels.map(({ kind, name }) => ({ sort: kind, name, is: "" })),
    ...runs.map(({ run, command, outcome }) => ({
      sort: "run",
      name: run,
      is: `${command}, ${outcome ?? "did not finish"}`,
    })),
  ];
  return { q, counts, found };
}
