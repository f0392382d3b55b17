import { type ExitCode, exit, type Facts } from "../base/exit.ts";
import { grouped } from "../base/grouped.ts";
import { commonForm, counted, thousands } from "../base/text-format.ts";
import { addressParts, resourceName } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Outcome, OutcomeStatus } from "../model/types.ts";
import { type Plan, type PlannedChange, planDigest } from "./plan.ts";

export interface RunEnd {
  readonly problems: readonly unknown[];
  /** The outcome of each change; undefined if nothing was to be written. */
  readonly outcomes?: ReadonlyMap<string, Outcome> | undefined;
  readonly refused?: readonly unknown[] | undefined;
  /** True if a saved plan is stale as a whole. */
  readonly stale?: boolean | undefined;
  readonly interrupted?: boolean;
}

/** Determines the end of a run, for its exit code (docs/running.md) and its history. */
export function runEnd({ problems, outcomes = new Map(), refused = [], stale = false, interrupted = false }: RunEnd) {
  const counts = countOutcomes([...outcomes.values()].filter(({ archived }) => !archived));
  return {
    interrupted,
    refused: refused.length > 0,
    problem: !stale && (problems.length > 0 || counts.failed + counts.unknown + counts.skipped > 0),
    stale: stale || counts.stale > 0,
  } satisfies Facts;
}

export function countOutcomes(outcomes: Iterable<Outcome>): Readonly<Record<OutcomeStatus, number>> {
  const counts = { applied: 0, failed: 0, skipped: 0, stale: 0, unknown: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

/** The end of a run in a word; undefined if the exit code is that of a completed run. */
export function endWord(code: ExitCode, differs: "drift" | "pending" = "pending"): string | undefined {
  return { ...words, [exit.pending]: differs }[code];
}

const words: Readonly<Partial<Record<ExitCode, string>>> = {
  [exit.interrupted]: "interrupted",
  [exit.refused]: "refused",
  [exit.problem]: "failed",
  [exit.stale]: "stale",
};

interface UnsuccessfulRun extends Pick<RunEnd, "outcomes"> {
  readonly problems: readonly ReportedProblem[];
  readonly refused?: readonly { readonly message: string }[] | undefined;
}

/** Explains why a run was refused, failed or left changes stale: a sentence per cause, those of most projects first. */
export function runReasons({ refused = [], problems, outcomes = new Map() }: UnsuccessfulRun): readonly string[] {
  const failed = [...outcomes].filter(([, { status }]) => status !== "applied" && status !== "skipped");
  const all = [
    ...problems.map(({ message, file, line, project }) => {
      return { message, where: file === undefined ? project : `${file}:${line}`, project };
    }),
    ...failed.map(([address, { error, status }]) => {
      return { message: error ?? status, where: address, project: addressParts(address)[0] };
    }),
  ];
  const causes = [...grouped(all, ({ message, project }) => commonForm(message, project)).values()];
  const details = causes
    .sort((a, b) => b.length - a.length)
    .map(([{ message, where }, ...others]) => {
      if (!where) return message;
      const more = `${message} (${where} and ${counted(others.length, "other")})`;
      return others.length === 0 ? `${where}: ${message}` : more;
    });
  return [...refused.map(({ message }) => message), ...sharedAdvice(outcomes), ...details];
}

/** A headline for each advice that several failed writes share: `132 of 132 writes refused: the token needs …`. */
function sharedAdvice(outcomes: ReadonlyMap<string, Outcome>): readonly string[] {
  const advices = [...outcomes.values()].flatMap(({ status, error = "" }) => {
    const [, advice] = status === "failed" ? (/ answered 40[13] .*; ([^;]+)$/s.exec(error) ?? []) : [];
    return advice === undefined ? [] : [advice];
  });
  return [...grouped(advices, (advice) => advice)].flatMap(([advice, { length }]) =>
    length > 1 ? [`${thousands(length)} of ${counted(outcomes.size, "write")} refused: ${advice}`] : [],
  );
}

/** Adds to the plan the outcome of each change, and each parameter that servers did not keep, once. */
export function withOutcomes(plan: Plan, outcomes: ReadonlyMap<string, Outcome> | undefined): Plan {
  if (!outcomes) return plan;
  const changes = plan.resource_changes.map((change): PlannedChange => {
    const outcome = outcomes.get(change.address);
    return outcome ? { ...change, outcome } : change;
  });
  const counts = countOutcomes(changes.flatMap(({ outcome }) => outcome ?? []));
  const done = {
    ...plan,
    summary: { ...plan.summary, outcomes: counts },
    resource_changes: changes,
    warnings: [...plan.warnings, ...reportNotKept(changes)],
  };
  return { ...done, digest: planDigest(done) };
}

function reportNotKept(changes: readonly PlannedChange[]): ReportedProblem[] {
  const lost = changes.flatMap(({ kind, key, address, outcome }) =>
    (outcome?.not_kept ?? []).map((name) => ({ parameter: `${resourceName(kind, key)}: ${name}`, address })),
  );
  return [...grouped(lost, ({ parameter }) => parameter)].map(([parameter, [{ address }, ...more]]) => {
    const where = more.length > 0 ? `${address} and ${more.length} more` : address;
    return {
      rule: "not-kept",
      message: `${parameter} is not as it was written: the server answered another value (${where})`,
    };
  });
}
