import { projectHref } from "../base/console-paths.ts";
import { compareTexts, counted } from "../base/text-format.ts";
import { addressMatcher, addressOf, resourceName } from "../model/address.ts";
import type { Fields } from "../model/types.ts";
import { fieldNamesOf } from "../plan/groups.ts";
import { authorText } from "../plan/highlights.ts";
import { badge, breakable, commandsNode, each, type Markup, markup } from "../report/html/markup.ts";
import { fieldsTable, rowNode, sourceText, valueNode } from "../report/html/rows.ts";
import type { LiveRuns, RunSummary } from "../state/run-summary.ts";
import type { FleetIndex } from "../state/snapshots/read-snapshots.ts";
import { lastSeen, type ProjectSnapshot, type SeenDifference, type SeenEntry } from "../state/snapshots/snapshot.ts";
import { commandsForDifference, directionNode } from "./causes.ts";
import { crumbsNode } from "./fleet-page.ts";
import type { KnownState } from "./known-state.ts";
import { age, ago, dataLink, href, moment, pager, selectPage } from "./layout.ts";
import { anyStatus } from "./project-filter.ts";
import { actionsText, reasonNode, runOutcomeNode, wasApplied } from "./runs-page.ts";

export function projectPage(known: KnownState, seen: ProjectSnapshot, page: string | undefined): Markup {
  const { project, syncStatus, since, differences, problems, unmanaged } = seen;
  const last = lastSeen(seen, known.fleet);
  const entries = selectPage([...seen.entries].sort(differingFirst(differences)), page, 25);
  const appliedBy = lastApplies(known.runs, project);
  const left = unmanaged > 0 ? ` · ${counted(unmanaged, "unmanaged entry", "unmanaged entries")}` : "";
  return markup`${crumbsNode(project)}
<h1>${breakable(project)}</h1>
<p class="lead">${badge(syncStatus)} for ${age(since)}, since ${moment(since)} · seen ${age(last.at)} ago by <a href="/runs/${last.run}">${last.run}</a>${left}</p>
${each(problems, (problem) => markup`<p class="notice bad">${problem}</p>`)}
<section aria-labelledby="entries"><h2 id="entries">Settings, live and declared</h2>
<p class="soft">${counted(seen.entries.length, "entry", "entries")}${differences.length > 0 ? `, ${counted(differences.length, "difference")}` : ""}</p>
<ul class="rows">${each(entries.rows, (entry) => entryNode(entry, seen, appliedBy))}${each(listUnlisted(seen), (difference) => entryNode(difference, seen, appliedBy))}</ul>
${pager(entries, projectHref(project))}</section>
${exceptionsNode(seen, known.fleet)}
${timelineNode(known, seen)}
${dataLink(projectHref(project))}`;
}

function differingFirst(differences: readonly SeenDifference[]) {
  const differing = new Set(differences.map(({ rest }) => rest));
  const rank = ({ kind, key }: SeenEntry) => Number(!differing.has(resourceName(kind, key)));
  return (a: SeenEntry, b: SeenEntry) =>
    rank(a) - rank(b) || compareTexts(resourceName(a.kind, a.key), resourceName(b.kind, b.key));
}

/** Differences without a declared entry: resources that an exclusive policy removes. */
function listUnlisted({ entries, differences }: ProjectSnapshot): readonly SeenDifference[] {
  const listed = new Set(entries.map(({ kind, key }) => resourceName(kind, key)));
  return differences.filter(({ rest }) => !listed.has(rest));
}

type LastApplies = ReadonlyMap<string, RunSummary>;

function lastApplies(runs: readonly RunSummary[], project: string): LastApplies {
  const found = new Map<string, RunSummary>();
  for (const run of runs) {
    for (const [rest, code] of Object.entries(run.touched[project] ?? {}))
      if (wasApplied(code) && !found.has(rest)) found.set(rest, run);
  }
  return found;
}

/** A declared entry with its difference, if any; or a difference without an entry. */
function entryNode(of: SeenEntry | SeenDifference, seen: ProjectSnapshot, appliedBy: LastApplies): Markup {
  const { project, differences, unverified, inherited = [] } = seen;
  const entry = "rest" in of ? undefined : of;
  const name = "rest" in of ? of.rest : resourceName(of.kind, of.key);
  const difference = "rest" in of ? of : differences.find(({ rest }) => rest === name);
  const hidden = unverified[name] ?? [];
  const facts = [
    ...(inherited.includes(name) ? ["inherited from the group"] : []),
    ...(hidden.length > 0 ? [`${hidden.length} not reported`] : []),
  ];
  const run = appliedBy.get(name);
  const applied = run
    ? markup`<span>Last applied by ${run.who}, <a href="/runs/${run.run}">${age(run.started)} ago</a></span>`
    : "";
  const commands = difference && commandsNode(commandsForDifference(`${project}:${name}`, difference.cause));
  return rowNode({
    sign: difference?.action,
    name,
    brief: difference ? causeNode(difference) : markup`<span class="soft">${["in sync", ...facts].join(", ")}</span>`,
    source: of,
    isOpen: difference !== undefined,
    detail: markup`${difference ? markup`<p class="reason">${difference.reason}</p>` : ""}${settingsTable(entry ? entry.fields : {}, difference, hidden)}${commands ?? ""}
<p class="origin">${entry ? originNode(entry, difference) : ""}${applied}</p>`,
  });
}

function originNode({ commit, reason, ...entry }: SeenEntry, difference: SeenDifference | undefined): Markup {
  const { policy } = { ...entry, ...difference };
  return markup`<span>Policy <a href="${href("/", { policy, status: anyStatus })}">${policy}</a></span><span>Declared at <code>${sourceText(difference ?? entry)}</code></span>${commit === null ? "" : markup`<span>Commit <code>${commit.slice(0, 12)}</code></span>`}${reason ? markup`<span>Because ${reason}</span>` : ""}`;
}

function causeNode({ cause, since, effect, changedBy }: SeenDifference): Markup {
  const word = cause === "drift" ? "drifted" : "pending";
  return markup`${badge(word)} ${directionNode({ cause, ...(effect && { effect }) })} <span><span class="t">for ${age(since)}</span>${changedBy && cause === "drift" ? `, ${authorText(changedBy)}` : ""}</span>`;
}

const most = 200;

function settingsTable(
  declared: Fields | null,
  difference: SeenDifference | undefined,
  hidden: readonly string[],
): Markup {
  if (declared === null && !difference) return markup`<p class="soft">Disabled as declared.</p>`;
  const { before, after } = difference ?? {};
  const live = (name: string) => {
    if (before === null) return markup`<span class="soft">not there</span>`;
    if (before && name in before) return valueNode(before[name], "not set", undefined, most);
    const known = declared && name in declared ? "as declared" : "unknown";
    return markup`<span class="soft">${hidden.includes(name) ? "not reported" : known}</span>`;
  };
  const wanted = (name: string) =>
    valueNode(declared?.[name] ?? after?.[name], declared === null ? "off" : "not set", undefined, most);
  const rows = [...fieldNamesOf({ before: before ?? null, after: declared })].sort().map((name) => {
    const cells = [markup`<td class="live-value">${live(name)}</td>`, markup`<td class="after">${wanted(name)}</td>`];
    return { name, cells, isDifferent: name in (before ?? {}) || name in (after ?? {}) };
  });
  return fieldsTable(["Live", "Declared"], rows);
}

function exceptionsNode({ project, entries }: ProjectSnapshot, fleet: FleetIndex | undefined): Markup {
  const ending = entries.filter(({ until }) => until !== undefined);
  const addresses = entries.map(({ kind, key }) => addressOf(project, kind, key));
  const rules = (fleet?.exceptions ?? []).filter(({ except }) =>
    except.map(addressMatcher).some((test) => addresses.some(test)),
  );
  if (ending.length + rules.length === 0) return markup``;
  const today = new Date().toISOString().slice(0, 10);
  const when = (until: string | undefined) =>
    until === undefined ? "never" : `${until}${until < today ? ", over" : ""}`;
  return markup`<section aria-labelledby="exceptions"><h2 id="exceptions">Exceptions and expiry dates</h2>
<div class="wide paper"><table class="stack"><thead><tr><th scope="col">Entry</th><th scope="col">Source</th><th scope="col">Last day</th><th scope="col">Reason</th></tr></thead><tbody>
${each(ending, ({ kind, key, policy, until, reason = "" }) => markup`<tr><th scope="row">${resourceName(kind, key)}</th><td>policy ${policy}</td><td data-label="last day">${when(until)}</td><td>${reason}</td></tr>`)}
${each(rules, ({ rule, except, until }) => markup`<tr><th scope="row">${except.slice(0, 3).join(", ")}</th><td>except of rule ${rule}</td><td data-label="last day">${when(until)}</td><td></td></tr>`)}</tbody></table></div></section>`;
}

const mostMoments = 20;

/** A run's effect on a project or its observation, and the number of earlier runs with the same observation. */
interface TimelineMoment {
  readonly run: RunSummary;
  readonly codes: readonly (readonly [rest: string, code: string])[];
  readonly earlier: readonly RunSummary[];
}

function timelineNode({ runs, live }: KnownState, { project }: ProjectSnapshot): Markup {
  const moments = collectMoments(runs, project);
  const none = moments.length === 0 ? markup`<p class="soft">No recorded run changed this project.</p>` : "";
  return markup`<section aria-labelledby="timeline"><h2 id="timeline">Runs and changes</h2>${none}
<ol class="timeline">${each(moments.slice(0, mostMoments), (each) => momentNode(each, live))}</ol>
${moments.length > mostMoments ? markup`<p><a href="${href("/runs", { project })}">All runs</a></p>` : ""}</section>`;
}

/** Newest first. Consecutive read-only runs with the same result are one moment. */
function collectMoments(runs: readonly RunSummary[], project: string): readonly TimelineMoment[] {
  const moments: (Omit<TimelineMoment, "earlier"> & {
    readonly fingerprint: string;
    readonly earlier: RunSummary[];
  })[] = [];
  for (const run of runs) {
    const codes = Object.entries(run.touched[project] ?? {});
    if (codes.length === 0) continue;
    const fingerprint = JSON.stringify([run.command, run.outcome, codes]);
    const last = moments.at(-1);
    if (last?.fingerprint === fingerprint && codes.every(([, code]) => code.length === 1)) last.earlier.push(run);
    else moments.push({ run, codes, fingerprint, earlier: [] });
  }
  return moments;
}

function momentNode({ run, codes, earlier }: TimelineMoment, live: LiveRuns): Markup {
  const more = codes.length - 6;
  const first = earlier.at(-1);
  const before = first
    ? markup`<li class="soft">the same in ${counted(earlier.length, "earlier run")}, since <a href="/runs/${first.run}">${moment(first.started)}</a></li>`
    : "";
  return markup`<li><span class="when">${moment(run.started)} <span class="soft">${ago(run.started)} ago</span></span> <a href="/runs/${run.run}">${run.command}</a> by ${run.who} ${runOutcomeNode(run, live)}${reasonNode(run)}
<ul>${each(codes.slice(0, 6), ([rest, code]) => markup`<li>${actionsText(code)} <code>${rest}</code></li>`)}${more > 0 ? markup`<li class="soft">and ${more} more</li>` : ""}${before}</ul></li>
`;
}

export function projectData(known: KnownState, seen: ProjectSnapshot): object {
  const { syncStatus: status, ...rest } = seen;
  return { ...rest, status, seen: lastSeen(seen, known.fleet) };
}
