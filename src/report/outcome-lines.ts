import { commonForm, foldedAlike } from "../base/common-form.ts";
import { printable } from "../base/printable.ts";
import { firstFew } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import type { Palette } from "./palette.ts";
import { mark } from "./text-changes.ts";

/**
 * What became of changes, a line each; equal outcomes of the same change in many projects are one line with the
 * projects. What was not applied comes last, next to the counts.
 */
export function outcomeLines(changes: readonly PlannedChange[], palette: Palette): string {
  const isApplied = ({ outcome }: PlannedChange) => outcome?.status === "applied";
  const [applied, others] = [changes.filter(isApplied), changes.filter((change) => !isApplied(change))];
  return [...linesOf(applied, palette), ...linesOf(others, palette)].join("\n");
}

function linesOf(changes: readonly PlannedChange[], palette: Palette): readonly string[] {
  return foldedAlike(changes, formOf).flatMap((alike) => linesOfOneForm(alike, palette));
}

function formOf(planned: PlannedChange): string {
  const { kind, key, project, policy_effect, outcome: { status, error = "" } = { status: "skipped" } } = planned;
  return JSON.stringify([
    status,
    actionOf(planned),
    resourceName(kind, key),
    policy_effect,
    commonForm(error, project),
  ]);
}

function linesOfOneForm(
  [first, ...others]: readonly [PlannedChange, ...PlannedChange[]],
  palette: Palette,
): readonly string[] {
  if (others.length === 0) return [outcomeLine(first, palette)];
  const also = `also in ${firstFew(others.map(({ project }) => project))}`;
  return [outcomeLine(first, palette), `      ${palette.faint(printable(also))}`];
}

function outcomeLine(planned: PlannedChange, palette: Palette): string {
  const { address, outcome = { status: "skipped" }, policy_effect } = planned;
  const { status, error } = outcome;
  const paint = status === "applied" ? palette.add : palette.remove;
  const more = error === undefined ? policy_effect && `, ${policy_effect}` : `: ${error}`;
  return `  ${mark(planned, palette)} ${paint(status)} ${printable(`${address}${more ?? ""}`)}`;
}
