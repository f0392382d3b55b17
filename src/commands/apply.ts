import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import type { Outcome, Problem } from "../model/types.ts";
import { blockersOf, type Objection } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd, withOutcomes } from "../plan/run-end.ts";
import { appliedText, outcomeLines, outcomesText, wavesText } from "../report/outcomes.ts";
import { remainingText } from "../report/runs.ts";
import type { Palette } from "../report/terminal.ts";
import { planText, requestsText } from "../report/text.ts";
import type { Outcomes } from "../run/apply/apply.ts";
import { withWaves } from "../run/apply/waves.ts";
import { apply, rehearse } from "../run/apply.ts";
import { type DeploymentOptions, deploying, recordCalls } from "../run/deployments.ts";
import { withProblems } from "../run/failed-plan.ts";
import type { Applied, Planned, Request } from "../run/request.ts";
import { planPath } from "../run/saved-plan.ts";
import { holderText } from "../state/lease.ts";
import type { Options } from "./command.ts";
import { checkArguments } from "./connected.ts";
import { stepsAfterApply, waiversText } from "./next-steps.ts";
import { noteUnrecorded, printMissingSecrets, printProblems } from "./outputs.ts";
import { type FindingsResult, follow, planForms, showingFindings } from "./plan-reports.ts";
import { requestOf } from "./run-request.ts";
import { noBar, type Terminal } from "./terminal.ts";

export const run = showingFindings<Options<"apply">, Plan>("apply", planForms, async (terminal, options, [file]) => {
  const saved = findSavedPlan(options, file);
  checkUsage(terminal, options, saved);
  const deployment = deploymentFrom(terminal, options);
  const request = toApplyRequest(terminal, options, saved);
  return options.dryRun ? runDryRun(terminal, request, deployment) : runApply(terminal, options, request, deployment);
});

function findSavedPlan({ plan: savedRun }: Options<"apply">, saved: string | undefined): Saved | undefined {
  if (saved !== undefined && savedRun !== undefined) {
    throw new UserError(`there are two plans, ${saved} and that of run ${savedRun}; give only one`, exit.usage);
  }
  if (savedRun !== undefined) return { savedRun };
  return saved === undefined ? undefined : { saved };
}

function checkUsage({ interactive }: Terminal, options: Options<"apply">, saved?: Saved): void {
  const { yes, dryRun, asOf } = options;
  const used = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unreviewed = used.filter((name) => decidesPlan.has(name));
  if (saved !== undefined && unreviewed.length > 0) {
    const names = unreviewed.map((name) => `--${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`).join(" and ");
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

/** Options that determine the contents of a plan, and so are rejected with a saved one (docs/safety.md). */
const decidesPlan: ReadonlySet<string> = new Set(["target", "exclude", "shard", "resend", "storage", "since", "asOf"]);

async function runDryRun(terminal: Terminal, request: Request, deployment?: DeploymentOptions) {
  const bar = terminal.progress("Reading");
  const { reading: progress, following } = follow(terminal, { reading: bar, writing: noBar });
  const rehearsed = await rehearse({ ...request, progress, following }).finally(bar.stop);
  const { requests: writes = [], outcomes, ...planned } = rehearsed;
  const records = deployment && writes.length > 0 ? recordCalls(deployment) : undefined;
  const requests = records ? [records.before, ...writes, records.after] : writes;
  const plan = withWaves(withOutcomes(planned.plan, outcomes), planned.waves);
  printProblems(terminal, plan);
  printMissingSecrets(terminal, planned.missing);
  const code = codeOf(terminal, { ...planned, ...(outcomes && { outcomes }), rehearsed: true }, plan);
  const { catalogue, compared } = planned;
  const { palette } = terminal;
  const headline = palette.strong(`Dry run: ${counted(requests.length, "request")} would be sent; none was.`);
  const skipped = plan.resource_changes.filter(({ outcome }) => outcome !== undefined && outcome.status !== "applied");
  const text = () =>
    paragraphs([
      ...[planText(plan, catalogue, palette), wavesText(plan, palette), headline],
      ...[requestsText(requests), outcomeLines(skipped, palette)],
    ]);
  return {
    text: () => (compared ? text() : ""),
    json: { ...plan, requests: requests.map(({ answer: _, ...each }) => each) },
    ...{ plan, catalogue, exitCode: code, compared },
  };
}

async function runApply(
  terminal: Terminal,
  options: Options<"apply">,
  request: Request,
  deployment: DeploymentOptions | undefined,
): Promise<FindingsResult> {
  const warnings: Problem[] = [];
  const warn = (problem: Problem) => void warnings.push(problem);
  const { interrupted, note, palette } = terminal;
  const around = deployment && { around: deploying(deployment, interrupted, { warn, note }) };
  const applied = withProblems(await applyWithBars(terminal, options, request, around), warnings);
  const done = withOutcomes(applied.plan, applied.outcomes ?? untouched(applied));
  const plan = applied.outcomes ? withWaves(done, applied.waves) : done;
  printProblems(terminal, plan);
  const code = codeOf(terminal, applied, plan);
  const { recorded, catalogue, compared, refused } = applied;
  const next = stepsAfterApply(plan, options, recorded && "run" in recorded ? recorded.run : undefined);
  return {
    text: () => {
      if (!applied.outcomes) return refused ? planText(plan, catalogue, palette) : "";
      // The changes of a saved plan were not printed before.
      const isSaved = request.saved !== undefined || request.savedRun !== undefined;
      return isSaved ? appliedText(plan, catalogue, palette, next) : outcomesText(plan, palette, next);
    },
    json: plan,
    ...{ plan, catalogue, exitCode: code, compared },
    after: () => {
      noteUnrecorded(terminal, applied);
      if (refused) terminal.warn(refusalText(refused, plan));
      else if (compared && !applied.outcomes) terminal.warn("error: not applied; nothing was written");
    },
  };
}

async function applyWithBars(
  terminal: Terminal,
  options: Options<"apply">,
  request: Request,
  around: { readonly around: ReturnType<typeof deploying> } | undefined,
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
    const changes = total === 1 ? "this change" : `these ${total} changes`;
    return !asks || total === 0 || terminal.confirm(`Make ${changes}? Type yes to continue:`);
  };
  const shown = follow(terminal, { reading, writing });
  const bar = { outcome: async () => shown.writing(++done, total) };
  const showMoves: Request["moving"] = (moves) => {
    writing.stop();
    moving.update(moves.done, moves.total, remainingText(moves.remaining));
  };
  try {
    return await apply(
      { ...request, progress: shown.reading, following: shown.following, moving: showMoves },
      { approve, watchers: [bar], ...around },
    );
  } finally {
    reading.stop();
    writing.stop();
    moving.stop();
  }
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

function toApplyRequest(terminal: Terminal, options: Options<"apply">, saved: Saved | undefined): Request {
  const { cwd, warn } = terminal;
  const { lockTimeout } = options;
  return {
    ...requestOf(terminal, options),
    command: "apply",
    waivers: { deletes: options.allowDeletes ?? 0, protected: new Set(options.allowProtected) },
    recheck: !options.yes && !options.dryRun && saved === undefined,
    ...(options.waves && { waves: options.waves }),
    again: saved ? "plan again, and apply that plan" : "run this command again",
    ...saved,
    ...(saved?.saved !== undefined && { saved: planPath(cwd, saved.saved) }),
    ...(lockTimeout !== undefined && { lockTimeout }),
    waiting: (holder) => warn(printable(`Waiting for ${holderText(holder)}, which applies since ${holder.since}.`)),
  };
}

function untouched({ plan, stale, refused, compared }: Applied): Outcomes {
  const why = refused?.length
    ? `blocked by ${blockersOf(refused)}`
    : compared && plan.problems.length === 0
      ? "not approved"
      : "not started";
  const outcome: Outcome = stale
    ? { status: "stale", error: "the manifests changed" }
    : { status: "skipped", error: why };
  return new Map(plan.resource_changes.map(({ address }) => [address, outcome]));
}

function refusalText(objections: readonly Objection[], { resource_changes }: Plan): string {
  const who = blockersOf(objections);
  const has = (guard: Objection["guard"]) => objections.some((each) => each.guard === guard);
  const ways = has("loosening") || has("approvals") ? "" : waiversText({ objections, resource_changes });
  const way = ways ? ` If intended, re-run with ${ways}.` : "";
  const signing = has("approvals") ? " evenkeel approve signs a saved plan." : "";
  const exceptions = " No option waives a rule: change what it objects to, or list the address under its except.";
  return `error: blocked by ${who}; nothing was written.${way}${signing}${has("rule") ? exceptions : ""}`;
}

function codeOf({ interrupted }: Terminal, applied: Applied & { readonly rehearsed?: true }, plan: Plan): ExitCode {
  const { outcomes, refused, stale, compared, rehearsed } = applied;
  const end = runEnd({ problems: plan.problems, outcomes, refused, stale, interrupted: interrupted.aborted });
  const declined = compared && !outcomes && !rehearsed && !stale;
  return exitCode({ ...end, problem: end.problem || declined });
}

type Saved = Pick<Request, "saved" | "savedRun">;

/** The requested deployment record, if any. @throws UserError naming every mistake. */
function deploymentFrom(terminal: Terminal, options: Options<"apply">): DeploymentOptions | undefined {
  const { recordDeployment: environment, deploymentProject: id, sha, ref, tag } = options;
  if (environment === undefined) return undefined;
  const fields = { id, environment, sha, ref, tag: tag ?? false };
  const others = { id: "--deployment-project", environment: "--record-deployment" };
  const { values } = checkArguments(terminal, "createDeployment", fields, { others });
  return { project: id ?? "", fields: values };
}
