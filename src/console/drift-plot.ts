import { counted, thousands } from "../base/text-format.ts";
import { each, type Markup, markup } from "../report/html/markup.ts";
import type { SyncStatus } from "../state/snapshots/snapshot.ts";
import type { FleetDay } from "./project-filter.ts";

/** What is not in sync, the lowest layer of the plot first. */
const layers: readonly { readonly syncStatus: SyncStatus; readonly name: string }[] = [
  { syncStatus: "drifted", name: "drifted" },
  { syncStatus: "pending", name: "pending" },
  { syncStatus: "unreadable", name: "unreadable" },
];

/** The drawing's own units; a page stretches it to its width. */
const [width, height] = [1000, 100] as const;

/** Projects that were not in sync, day by day, as stacked areas; the numbers are there as a table too. */
export function driftPlot(days: readonly FleetDay[]): Markup {
  if (!days.some(({ counts }) => counts)) return markup`<p class="soft calm">No run has seen the fleet yet.</p>`;
  const most = scaleFor(Math.max(1, ...days.map((day) => sumOf(day, layers.length))));
  const x = (index: number) => (index * width) / Math.max(1, days.length - 1);
  const y = (count: number) => (1 - count / most) * height;
  const ticks = [most, most / 2, 0].filter(Number.isInteger);
  return markup`<div class="plot"><ol class="ticks" aria-hidden="true">${each(ticks, (tick) => markup`<li>${thousands(tick)}</li>`)}</ol>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${summaryOf(days)}">
${each(ticks, (tick) => markup`<path class="grid" d="M0 ${y(tick)}H${width}"/>`)}
${each(layers, ({ syncStatus }, index) => markup`<path class="area ${syncStatus}" d="${areaPath(days, index, x, y)}"/>`)}
</svg>
<ol class="days" aria-hidden="true">${each(datesOf(days), (day) => markup`<li>${day}</li>`)}</ol></div>
<ul class="legend">${each(layers, ({ syncStatus, name }) => markup`<li class="${syncStatus}">${name}</li>`)}</ul>
<details class="numbers"><summary>As numbers</summary>${tableOf(days)}</details>`;
}

function sumOf({ counts }: FleetDay, upTo: number): number {
  return layers.slice(0, upTo).reduce((sum, { syncStatus }) => sum + (counts?.[syncStatus] ?? 0), 0);
}

/** The next number that people count to. */
function scaleFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

/** From the top of the layers below to its own, in steps of days. */
function areaPath(
  days: readonly FleetDay[],
  layer: number,
  x: (index: number) => number,
  y: (count: number) => number,
): string {
  const points = (upTo: number) => days.map((day, index) => `${x(index).toFixed(1)} ${y(sumOf(day, upTo)).toFixed(1)}`);
  return `M${points(layer + 1).join("L")}L${points(layer).toReversed().join("L")}Z`;
}

function datesOf(days: readonly FleetDay[]): readonly string[] {
  const last = days.length - 1;
  return [0, 0.25, 0.5, 0.75, 1].map((part) => days[Math.round(part * last)]?.day ?? "");
}

function summaryOf(days: readonly FleetDay[]): string {
  const sums = days.map((day) => sumOf(day, layers.length));
  const now = sums.at(-1) ?? 0;
  return `Projects not in sync over ${days.length} days: ${thousands(now)} now, ${thousands(Math.max(...sums))} at most`;
}

function tableOf(days: readonly FleetDay[]): Markup {
  const known = days.filter(({ counts }) => counts).toReversed();
  return markup`<div class="wide"><table><caption class="unseen">${counted(known.length, "day")}</caption><thead><tr><th scope="col">Day</th>${each(layers, ({ name }) => markup`<th scope="col" class="n">${name}</th>`)}<th scope="col" class="n">in sync</th></tr></thead><tbody>
${each(known, ({ day, counts }) => markup`<tr><th scope="row">${day}</th>${each(layers, ({ syncStatus }) => markup`<td class="n">${thousands(counts?.[syncStatus] ?? 0)}</td>`)}<td class="n">${thousands(counts?.["in sync"] ?? 0)}</td></tr>`)}</tbody></table></div>`;
}
