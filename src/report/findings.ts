import { createHash } from "node:crypto";
import { type ExitCode, exit } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Action, OutcomeStatus, Place } from "../model/types.ts";
import { lineOf, urgencyOf } from "../plan/groups.ts";
import { commitText, scopeText } from "../plan/heading.ts";
import { highlightLine, highlightsOf } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";

/** The parts of a plan that may require action. */
export type Actionable = Pick<Plan, "resource_changes" | "objections" | "problems" | "warnings"> & Partial<Made>;

/** What the plan is of; mistakes that were found without one have none. */
type Made = Pick<Plan, "created_at" | "manifests" | "scope">;

export type Level = "error" | "warning" | "note";

/** One thing to act on, as reviewing tools know them: SARIF results, test cases, annotations. */
export interface ReviewFinding {
  /** What it is a finding about. */
  readonly on: "highlight" | "change" | "guard" | "problem";
  /** Stable: `planned-update`, `apply-failed`, `guard-protected`, or the rule of a problem. */
  readonly rule: string;
  readonly level: Level;
  /** One line, without control characters. */
  readonly message: string;
  /** `file` relative to the repository; the first line of evenkeel.yaml where nothing more specific is known. */
  readonly place: Place;
  /** The address that it is about, and the project. */
  readonly address: string | undefined;
  readonly project: string | undefined;
  /** Unique within a run; the same in the next one, wherever lines have moved meanwhile. */
  readonly fingerprint: string;
}

/** Where and how the findings came up. */
export interface Circumstances {
  /** From the repository to the workspace: empty, or ending in a slash. */
  readonly folder: string;
  readonly exitCode: ExitCode;
  /** That of the workspace, with its own kinds. */
  readonly catalogue: Catalogue;
}

/** Everything to act on, the worst first. Changes that were applied are no longer anything to act on. */
export function findingsOf(found: Actionable, circumstances: Circumstances): ReviewFinding[] {
  const { folder, exitCode } = circumstances;
  const guards = (waived = false) => (exitCode === exit.refused && !waived ? "error" : "warning");
  const all = [
    ...found.problems.map((problem) => problemFinding(problem, "error")),
    ...found.objections.map(
      ({ guard, message, waived }): Draft => ({
        on: "guard",
        rule: `guard-${guard}`,
        level: guards(waived),
        message: waived ? `waived: ${message}` : message,
      }),
    ),
    ...byUrgency(found.resource_changes).flatMap((change) => changeFinding(change) ?? []),
    ...found.warnings.map((warning) => problemFinding(warning, "warning")),
  ];
  return withFingerprints(worstFirst(all)).map((draft) => finished(draft, folder));
}

/** Digits of a commit's ID, however long. */
const wholeCommit = 64;

/** What stands at the head of a report: what it is of, and what to look at first; named texts, none where there is neither. */
export function headOf(
  { created_at: made, manifests, scope, resource_changes }: Actionable,
  catalogue: Catalogue,
): Record<string, string> {
  const commit = (manifests && commitText(manifests, wholeCommit)) || undefined;
  const only = scopeText(scope) || undefined;
  const facts = Object.entries({ made, commit, only }).filter(([, text]) => text !== undefined);
  const first = highlightsOf(resource_changes, catalogue).map((each) => [each.topic, highlightLine(each)]);
  return Object.fromEntries([...first, ...facts].map(([name, text = ""]) => [name, inOneLine(text)]));
}

/**
 * The same with a finding for each thing that a reviewer should see first, for renderers that show nothing but findings:
 * below errors, above all else. What was applied is no longer anything to act on.
 */
export function reviewFindings(found: Actionable, circumstances: Circumstances): ReviewFinding[] {
  const pending = found.resource_changes.filter(({ outcome }) => outcome?.status !== "applied");
  const drafts = highlightsOf(pending, circumstances.catalogue).map((highlight): Draft => {
    const { topic, changes } = highlight;
    const about = { on: "highlight", rule: `review-${topic}`, level: "warning" } as const;
    return { ...about, message: highlightLine(highlight), place: lineOf(changes[0]) };
  });
  const highlights = withFingerprints(drafts).map((draft) => finished(draft, circumstances.folder));
  return worstFirst([...highlights, ...findingsOf(found, circumstances)]);
}

function worstFirst<Each extends { readonly level: Level }>(findings: readonly Each[]): Each[] {
  return [...findings].sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}

/** What was carried out, or not, is in the order in which it was. */
function byUrgency(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  const ranked = changes.map((change) => ({ change, rank: change.outcome ? 0 : urgencyOf(change) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ change }) => change);
}

const levels: readonly Level[] = ["error", "warning", "note"];

/** A finding before its place is made one of the repository's. `about` is what its fingerprint is taken of. */
interface Draft extends Pick<ReviewFinding, "on" | "rule" | "level" | "message"> {
  readonly place?: Place | undefined;
  readonly address?: string;
  readonly project?: string | undefined;
}

function problemFinding(problem: ReportedProblem, level: Level): Draft {
  const { rule, message, file, line, column, path, project } = problem;
  const place = file === undefined ? undefined : { file, line: line ?? 1, column: column ?? 1 };
  const described = [place ? undefined : project, path, message].filter((part) => part !== undefined).join(": ");
  return { on: "problem", rule, level, message: described, place, project };
}

const actionLevels: Readonly<Record<Action, Level>> = {
  create: "note",
  update: "note",
  replace: "warning",
  disable: "warning",
  delete: "warning",
};

const outcomeLevels: Readonly<Record<Exclude<OutcomeStatus, "applied">, Level>> = {
  failed: "error",
  unknown: "error",
  stale: "warning",
  skipped: "warning",
};

function changeFinding(planned: PlannedChange): Draft | undefined {
  const { address, project, action_reason: reason, notes = [], outcome } = planned;
  const action = actionOf(planned);
  const common = { on: "change", place: lineOf(planned), address, project } as const;
  if (!outcome) {
    const level = planned.policy_effect === "loosened" ? "warning" : actionLevels[action];
    const message = [`would ${action} ${address}: ${reason}${fieldNames(planned)}`, ...notes].join("; ");
    return { rule: `planned-${action}`, level, message, ...common };
  }
  if (outcome.status === "applied") return undefined;
  const message = `${action} of ${address}: ${outcome.status}${outcome.error ? `, ${outcome.error}` : ""}`;
  return { rule: `apply-${outcome.status}`, level: outcomeLevels[outcome.status], message, ...common };
}

function fieldNames({ change: { before, after } }: PlannedChange): string {
  const names = Object.keys({ ...before, ...after });
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}

function withFingerprints(drafts: readonly Draft[]): (Draft & { readonly fingerprint: string })[] {
  const seen = new Map<string, number>();
  return drafts.map((draft) => {
    const identity = identityOf(draft);
    const earlier = seen.get(identity) ?? 0;
    seen.set(identity, earlier + 1);
    return { ...draft, fingerprint: hashOf(earlier === 0 ? identity : `${identity}\0${earlier}`) };
  });
}

/** A message may name a second place, so its line numbers are taken out too. A highlight counts what comes and goes. */
function identityOf({ on, rule, address, place, project, message }: Draft): string {
  if (on === "highlight") return JSON.stringify([rule]);
  if (address !== undefined) return JSON.stringify([rule, address.toWellFormed()]);
  return JSON.stringify([rule, place?.file ?? "", project ?? "", message.replace(/:\d+(:\d+)?/g, "")]);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}

function finished(draft: Draft & { readonly fingerprint: string }, folder: string): ReviewFinding {
  const { file, line, column } = draft.place ?? { file: workspaceFile, line: 1, column: 1 };
  return {
    ...draft,
    message: inOneLine(draft.message),
    place: { file: `${folder}${file}`.toWellFormed(), line, column },
    address: draft.address === undefined ? undefined : inOneLine(draft.address),
    project: draft.project === undefined ? undefined : inOneLine(draft.project),
  };
}

function inOneLine(text: string): string {
  return printable(text.toWellFormed());
}

/** Why a run failed, in words and numbers for programs; what there is none of is left out. */
export interface Failure {
  readonly exit_code: ExitCode;
  /** Who objects to the plan, each once: `loosening`, `protected`, `rule`. */
  readonly blocked_by?: readonly string[];
  readonly problems?: number;
  /** Changes by what became of them, but for those that were applied. */
  readonly outcomes?: Readonly<Record<string, number>>;
}

/** Undefined where a run did not fail: pending changes alone are no failure. */
export function failureOf(
  plan: Pick<Plan, "objections" | "problems" | "resource_changes">,
  exitCode: ExitCode,
): Failure | undefined {
  if (exitCode === exit.done || exitCode === exit.pending) return undefined;
  const blockers = new Set(plan.objections.filter(({ waived }) => !waived).map(({ guard }) => guard));
  const outcomes: Record<string, number> = {};
  for (const { outcome } of plan.resource_changes) {
    if (outcome && outcome.status !== "applied") outcomes[outcome.status] = (outcomes[outcome.status] ?? 0) + 1;
  }
  return {
    exit_code: exitCode,
    ...(blockers.size > 0 && { blocked_by: [...blockers] }),
    ...(plan.problems.length > 0 && { problems: plan.problems.length }),
    ...(Object.keys(outcomes).length > 0 && { outcomes }),
  };
}
