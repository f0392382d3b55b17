import { printable } from "../base/printable.ts";
import { paragraphs } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { waveLines } from "../plan/heading.ts";
import { highlightsOf } from "../plan/highlights.ts";
import type { Plan, PlannedChange, Summary } from "../plan/plan.ts";
import { type NextStep, nextStepsText } from "./next-steps.ts";
import { outcomeLines } from "./outcome-lines.ts";
import type { Palette } from "./palette.ts";
import { headText, highlightsText, objectionsText, problemsText } from "./text.ts";

/**
 * The result of an apply, for readers who know its plan: all failures, then the counts. Changes of waves that did not
 * start are listed only by wave.
 */
export function outcomesText(plan: Plan, palette: Palette, next: readonly NextStep[] = []): string {
  const idle = new Set(plan.summary.waves?.filter(({ status }) => status === "not started").map(({ wave }) => wave));
  const isIdle = ({ wave, outcome }: PlannedChange) => outcome?.status === "skipped" && wave && idle.has(wave);
  const unsuccessful = plan.resource_changes.filter(
    (each) => each.outcome && each.outcome.status !== "applied" && !isIdle(each),
  );
  return paragraphs([
    outcomeLines(unsuccessful, palette),
    wavesText(plan, palette),
    nextStepsText(next, palette),
    outcomeCounts(plan.summary, palette),
  ]);
}

/** The same for people who have not: every change with its outcome. */
export function appliedText(
  plan: Plan,
  catalogue: Catalogue,
  palette: Palette,
  next: readonly NextStep[] = [],
): string {
  return paragraphs([
    headText(plan, palette),
    highlightsText(highlightsOf(plan.resource_changes, catalogue), palette),
    outcomeLines(plan.resource_changes, palette),
    ...objectionsText(plan, palette),
    wavesText(plan, palette),
    problemsText(plan, palette),
    nextStepsText(next, palette),
    outcomeCounts(plan.summary, palette),
  ]);
}

/** The waves of an apply, a line each; empty where there are none. */
export function wavesText(plan: Plan, palette: Palette): string {
  const lines = waveLines(plan).map((line) => `  ${printable(line)}`);
  return lines.length > 0 ? [palette.strong("Waves"), ...lines].join("\n") : "";
}

function outcomeCounts({ outcomes }: Summary, palette: Palette): string {
  const parts = Object.entries(outcomes ?? {}).filter(([status, n]) => n > 0 || status === "applied");
  return palette.strong(`Apply: ${parts.map(([status, n]) => `${n} ${status}`).join(", ")}.`);
}
