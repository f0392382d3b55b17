import { counted, thousands } from "../base/text-format.ts";
import { each, type Markup, markup } from "../report/html/markup.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { SyncStatus } from "../state/snapshots/snapshot.ts";
import type { FleetDay } from "./fleet-history.ts";

/** What is not in sync, the lowest layer of the plot first. */
const layers: readonly SyncStatus[] = ["drifted", "pending", "unreadable"];

/** The drawing's own units; a page stretches it to its width. */
const [width, height] = [1000, 100] as const;

/** Projects that were not in sync, as a column a day, with the runs that applied and those that failed. The numbers are there as a table too. */
export function driftPlot(days: readonly FleetDay[]): Markup {
  if (!days.some(({ counts }) => counts)) return markup`<p class="soft calm">No run has compared the fleet yet.</p>`;
  const most = scaleFor(Math.max(1, ...days.map((day) => sumOf(day, layers.length))));
  const x = (index: number) => Math.round((index * width * 10) / days.length) / 10;
  const y = (count: number) => Math.round((1 - count / most) * height * 10) / 10;
  const ticks = [most, most / 2, 0].filter(Number.isInteger);
  const isBlank = ({ counts }: FleetDay) => !counts;
  return markup`<div class="plot"><ol class="ticks" aria-hidden="true">${each(ticks, (tick) => markup`<li>${thousands(tick)}</li>`)}</ol>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${summaryOf(days)}">
<path class="gap" d="${stretches(days, isBlank)
    .map(([from, to]) => `M${x(from)} 0H${x(to)}V${height}H${x(from)}Z`)
    .join("")}"/>
${each(ticks, (tick) => markup`<path class="grid" d="M0 ${y(tick)}H${width}"/>`)}
${each(layers, (status, index) => markup`<path class="area ${status}" d="${areaPath(days, index, x, y)}"/>`)}
</svg>
<svg class="marks" viewBox="0 0 ${width} 20" preserveAspectRatio="none" aria-hidden="true">${marksOf(days, "applied", 5, x)}${marksOf(days, "failed", 14, x)}</svg>
<ol class="days" aria-hidden="true">${each(datesOf(days), (day) => markup`<li>${day}</li>`)}</ol></div>
<ul class="legend">${each(layers, (status) => markup`<li class="${status}">${status}</li>`)}<li class="gap">not compared</li><li class="applied mark">apply</li><li class="failed mark">failed or blocked</li></ul>
<details class="numbers"><summary>As numbers</summary>${tableOf(days)}</details>`;
}

function sumOf({ counts }: FleetDay, upTo: number): number {
  return layers.slice(0, upTo).reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
}

/** The next number that people count to. */
function scaleFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

/** Consecutive days that pass a test, as the first one and the one after the last. */
function stretches(
  days: readonly FleetDay[],
  test: (day: FleetDay) => boolean,
): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, day] of days.entries()) {
    const last = found.at(-1);
    if (!test(day)) continue;
    if (last?.[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}

/** Columns from the top of the layers below to the layer's own, without those of days on which nothing was compared. */
function areaPath(
  days: readonly FleetDay[],
  layer: number,
  x: (index: number) => number,
  y: (count: number) => number,
): string {
  const has = (day: FleetDay) => sumOf(day, layer + 1) > sumOf(day, layer);
  return stretches(days, has)
    .map(([from, to]) => {
      const indexes = Array.from({ length: to - from }, (_, index) => from + index);
      const top = (index: number, upTo: number) => y(sumOf(days[index] as FleetDay, upTo));
      const up = indexes.map((index) => `V${top(index, layer + 1)}H${x(index + 1)}`);
      const down = indexes.toReversed().map((index) => `V${top(index, layer)}H${x(index)}`);
      return `M${x(from)} ${top(from, layer)}${up.join("")}${down.join("")}Z`;
    })
    .join("");
}

function marksOf(days: readonly FleetDay[], of: "applied" | "failed", y: number, x: (index: number) => number) {
  return days.flatMap((day, index) => {
    if (day[of].length === 0) return [];
    const middle = (x(index) + x(index + 1)) / 2;
    return markup`<path class="mark ${of}" d="M${middle} ${y}h0"><title>${day.day}: ${day[of].map(runText).join("; ")}</title></path>`;
  });
}

function runText({ command, who, outcome, changes, reasons: [reason] = [] }: RunSummary): string {
  const what = outcome === "applied" ? `${command} of ${counted(changes, "change")}` : `${command} ${outcome}`;
  return `${what} by ${who}${reason === undefined ? "" : `, ${reason}`}`;
}

function datesOf(days: readonly FleetDay[]): readonly string[] {
  const last = days.length - 1;
  return [0, 0.25, 0.5, 0.75, 1].map((part) => days[Math.round(part * last)]?.day ?? "");
}

function summaryOf(days: readonly FleetDay[]): string {
  const sums = days.map((day) => sumOf(day, layers.length));
  const now = days.findLast(({ counts }) => counts);
  const last = now ? `${thousands(sumOf(now, layers.length))} on ${now.day}` : "";
  return `Projects not in sync over ${days.length} days: ${last}, ${thousands(Math.max(...sums))} at most`;
}

function tableOf(days: readonly FleetDay[]): Markup {
  const known = days.filter(({ counts, applied, failed }) => counts || applied.length + failed.length > 0).toReversed();
  return markup`<div class="wide"><table><caption class="unseen">${counted(known.length, "day")}</caption><thead><tr><th scope="col">Day</th>${each(layers, (status) => markup`<th scope="col" class="n">${status}</th>`)}<th scope="col" class="n">in sync</th><th scope="col">applies</th><th scope="col">failed or blocked</th></tr></thead><tbody>
${each(known, rowOf)}</tbody></table></div>`;
}

function rowOf({ day, counts, applied, failed }: FleetDay): Markup {
  const cells = [...layers, "in sync" as const].map((status) => (counts ? thousands(counts[status]) : "–"));
  return markup`<tr><th scope="row">${day}</th>${each(cells, (cell) => markup`<td class="n">${cell}</td>`)}<td>${runLinks(applied)}</td><td>${runLinks(failed)}</td></tr>`;
}

/** Runs of a day that are named one by one. */
const mostRuns = 3;

function runLinks(runs: readonly RunSummary[]): Markup {
  const more = runs.length - mostRuns;
  return markup`${each(runs.slice(0, mostRuns), ({ run, who }) => markup`<a href="/runs/${run}">${who}</a> `)}${more > 0 ? `and ${more} more` : ""}`;
}
