import { shellWord } from "../base/text-format.ts";
import { type Plan, type PlannedChange, removalsOf } from "../plan/plan.ts";
import type { NextStep } from "../report/terminal.ts";
import type { Options } from "./command.ts";
import type { OnlineOptions } from "./run-request.ts";

type Scope = Pick<OnlineOptions, "C" | "target" | "exclude" | "since" | "storage" | "resend">;

type Saving = Scope & { readonly out?: string; readonly savedAs?: string | undefined };

export function stepsAfterPlan(plan: Plan, options: Saving): readonly NextStep[] {
  const { summary, scope, problems } = plan;
  if (summary.writes === 0) {
    if (summary.projects > 0 || scope || problems.length > 0) return [];
    return [[`${formatCommand("import", options)} --all --factor`, "writes what is live as policies"]];
  }
  const blocking = plan.objections.filter(({ waived, guard }) => !waived && !isWaivable.has(guard));
  if (blocking.length > 0) return blocking.every(({ guard }) => guard === "approvals") ? stepsToSign(options) : [];
  const { line, rest } = listWaivers(plan);
  const saved = savedPlan(options);
  const command =
    saved === undefined ? formatScopedCommand("apply", options) : `${formatCommand("apply", options)} ${saved}`;
  const what = saved === undefined ? "plans again, asks, and makes the changes" : "makes exactly these changes";
  const condition = line === "" && rest === "" ? "" : ", if the removals are intended";
  const more = rest === "" ? "" : `; add ${rest}`;
  const apply: NextStep = [[command, line].filter(Boolean).join(" "), `${what}${condition}${more}`];
  return saved === undefined ? [apply, savingStep(options, "saves the plan for a review")] : [apply];
}

function savedPlan({ out, savedAs }: Saving): string | undefined {
  if (out !== undefined) return shellWord(out);
  return savedAs && `--plan ${shellWord(savedAs)}`;
}

function stepsToSign(options: Saving): readonly NextStep[] {
  const saved = savedPlan(options);
  if (saved === undefined) return [savingStep(options, "saves the plan, so that it can be approved")];
  return [[`${formatCommand("approve", options)} ${saved}`, "signs the plan"]];
}

function savingStep(options: Scope, meaning: string): NextStep {
  return [`${formatScopedCommand("plan", options)} --out plan.json`, meaning];
}

const isWaivable: ReadonlySet<string> = new Set(["delete-percent", "protected"]);

export function stepsAfterDrift({ resource_changes: changes, summary }: Plan, options: Scope): readonly NextStep[] {
  if (summary.writes === 0) return [];
  const [first, second] = changes;
  const only = first && !second ? first.address : undefined;
  const shown = changes.find(isReported);
  const what = only === undefined ? (options.target ?? [shown?.address ?? ""]) : [only];
  const effect =
    only === undefined && !options.target
      ? "writes the live value into the manifests; a glob accepts several"
      : "keeps what is live, in the manifests";
  const target = only === undefined ? options : { ...options, target: [only] };
  const restore: NextStep = [formatScopedCommand("apply", target), "restores what the manifests declare"];
  return shown
    ? [[`${formatCommand("accept", options)} ${what.map(shellWord).join(" ")}`, effect], restore]
    : [restore];
}

/** True if the server reports a value that could be accepted; it never reports secrets. */
function isReported({ change }: PlannedChange): boolean {
  const { actions, after, after_sensitive: secrets } = change;
  return actions[0] !== "update" || Object.keys(after ?? {}).some((name) => !secrets[name]);
}

export function stepsAfterApply({ summary }: Plan, options: Scope, run?: string): readonly NextStep[] {
  const { outcomes } = summary;
  const left = Object.entries(outcomes ?? {}).some(([status, count]) => status !== "applied" && Number(count) > 0);
  const journal: NextStep[] = run
    ? [[`${formatCommand("journal", options)} ${run}`, "shows what was sent and answered"]]
    : [];
  if (left) return [[formatScopedCommand("plan", options), "shows what is left to do"], ...journal];
  return outcomes?.applied
    ? [[formatScopedCommand("drift", options), "checks that the server kept it"], ...journal]
    : [];
}

export function stepsAfterApproval({ plan, ...options }: Options<"approve">, file?: string): readonly NextStep[] {
  const which = plan === undefined ? shellWord(file ?? "") : `--plan ${shellWord(plan)}`;
  return [[`${formatCommand("apply", options)} ${which}`, "applies the plan, once it has enough signatures"]];
}

export function stepsAfterImport(options: Options<"import">, isLive: boolean, isValid: boolean): readonly NextStep[] {
  if (!isValid) return [[formatCommand("validate", options), "shows what to change first"]];
  const others: NextStep = [`${formatCommand("explain", options)} --kinds`, "lists other kinds, for import --kinds"];
  return [
    [formatCommand("plan", options), `compares the policies with the server${isLive ? ": no changes" : ""}`],
    ...(isLive && options.kinds === undefined ? [others] : []),
  ];
}

export function formatCommand(command: string, { C }: Pick<Scope, "C">): string {
  return `evenkeel ${command}${C === undefined ? "" : ` -C ${shellWord(C)}`}`;
}

function formatScopedCommand(
  command: string,
  { target = [], exclude = [], since, storage, resend = [], ...options }: Scope,
): string {
  const writes = command === "drift" ? [] : resend;
  return [
    formatCommand(command, options),
    ...target.map((glob) => `--target ${shellWord(glob)}`),
    ...exclude.map((glob) => `--exclude ${shellWord(glob)}`),
    ...(since === undefined ? [] : [`--since ${shellWord(since)}`]),
    ...(storage && command !== "drift" ? ["--storage"] : []),
    ...writes.map((glob) => `--resend ${shellWord(glob)}`),
  ].join(" ");
}

const mostWaivers = 8;

/** The narrowest options that let a plan pass its guards, with many addresses abbreviated; empty if no option does. */
export function waiversText(plan: Pick<Plan, "objections" | "resource_changes">): string {
  const { line, rest } = listWaivers(plan);
  return [line, rest].filter(Boolean).join(" ");
}

function listWaivers({ objections, resource_changes }: Pick<Plan, "objections" | "resource_changes">) {
  const isTooMuch = objections.some(({ guard }) => guard === "delete-percent");
  const deletes = isTooMuch ? [`--allow-deletes ${removalsOf({ resource_changes }).length}`] : [];
  const guarded = objections.filter(({ guard }) => guard === "protected").flatMap(({ addresses }) => addresses);
  const addresses = [...new Set(guarded)];
  const isFew = addresses.length <= mostWaivers;
  const allowed = isFew ? addresses.map((address) => `--allow-protected ${shellWord(address)}`) : [];
  return {
    line: [...deletes, ...allowed].join(" "),
    rest: isFew ? "" : `--allow-protected ADDRESS for each of the ${addresses.length} protected addresses`,
  };
}
