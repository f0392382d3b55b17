import { type ExitCode, exitCode } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { firstFew, paragraphs } from "../base/text-format.ts";
import { blockersOf } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd } from "../plan/run-end.ts";
import { type NextStep, nextStepsText } from "../report/terminal.ts";
import { driftText, planText } from "../report/text.ts";
import { plan } from "../run/plan.ts";
import type { Planned, Request } from "../run/request.ts";
import type { Options, Run } from "./command.ts";
import { formatCommand, stepsAfterDrift, stepsAfterPlan, waiversText } from "./next-steps.ts";
import { noteUnrecorded, outInPlace, printMissingSecrets, printProblems, writeTo } from "./outputs.ts";
import { follow, openPlanReports } from "./plan-reports.ts";
import { folderOf, globsOf, requestOf, targetFaultIn } from "./run-request.ts";
import { noBar, type Terminal } from "./terminal.ts";

export const run: Run<Options<"plan">> = (terminal, options) => planAs("plan", terminal, options);

export async function planAs(
  command: "plan" | "drift",
  terminal: Terminal,
  asked: Options<"plan">,
  authors = false,
): Promise<ExitCode> {
  const options = outInPlace(terminal, asked);
  const write = await openPlanReports(terminal, command, options);
  const result = await makePlan(command, terminal, asked, authors);
  const { plan, catalogue, compared, missing } = result;
  const json = () => JSON.stringify(plan, null, 2);
  const refusals = listRefusals(plan, options);
  printProblems(terminal, plan);
  printMissingSecrets(terminal, missing);
  if (options.out) writeTo(terminal, options.out, json());
  const code = exitCode({
    ...runEnd({ problems: plan.problems, refused: refusals, interrupted: terminal.interrupted.aborted }),
    pending: options.detailedExitcode === true && plan.summary.writes > 0,
  });
  const { savedAs } = result;
  const steps = command === "drift" ? stepsAfterDrift(plan, options) : stepsAfterPlan(plan, { ...options, savedAs });
  const next = compared ? steps : [];
  const text = () => (compared ? planAndNext(command, terminal, options, result, next) : "");
  const saved = options.save && result.recorded && "run" in result.recorded ? result.recorded.run : undefined;
  write({ text, json }, { plan, catalogue, exitCode: code, compared, next, saved });
  noteRecord(terminal, options, result);
  for (const refusal of refusals) terminal.warn(printable(refusal));
  return code;
}

function planAndNext(
  command: "plan" | "drift",
  { palette }: Terminal,
  options: Options<"plan">,
  { plan, catalogue }: Planned,
  next: readonly NextStep[],
): string {
  const text = command === "drift" ? driftText(plan, catalogue, palette) : planText(plan, catalogue, palette);
  const saved = options.out === undefined ? "" : printable(`Saved the plan to ${options.out}.`);
  return paragraphs([text, saved, nextStepsText(next, palette)]);
}

async function makePlan(
  command: "plan" | "drift",
  terminal: Terminal,
  options: Options<"plan">,
  authors: boolean,
): Promise<Planned> {
  const bar = terminal.progress("Reading");
  const { reading: progress, following } = follow(terminal, { reading: bar, writing: noBar });
  const request: Request = {
    ...requestOf(terminal, options),
    ...(!terminal.unrecorded && { command }),
    ...(authors && { authors }),
    storage: options.storage === true,
    resend: globsOf("--resend", options.resend, targetFaultIn(folderOf(terminal, options))),
    save: options.save === true,
    outlives: options.save === true || options.out !== undefined,
    ...{ progress, following },
  };
  return plan(request).finally(bar.stop);
}

function noteRecord(terminal: Terminal, options: Options<"plan">, planned: Planned): void {
  const { savedAs } = planned;
  noteUnrecorded(terminal, planned);
  if (!options.save || !savedAs) return;
  terminal.warn(`Saved as ${savedAs}; to apply it: ${formatCommand("apply", options)} --plan ${savedAs}`);
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

export const drift: Run<Options<"drift">> = (terminal, options) =>
  planAs("drift", terminal, { ...options, detailedExitcode: true }, options.authors !== false);
