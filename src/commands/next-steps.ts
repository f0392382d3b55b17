import { shellWord } from "../base/shell-word.ts";
import { type Plan, removalsOf } from "../plan/plan.ts";
import type { NextStep } from "../report/next-steps.ts";
import type { OnlineOptions } from "./workspace-options.ts";

/** Options that make a command mean the same workspace and the same changes as the one before it. */
type Scope = Pick<OnlineOptions, "C" | "target" | "since"> & {
  readonly storage?: boolean;
  readonly resend?: readonly string[];
};

/** What follows a plan: applying it, or a workspace's first policies. */
export function stepsAfterPlan(plan: Plan, options: Scope & { readonly out?: string }): readonly NextStep[] {
  const { summary } = plan;
  if (summary.writes === 0) return summary.projects === 0 ? firstSteps(plan, options) : [];
  if (plan.objections.some(({ guard }) => !isWaivable.has(guard))) return [];
  const waivers = waiversText(plan);
  const allow = waivers === "" ? "" : ` ${waivers}`;
  const meant = waivers === "" ? "" : ", if the removals are intended";
  if (options.out !== undefined) {
    return [
      [`${commandIn("apply", options)} ${shellWord(options.out)}${allow}`, `makes exactly these changes${meant}`],
    ];
  }
  return [
    [`${commandFor("apply", options)}${allow}`, `plans again, asks, and makes the changes${meant}`],
    [`${commandFor("plan", options)} --out plan.json`, "saves the plan for a review"],
  ];
}

/** Guards that an option of `apply` waives. */
const isWaivable: ReadonlySet<string> = new Set(["delete-percent", "protected"]);

/** There is nothing to compare yet. */
function firstSteps({ scope, problems }: Plan, options: Scope): readonly NextStep[] {
  if (scope || problems.length > 0) return [];
  return [[`${commandIn("import", options)} --all --factor`, "writes what is live as policies"]];
}

/** What follows drift: either side can be right. */
export function stepsAfterDrift({ resource_changes: changes, summary }: Plan, options: Scope): readonly NextStep[] {
  if (summary.writes === 0) return [];
  const [first, second] = changes;
  const only = first && !second ? first.address : undefined;
  const what = only === undefined ? (options.target ?? ["ADDRESS"]) : [only];
  const target = only === undefined ? options : { ...options, target: [only] };
  return [
    [`${commandIn("accept", options)} ${what.map(shellWord).join(" ")}`, "keeps what is live, in the manifests"],
    [commandFor("apply", target), "restores what the manifests declare"],
  ];
}

/** What follows an apply: a look at what the server kept, or another try of what is left. */
export function stepsAfterApply(
  { summary: { outcomes } }: Pick<Plan, "summary">,
  options: Scope,
  run: string | undefined,
): readonly NextStep[] {
  const left = Object.entries(outcomes ?? {}).some(([status, count]) => status !== "applied" && Number(count) > 0);
  const journal: NextStep[] = run
    ? [[`${commandIn("journal", options)} ${run}`, "shows what was sent and answered"]]
    : [];
  if (left) return [[commandFor("plan", options), "shows what is left to do"], ...journal];
  return outcomes?.applied ? [[commandFor("drift", options), "checks that the server kept it"], ...journal] : [];
}

/** What follows an import: of live state, which is as the policies declare, or of files, which may declare something else. */
export function stepsAfterImport(
  options: Pick<Scope, "C"> & { readonly kinds?: readonly string[] },
  { isLive, isValid }: { readonly isLive: boolean; readonly isValid: boolean },
): readonly NextStep[] {
  if (!isValid) return [[commandIn("validate", options), "shows what to change first"]];
  const others: NextStep = [`${commandIn("explain", options)} --kinds`, "lists other kinds, for import --kinds"];
  return [
    [commandIn("plan", options), `compares the policies with the server${isLive ? ": no changes" : ""}`],
    ...(isLive && options.kinds === undefined ? [others] : []),
  ];
}

function commandIn(command: string, { C }: Pick<Scope, "C">): string {
  return `evenkeel ${command}${C === undefined ? "" : ` -C ${shellWord(C)}`}`;
}

function commandFor(command: string, { target = [], since, storage, resend = [], ...options }: Scope): string {
  const writes = command === "drift" ? [] : resend;
  return [
    commandIn(command, options),
    ...target.map((glob) => `--target ${shellWord(glob)}`),
    ...(since === undefined ? [] : [`--since ${shellWord(since)}`]),
    ...(storage && command !== "drift" ? ["--storage"] : []),
    ...writes.map((glob) => `--resend ${shellWord(glob)}`),
  ].join(" ");
}

/** More of them make no line that anyone reads. */
const mostWaivers = 8;

/** The narrowest options that let a plan pass its guards, those of many addresses in words; empty where none does. */
export function waiversText({ objections, resource_changes }: Pick<Plan, "objections" | "resource_changes">): string {
  const isTooMuch = objections.some(({ guard }) => guard === "delete-percent");
  const deletes = isTooMuch ? [`--allow-deletes ${removalsOf({ resource_changes }).length}`] : [];
  const guarded = objections.filter(({ guard }) => guard === "protected").flatMap(({ addresses }) => addresses);
  return [...deletes, ...protectedWaivers([...new Set(guarded)])].join(" ");
}

function protectedWaivers(addresses: readonly string[]): readonly string[] {
  if (addresses.length <= mostWaivers) return addresses.map((address) => `--allow-protected ${shellWord(address)}`);
  return [`--allow-protected ADDRESS for each of the ${addresses.length} protected addresses`];
}
