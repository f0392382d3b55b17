import { dayOf } from "../base/day.ts";
import { counted, thousands } from "../base/text-format.ts";
import { each, type Markup, markup } from "../report/html/markup.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { SyncStatus, SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { KnownState } from "./known-state.ts";

/** Layers of the plot, from the bottom. */
const layers: readonly SyncStatus[] = ["drifted", "pending", "unreadable"];

/** Height of the drawing; it is one unit wide per day, and stretched by the page. */
const height = 100;

export function driftPlot(days: readonly FleetDay[]): Markup {
  if (!days.some(({ counts }) => counts)) return markup`<p class="soft calm">No run has compared the fleet yet.</p>`;
  const sums = days.map((day) => sumLayers(day, layers.length));
  const now = days.findLast(({ counts }) => counts);
  const last = now ? `${thousands(sumLayers(now, layers.length))} on ${now.day}` : "";
  const label = `Projects not in sync over ${days.length} days: ${last}, ${thousands(Math.max(...sums))} at most`;
  const most = chooseScale(Math.max(1, ...sums));
  const y = (count: number) => Math.round((1 - count / most) * height * 10) / 10;
  const ticks = [most, most / 2, 0].filter(Number.isInteger);
  const dates = [0, 0.25, 0.5, 0.75, 1].map((part) => days[Math.round(part * (days.length - 1))]?.day ?? "");
  const blank = days.flatMap(({ counts }, index) => (counts ? [] : columnPath(index, 0, height)));
  return markup`<div class="plot"><ol class="ticks" aria-hidden="true">${each(ticks, (tick) => markup`<li>${thousands(tick)}</li>`)}</ol>
<svg viewBox="0 0 ${days.length} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
<path class="gap" d="${blank}"/>
${each(ticks, (tick) => markup`<path class="grid" d="M0 ${y(tick)}H${days.length}"/>`)}
${each(layers, (status, index) => markup`<path class="area ${status}" d="${areaPath(days, index, y)}"/>`)}
</svg>
<svg class="marks" viewBox="0 0 ${days.length} 20" preserveAspectRatio="none" aria-hidden="true">${marksNode(days, "applied", 5)}${marksNode(days, "failed", 14)}</svg>
<ol class="days" aria-hidden="true">${each([...new Set(dates)], (day) => markup`<li>${day}</li>`)}</ol></div>
<ul class="legend">${each(layers, (status) => markup`<li class="${status}">${status}</li>`)}<li class="gap">not compared</li><li class="applied mark">apply</li><li class="failed mark">failed or blocked</li></ul>
<details class="numbers"><summary>As numbers</summary>${tableNode(days)}</details>`;
}

function sumLayers({ counts }: FleetDay, upTo: number): number {
  return layers.slice(0, upTo).reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
}

/** The next round number: upper end of the scale. */
function chooseScale(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

function areaPath(days: readonly FleetDay[], layer: number, y: (count: number) => number): readonly string[] {
  return days.flatMap((day, index) => {
    const [from, to] = [sumLayers(day, layer), sumLayers(day, layer + 1)];
    return to > from ? columnPath(index, y(to), y(from)) : [];
  });
}

function columnPath(day: number, top: number, bottom: number): string {
  return `M${day} ${top}H${day + 1}V${bottom}H${day}Z`;
}

function marksNode(days: readonly FleetDay[], of: "applied" | "failed", y: number) {
  return days.flatMap((day, index) => {
    if (day[of].length === 0) return [];
    return markup`<path class="mark ${of}" d="M${index + 0.5} ${y}h0"><title>${day.day}: ${day[of].map(runText).join("; ")}</title></path>`;
  });
}

function runText({ command, who, outcome, changes, reasons: [reason] = [] }: RunSummary): string {
  const what = outcome === "applied" ? `${command} of ${counted(changes, "change")}` : `${command} ${outcome}`;
  return `${what} by ${who}${reason === undefined ? "" : `, ${reason}`}`;
}

function tableNode(days: readonly FleetDay[]): Markup {
  const shownDays = days
    .filter(({ counts, applied, failed }) => counts || applied.length + failed.length > 0)
    .toReversed();
  return markup`<div class="wide"><table><caption class="unseen">${counted(shownDays.length, "day")}</caption><thead><tr><th scope="col">Day</th>${each(layers, (status) => markup`<th scope="col" class="n">${status}</th>`)}<th scope="col" class="n">in sync</th><th scope="col">applies</th><th scope="col">failed or blocked</th></tr></thead><tbody>
${each(shownDays, dayRow)}</tbody></table></div>`;
}

function dayRow({ day, counts, applied, failed }: FleetDay): Markup {
  const cells = [...layers, "in sync" as const].map((status) => (counts ? thousands(counts[status]) : "–"));
  return markup`<tr><th scope="row">${day}</th>${each(cells, (cell) => markup`<td class="n">${cell}</td>`)}<td>${runLinks(applied)}</td><td>${runLinks(failed)}</td></tr>`;
}

const mostRuns = 3;

function runLinks(runs: readonly RunSummary[]): Markup {
  const more = runs.length - mostRuns;
  return markup`${each(runs.slice(0, mostRuns), ({ run, who }) => markup`<a href="/runs/${run}">${who}</a> `)}${more > 0 ? `and ${more} more` : ""}`;
}

/** A day of the fleet, in UTC. */
export interface FleetDay {
  readonly day: string;
  readonly counts: SyncStatusCounts | undefined;
  /** Runs that applied something, and runs that failed or were blocked; newest first. */
  readonly applied: readonly RunSummary[];
  readonly failed: readonly RunSummary[];
}

const unsuccessful = new Set(["failed", "refused"]);

const day = 86_400_000;

/** The last days, `most` at most, from the first one with a run on, oldest first. */
export function fleetDays({ runs }: Pick<KnownState, "runs">, most: number, now = Date.now()): readonly FleetDay[] {
  const oldest = Math.min(now, ...runs.slice(-1).map(({ started }) => Date.parse(started)));
  const days = Math.min(most, Math.floor(now / day) - Math.floor(oldest / day) + 1);
  const none = (): RunSummary[] => [];
  const shownDays = new Map(
    Array.from({ length: days }, (_, index) => {
      const name = dayOf(new Date(now - (days - 1 - index) * day));
      return [name, { day: name, counts: undefined as FleetDay["counts"], applied: none(), failed: none() }];
    }),
  );
  for (const run of runs) {
    const of = shownDays.get((run.ended ?? run.started).slice(0, 10));
    if (!of) continue;
    of.counts ??= run.fleet;
    if (run.command === "apply" && run.outcome === "applied") of.applied.push(run);
    if (unsuccessful.has(run.outcome ?? "")) of.failed.push(run);
  }
  return [...shownDays.values()];
}
