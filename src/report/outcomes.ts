import { printable } from "../base/printable.ts";
import { commonForm, firstFew, foldedAlike, paragraphs } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { waveLines } from "../plan/heading.ts";
import { actionOf, type Plan, type PlannedChange, type Summary } from "../plan/plan.ts";
import { type NextStep, nextStepsText, type Palette } from "./terminal.ts";
import { headText, objectionsText, problemsText, sectionText, signText } from "./text.ts";
import { planView } from "./view.ts";

/** Equal outcomes of the same change share a line; unsuccessful ones come last, next to the counts. */
export function outcomeLines(changes: readonly PlannedChange[], palette: Palette): string {
  const isApplied = ({ outcome }: PlannedChange) => outcome?.status === "applied";
  const [applied, others] = [changes.filter(isApplied), changes.filter((change) => !isApplied(change))];
  return [...formatOutcomes(applied, palette), ...formatOutcomes(others, palette)].join("\n");
}

function formatOutcomes(changes: readonly PlannedChange[], palette: Palette): readonly string[] {
  return foldedAlike(changes, toForm).flatMap(([first, ...others]) => {
    const also = `also in ${firstFew(others.map(({ project }) => project))}`;
    return [outcomeLine(first, palette), ...(others.length > 0 ? [`      ${palette.faint(printable(also))}`] : [])];
  });
}

function toForm(planned: PlannedChange): string {
  const { kind, key, project, policy_effect, outcome: { status, error = "" } = { status: "skipped" } } = planned;
  const name = resourceName(kind, key);
  return JSON.stringify([status, actionOf(planned), name, policy_effect, commonForm(error, project)]);
}

function outcomeLine(planned: PlannedChange, palette: Palette): string {
  const { address, outcome = { status: "skipped" }, policy_effect } = planned;
  const { status, error } = outcome;
  const paint = status === "applied" ? palette.add : palette.remove;
  const more = error === undefined ? policy_effect && `, ${policy_effect}` : `: ${error}`;
  return `  ${signText({ sign: actionOf(planned) }, palette)} ${paint(status)} ${printable(`${address}${more ?? ""}`)}`;
}

/**
 * The result of an apply for readers of its plan: all failures, then the counts. Changes of waves that did not start
 * are listed only by wave.
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

/** The result of an apply for readers who have not seen the plan: every change with its outcome. */
export function appliedText(
  plan: Plan,
  catalogue: Catalogue,
  palette: Palette,
  next: readonly NextStep[] = [],
): string {
  const view = planView(plan, catalogue);
  return paragraphs([
    headText(plan, palette),
    sectionText(view, "first", palette),
    outcomeLines(plan.resource_changes, palette),
    ...objectionsText(view, palette),
    wavesText(plan, palette),
    problemsText(plan, palette),
    nextStepsText(next, palette),
    outcomeCounts(plan.summary, palette),
  ]);
}

export function wavesText(plan: Plan, palette: Palette): string {
  const lines = waveLines(plan).map((line) => `  ${printable(line)}`);
  return lines.length > 0 ? [palette.strong("Waves"), ...lines].join("\n") : "";
}

function outcomeCounts({ outcomes }: Summary, palette: Palette): string {
  const parts = Object.entries(outcomes ?? {}).filter(([status, n]) => n > 0 || status === "applied");
  return palette.strong(`Apply: ${parts.map(([status, n]) => `${n} ${status}`).join(", ")}.`);
}
