import { counted, thousands } from "../base/text-format.ts";
import { badge, each, type Markup, markup } from "../report/html/markup.ts";
import { clipped } from "../report/html/rows.ts";
import type { LiveRuns, RunSummary } from "../state/run-summary.ts";
import type { KnownState } from "./known-state.ts";
import {
  ago,
  dataLink,
  filterField,
  type ListPart,
  moment,
  mostRows,
  pageFields,
  pager,
  selectPage,
  span,
} from "./layout.ts";

export const runFilters = ["command", "outcome", "who", "project"] as const;

type WantedRuns = Readonly<Record<(typeof runFilters)[number], string>>;

export function filterRuns(
  { runs }: KnownState,
  { command, outcome, who, project }: WantedRuns,
): readonly RunSummary[] {
  return runs.filter(
    (run) =>
      (command === "" || run.command === command) &&
      (outcome === "" || (run.outcome ?? "did not finish") === outcome) &&
      (who === "" || run.who.toLowerCase().includes(who.toLowerCase())) &&
      (project === "" || run.touched[project] !== undefined),
  );
}

const noRuns = markup`<h1>No runs yet</h1>
<p class="lead">Every plan, drift and apply of this workspace is listed here: who ran it, when, and how it ended.</p>`;

export function runsPage(known: KnownState, wanted: WantedRuns, page: string | undefined): Markup {
  if (known.runs.length === 0) return noRuns;
  const found = filterRuns(known, wanted);
  const part = selectPage(foldRuns(found), page);
  return markup`<h1>Runs</h1>
<p class="lead">${counted(found.length, "run")}${found.length === known.runs.length ? "" : ` of ${thousands(known.runs.length)}`}, newest first; a saved plan and its apply are one row, and so are checks that saw the same as the one before. Plan, drift and watch runs are kept for 90 days.</p>
${formNode(known, wanted)}
${part.total === 0 ? markup`<p class="calm soft">No runs match these filters.</p>` : tableNode(part, known)}
${pager(part, "/runs", { ...wanted })}
${dataLink("/runs", { ...wanted })}`;
}

function formNode({ runs }: KnownState, wanted: WantedRuns): Markup {
  const choices = (all: readonly string[]) =>
    ["", ...[...new Set(all)].sort().slice(0, 20)].map((value) => [value, value || "any"] as const);
  const commands = choices(runs.map(({ command }) => command));
  const outcomes = choices(runs.map(({ outcome }) => outcome ?? "did not finish"));
  return markup`<form class="filters" action="/runs">${filterField("Command", "command", wanted.command, commands)}
${filterField("Outcome", "outcome", wanted.outcome, outcomes)}
${filterField("Who", "who", wanted.who)}
${filterField("Project", "project", wanted.project, [], "full path")}
<span class="go"><button>Show</button> <a href="/runs">Clear</a></span></form>`;
}

function tableNode({ rows }: ListPart<FoldedRun>, { live }: KnownState): Markup {
  return markup`<div class="wide paper"><table class="stack"><caption class="unseen">Runs</caption><thead><tr><th scope="col">Started</th><th scope="col">Command</th><th scope="col">Outcome</th><th scope="col" class="n">Changes</th><th scope="col">Who</th><th scope="col" class="roomy">Commit</th><th scope="col" class="n roomy">Took</th><th scope="col" class="n roomy">Reads</th></tr></thead>
<tbody>${each(rows, (row) => runRow(row, live))}</tbody></table></div>`;
}

function runRow({ run, planned, earlier }: FoldedRun, live: LiveRuns): Markup {
  const before = planned
    ? markup` <span class="why">planned by ${planned.who}, <a href="/runs/${planned.run}">${moment(planned.started)}</a></span>`
    : "";
  const first = earlier.at(-1);
  const same = first
    ? markup` <span class="why">the same in ${counted(earlier.length, "earlier run")} since <a href="/runs/${first.run}">${moment(first.started)}</a></span>`
    : "";
  const commit = run.commit ? markup`<code>${run.commit.slice(0, 7)}</code>` : "";
  return markup`<tr><th scope="row" class="t"><a href="/runs/${run.run}">${moment(run.started)}</a> <span class="soft roomy">${ago(run.started)} ago</span></th><td class="t">${run.command}</td><td>${runOutcomeNode(run, live)}${reasonNode(run)}${before}${same}</td><td class="n" data-label="changes">${run.changes ? thousands(run.changes) : ""}</td><td class="t">${run.who}</td><td class="t roomy">${commit}</td><td class="n roomy">${durationText(run)}</td><td class="n roomy">${run.reads === undefined ? "" : thousands(run.reads)}</td></tr>
`;
}

export function reasonNode({ reasons: [first, ...others] = [] }: RunSummary): Markup {
  if (first === undefined) return markup``;
  const more = others.length > 0 ? ` (+${others.length} more)` : "";
  return markup` <span class="why">${clipped(first, 120)}${more}</span>`;
}

export function durationText({ started, ended }: RunSummary): string {
  return ended === null ? "" : span(Date.parse(ended) - Date.parse(started));
}

const tones: Readonly<Record<string, string>> = {
  applied: "in sync",
  "in sync": "in sync",
  pending: "pending",
  drift: "drifted",
  stale: "pending",
  "not approved": "pending",
};

export function runOutcomeNode({ run, outcome, ended }: RunSummary, live: LiveRuns): Markup {
  if (ended === null && live.runs.has(run)) return badge("running");
  return badge(outcome ?? "did not finish", tones[outcome ?? ""] ?? "unreadable");
}

const actions: Readonly<Record<string, string>> = {
  "+": "create",
  "~": "update",
  r: "replace",
  x: "disable",
  "-": "delete",
};
const statuses: Readonly<Record<string, string>> = {
  a: "applied",
  f: "failed",
  k: "skipped",
  t: "stale",
  u: "unknown",
};

/** True if the code in a summary is of an applied change. */
export function wasApplied(code: string): boolean {
  return code[1] === "a";
}

/** True if the code in a summary is of a change that was attempted without success. */
export function wasUnsuccessful(code: string): boolean {
  return code.length > 1 && !wasApplied(code);
}

/** The code in a summary in words: `update, applied`; the action alone if it was only planned. */
export function actionsText(code: string): string {
  const [action = "", status = ""] = code;
  return [actions[action] ?? action, ...(status ? [statuses[status] ?? status] : [])].join(", ");
}

export interface FoldedRun {
  readonly run: RunSummary;
  readonly planned: RunSummary | undefined;
  /** Newest first. */
  readonly earlier: readonly RunSummary[];
}

/** Read-only commands that run repeatedly: the last of equal results suffices. */
const checks = new Set(["watch", "drift"]);

/** Runs, newest first: consecutive equal checks are joined, and a saved plan is in the row of its last apply. */
export function foldRuns(runs: readonly RunSummary[]): readonly FoldedRun[] {
  const folded: (FoldedRun & { readonly earlier: RunSummary[] })[] = [];
  const byName = new Map(runs.map((run) => [run.run, run]));
  const placed = new Set<string>();
  for (const run of runs) {
    const last = folded.at(-1);
    if (placed.has(run.run)) continue;
    if (last && isSameResult(last.earlier.at(-1) ?? last.run, run)) last.earlier.push(run);
    else {
      const planned = run.plan === undefined || placed.has(run.plan) ? undefined : byName.get(run.plan);
      if (planned) placed.add(planned.run);
      folded.push({ run, planned, earlier: [] });
    }
  }
  return folded;
}

function isSameResult(later: RunSummary, run: RunSummary): boolean {
  if (!checks.has(run.command) || run.ended === null) return false;
  const isAlike = (["command", "who", "outcome", "changes", "commit", "plan"] as const).every(
    (name) => later[name] === run[name],
  );
  return isAlike && JSON.stringify([later.fleet, later.reasons]) === JSON.stringify([run.fleet, run.reasons]);
}

export function runsData(runs: readonly RunSummary[], page: string | undefined): object {
  const part = selectPage(runs, page, mostRows);
  return { ...pageFields(part), runs: part.rows.map(({ touched: _, ...summary }) => summary) };
}
