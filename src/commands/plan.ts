import { exitCode } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { firstFew, paragraphs } from "../base/text-format.ts";
import { blockersOf } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd } from "../plan/run-end.ts";
import { nextStepsText } from "../report/terminal.ts";
import { planText } from "../report/text.ts";
import { plan } from "../run/plan.ts";
import type { Planned, Request } from "../run/request.ts";
import type { Options, Run } from "./command.ts";
import { formatCommand, stepsAfterDrift, stepsAfterPlan, waiversText } from "./next-steps.ts";
import { noteUnrecorded, printMissingSecrets, printProblems } from "./outputs.ts";
import { follow, planForms, showingFindings } from "./plan-reports.ts";
import { requestOf } from "./run-request.ts";
import { noBar, type Terminal } from "./terminal.ts";

export const run: Run<Options<"plan">> = showPlans("plan");

export const drift: Run<Options<"drift">> = (terminal, options, args) =>
  showPlans("drift")(terminal, { ...options, detailedExitcode: true }, args);

function showPlans(command: "plan" | "drift"): Run<Options<"plan"> & Pick<Options<"drift">, "authors">> {
  return showingFindings(command, planForms, async (terminal, { out, ...asked }) => {
    const options = { ...asked, ...(out !== undefined && out !== "-" && { out }) };
    const result = await makePlan(command, terminal, options, out !== undefined);
    const { plan, catalogue, compared, missing, savedAs, recorded } = result;
    const refusals = listRefusals(plan, options);
    printProblems(terminal, plan);
    printMissingSecrets(terminal, missing);
    const exit = exitCode({
      ...runEnd({ problems: plan.problems, refused: refusals, interrupted: terminal.interrupted.aborted }),
      pending: options.detailedExitcode === true && plan.summary.writes > 0,
    });
    const steps = command === "drift" ? stepsAfterDrift(plan, options) : stepsAfterPlan(plan, { ...options, savedAs });
    const next = compared ? steps : [];
    const { palette } = terminal;
    const saved = options.out === undefined ? "" : printable(`Saved the plan to ${options.out}.`);
    const text = () => paragraphs([planText(plan, catalogue, palette, command), saved, nextStepsText(next, palette)]);
    return {
      text: () => (compared ? text() : ""),
      json: plan,
      ...{ plan, catalogue, exitCode: exit, compared, next },
      saved: options.save && recorded && "run" in recorded ? recorded.run : undefined,
      after: () => {
        noteUnrecorded(terminal, result);
        if (options.save && savedAs)
          terminal.warn(`Saved as ${savedAs}; to apply it: ${formatCommand("apply", options)} --plan ${savedAs}`);
        for (const refusal of refusals) terminal.warn(printable(refusal));
      },
    };
  });
}

async function makePlan(
  command: "plan" | "drift",
  terminal: Terminal,
  options: Options<"plan"> & Pick<Options<"drift">, "authors">,
  hasOut: boolean,
): Promise<Planned> {
  const bar = terminal.progress("Reading");
  const { reading: progress, following } = follow(terminal, { reading: bar, writing: noBar });
  const request: Request = {
    ...requestOf(terminal, options),
    ...(!terminal.unrecorded && { command }),
    ...(command === "drift" && options.authors !== false && { authors: true }),
    save: options.save === true,
    outlives: options.save === true || hasOut,
    ...{ progress, following },
  };
  return plan(request).finally(bar.stop);
}

function listRefusals({ objections, resource_changes }: Plan, { failOnGuard }: Options<"plan">): readonly string[] {
  const loosening = objections.filter(({ guard }) => guard === "loosening");
  const guards = objections.filter(({ guard }) => guard !== "loosening");
  const loosened = loosening.map(
    ({ addresses }) => `error: blocked by --fail-on-loosening: ${firstFew(addresses, 5)}.`,
  );
  if (!failOnGuard || guards.length === 0) return loosened;
  const ways = waiversText({ objections: guards, resource_changes });
  const way = ways ? ` If intended, apply with ${ways}.` : "";
  const unwaivable = guards.some(({ guard }) => guard === "rule") ? " No option waives a rule." : "";
  const who = blockersOf(guards);
  return [
    ...loosened,
    `error: blocked by --fail-on-guard: ${who} would block an apply of this plan.${way}${unwaivable}`,
  ];
}
