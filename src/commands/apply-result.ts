import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import type { Call, Outcome } from "../model/types.ts";
import { blockersOf, type Objection } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd } from "../plan/run-end.ts";
import { appliedText, outcomesText } from "../report/outcomes.ts";
import type { NextStep } from "../report/terminal.ts";
import { planText } from "../report/text.ts";
import type { Outcomes } from "../run/apply/apply.ts";
import type { DeploymentOptions } from "../run/deployments.ts";
import type { Applied, Request } from "../run/request.ts";
import { passed } from "./connected.ts";
import { waiversText } from "./next-steps.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export function untouched({ plan, stale, refused, compared }: Applied): Outcomes {
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

export function refusalText(objections: readonly Objection[], { resource_changes }: Plan): string {
  const who = blockersOf(objections);
  const has = (guard: Objection["guard"]) => objections.some((each) => each.guard === guard);
  const ways = has("loosening") || has("approvals") ? "" : waiversText({ objections, resource_changes });
  const way = ways ? ` If intended, re-run with ${ways}.` : "";
  const more = [...(has("approvals") ? [signing] : []), ...(has("rule") ? [exceptions] : [])].join("");
  return `error: blocked by ${who}; nothing was written.${way}${more}`;
}

const signing = " evenkeel approve signs a saved plan.";

const exceptions = " No option waives a rule: change what it objects to, or list the address under its except.";

/** The outcome. A saved plan is listed change by change, since its changes were not printed before. */
export function resultText(
  { palette }: Terminal,
  request: Request,
  { outcomes, refused, catalogue }: Applied,
  plan: Plan,
  next: readonly NextStep[],
): string {
  if (!outcomes) return refused ? planText(plan, catalogue, palette) : "";
  const isSaved = request.saved !== undefined || request.savedRun !== undefined;
  return isSaved ? appliedText(plan, catalogue, palette, next) : outcomesText(plan, palette, next);
}

export function codeOf(
  { interrupted }: Terminal,
  applied: Applied & { readonly rehearsed?: true },
  plan: Plan,
): ExitCode {
  const { outcomes, refused, stale, compared, rehearsed } = applied;
  const end = runEnd({ problems: plan.problems, outcomes, refused, stale, interrupted: interrupted.aborted });
  const declined = compared && !outcomes && !rehearsed && !stale;
  return exitCode({ ...end, problem: end.problem || declined });
}

export function planJson(document: Plan | (Plan & { readonly requests: readonly Call[] })): string {
  return JSON.stringify(document, null, 2);
}

export type Saved = Pick<Request, "saved" | "savedRun">;

/** The flag of an option: `dryRun` is `--dry-run`. */
export function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The requested deployment record, if any. @throws UserError naming every mistake. */
export function deploymentFrom(options: Options<"apply">): DeploymentOptions | undefined {
  const { recordDeployment: environment, deploymentProject: id, sha, ref, tag } = options;
  if (environment === undefined) {
    if (id === undefined && sha === undefined && ref === undefined && tag === undefined) return undefined;
    throw new UserError("--deployment-project, --sha, --ref and --tag need --record-deployment", exit.usage);
  }
  const { values } = passed("createDeployment", { id, environment, sha, ref, tag: tag ?? false }, otherNames);
  return { project: id ?? "", fields: values };
}

const otherNames: Readonly<Record<string, string>> = {
  id: "--deployment-project",
  environment: "--record-deployment",
};
