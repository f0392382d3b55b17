import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import type { Call, Problem } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import { withOutcomes } from "../plan/run-end.ts";
import { outcomeLines, wavesText } from "../report/outcomes.ts";
import { remainingText } from "../report/runs.ts";
import type { Palette } from "../report/terminal.ts";
import { planText, requestsText } from "../report/text.ts";
import { withWaves } from "../run/apply/waves.ts";
import { apply, rehearse } from "../run/apply.ts";
import { type DeploymentOptions, deploying, recordCalls } from "../run/deployments.ts";
import { withProblems } from "../run/failed-plan.ts";
import type { Applied, Planned, Request } from "../run/request.ts";
import { planPath } from "../run/saved-plan.ts";
import { holderText } from "../state/lease.ts";
import {
  codeOf,
  deploymentFrom,
  optionOf,
  planJson,
  refusalText,
  resultText,
  type Saved,
  untouched,
} from "./apply-result.ts";
import type { Run } from "./command.ts";
import { stepsAfterApply } from "./next-steps.ts";
import { noteUnrecorded, printMissingSecrets, printProblems } from "./outputs.ts";
import { follow, openPlanReports, type WriteReports } from "./plan-reports.ts";
import { folderOf, globsOf, requestOf, targetFaultIn } from "./run-request.ts";
import type { Options } from "./table.ts";
import { noBar, type Progress, type Terminal } from "./terminal.ts";

export const run: Run<Options<"apply">> = async (terminal, options, [file]) => {
  const saved = findSavedPlan(options, file);
  const write = await openPlanReports(terminal, "apply", options);
  checkUsage(terminal, options, saved);
  const deployment = deploymentFrom(options);
  const asked = { request: toApplyRequest(terminal, options, saved), deployment };
  return options.dryRun ? rehearsing(terminal, asked, write) : applying(terminal, options, asked, write);
};

function findSavedPlan({ plan: savedRun }: Options<"apply">, saved: string | undefined): Saved | undefined {
  if (saved !== undefined && savedRun !== undefined) {
    throw new UserError(`there are two plans, ${saved} and that of run ${savedRun}; give only one`, exit.usage);
  }
  if (savedRun !== undefined) return { savedRun };
  return saved === undefined ? undefined : { saved };
}

interface ApplyRequest {
  readonly request: Request;
  readonly deployment: DeploymentOptions | undefined;
}

function checkUsage({ interactive }: Terminal, options: Options<"apply">, saved?: Saved): void {
  const { yes, dryRun, asOf } = options;
  const used = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unreviewed = used.filter((name) => decidesPlan.has(name));
  if (saved !== undefined && unreviewed.length > 0) {
    const names = unreviewed.map(optionOf).join(" and ");
    throw new UserError(`a saved plan is applied as it was reviewed; plan again to use ${names}`, exit.usage);
  }
  if (asOf && !dryRun) throw new UserError("--as-of shows another day: apply takes it only with --dry-run", exit.usage);
  if (!yes && !dryRun && !saved && !interactive) {
    throw new UserError(
      "apply asks before it writes, and stdin is not a terminal: pass --yes or a saved plan",
      exit.usage,
    );
  }
}

/** Options that determine the contents of a plan, and so are rejected with a saved one (docs/running.md). */
const decidesPlan: ReadonlySet<string> = new Set(["target", "exclude", "shard", "resend", "storage", "since", "asOf"]);

async function rehearsing(
  terminal: Terminal,
  { request, deployment }: ApplyRequest,
  write: WriteReports,
): Promise<ExitCode> {
  const bar = terminal.progress("Reading");
  const { reading: progress, following } = follow(terminal, { reading: bar, writing: noBar });
  const rehearsed = await rehearse({ ...request, progress, following }).finally(bar.stop);
  const { requests: writes = [], outcomes, ...planned } = rehearsed;
  const requests = deployment ? recordedRequests(writes, deployment) : writes;
  const plan = withWaves(withOutcomes(planned.plan, outcomes), planned.waves);
  printProblems(terminal, plan);
  printMissingSecrets(terminal, planned.missing);
  const code = codeOf(terminal, { ...planned, ...(outcomes && { outcomes }), rehearsed: true }, plan);
  const { catalogue, compared } = planned;
  write(
    {
      text: () => (compared ? rehearsalText(terminal, { ...planned, plan }, requests) : ""),
      json: () => planJson({ ...plan, requests: requests.map(({ answer: _, ...request }) => request) }),
    },
    { plan, catalogue, exitCode: code, compared },
  );
  return code;
}

function recordedRequests(writes: readonly Call[], deployment: DeploymentOptions): readonly Call[] {
  const { before, after } = recordCalls(deployment);
  return writes.length > 0 ? [before, ...writes, after] : writes;
}

function rehearsalText({ palette }: Terminal, { plan, catalogue }: Planned, requests: readonly Call[]): string {
  const headline = palette.strong(`Dry run: ${counted(requests.length, "request")} would be sent; none was.`);
  const skipped = plan.resource_changes.filter(({ outcome }) => outcome !== undefined && outcome.status !== "applied");
  return [
    ...[planText(plan, catalogue, palette), wavesText(plan, palette), headline],
    ...[requestsText(requests), outcomeLines(skipped, palette)],
  ]
    .filter(Boolean)
    .join("\n\n");
}

async function applying(
  terminal: Terminal,
  options: Options<"apply">,
  asked: ApplyRequest,
  write: WriteReports,
): Promise<ExitCode> {
  const warnings: Problem[] = [];
  const warn = (problem: Problem) => void warnings.push(problem);
  const applied = withProblems(await applyWithBars(terminal, options, asked, warn), warnings);
  const done = withOutcomes(applied.plan, applied.outcomes ?? untouched(applied));
  const plan = applied.outcomes ? withWaves(done, applied.waves) : done;
  printProblems(terminal, plan);
  const code = codeOf(terminal, applied, plan);
  const { recorded } = applied;
  const next = stepsAfterApply(plan, options, recorded && "run" in recorded ? recorded.run : undefined);
  write(
    { text: () => resultText(terminal, asked.request, applied, plan, next), json: () => planJson(plan) },
    { plan, catalogue: applied.catalogue, exitCode: code, compared: applied.compared },
  );
  noteUnrecorded(terminal, applied);
  if (applied.refused) terminal.warn(refusalText(applied.refused, plan));
  else if (applied.compared && !applied.outcomes) terminal.warn("error: not applied; nothing was written");
  return code;
}

async function applyWithBars(
  terminal: Terminal,
  options: Options<"apply">,
  { request, deployment }: ApplyRequest,
  warn: (problem: Problem) => void,
): Promise<Applied> {
  const reading = terminal.progress("Reading");
  const writing = terminal.progress("Applying");
  const moving = terminal.progress("Moving");
  let total = 0;
  let done = 0;
  const approve = async (planned: Planned): Promise<boolean> => {
    reading.stop();
    total = planned.plan.resource_changes.length;
    const asks = request.recheck === true;
    if (request.saved === undefined && request.savedRun === undefined) showPlan(terminal, options, planned, asks);
    return !asks || total === 0 || terminal.confirm(question(planned.plan));
  };
  const shown = follow(terminal, { reading, writing });
  const bar = { outcome: async () => shown.writing(++done, total) };
  const { interrupted, note } = terminal;
  const around = deployment && { around: deploying(deployment, interrupted, { warn, note }) };
  try {
    return await apply(
      { ...request, progress: shown.reading, following: shown.following, moving: movingBar(writing, moving) },
      { approve, watchers: [bar], ...around },
    );
  } finally {
    reading.stop();
    writing.stop();
    moving.stop();
  }
}

function movingBar(writing: Progress, moving: Progress): NonNullable<Request["moving"]> {
  return ({ done, total, remaining }) => {
    writing.stop();
    moving.update(done, total, remainingText(remaining));
  };
}

/** Prints the plan before the outcome; also if a report replaces the text and a person has to confirm. */
function showPlan(
  terminal: Terminal,
  { report }: Options<"apply">,
  { plan, catalogue, waves }: Planned,
  asks: boolean,
): void {
  const replaced = report?.some((each) => !each.includes("="));
  const shown = (palette: Palette) =>
    paragraphs([planText(plan, catalogue, palette), wavesText(withWaves(plan, waves), palette)]);
  if (!replaced) terminal.print(`${shown(terminal.palette)}\n`);
  else if (asks) terminal.warn(shown(terminal.warnings));
}

function question({ resource_changes: { length } }: Plan): string {
  return `Make ${length === 1 ? "this change" : `these ${length} changes`}? Type yes to continue:`;
}

function toApplyRequest(terminal: Terminal, options: Options<"apply">, saved: Saved | undefined): Request {
  const { cwd, warn } = terminal;
  const { lockTimeout } = options;
  return {
    ...requestOf(terminal, options),
    command: "apply",
    waivers: { deletes: options.allowDeletes ?? 0, protected: new Set(options.allowProtected) },
    resend: globsOf("--resend", options.resend, targetFaultIn(folderOf(terminal, options))),
    storage: options.storage === true,
    recheck: asksFirst(options, saved),
    ...(options.waves && { waves: options.waves }),
    again: saved ? "plan again, and apply that plan" : "run this command again",
    ...saved,
    ...(saved?.saved !== undefined && { saved: planPath(cwd, saved.saved) }),
    ...(lockTimeout !== undefined && { lockTimeout }),
    waiting: (holder) => warn(printable(`Waiting for ${holderText(holder)}, which applies since ${holder.since}.`)),
  };
}

function asksFirst({ yes, dryRun }: Options<"apply">, saved: Saved | undefined): boolean {
  return !yes && !dryRun && saved === undefined;
}
