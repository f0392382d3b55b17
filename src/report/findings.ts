import { createHash } from "node:crypto";
import { type ExitCode, exit } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Action, OutcomeStatus, Place } from "../model/types.ts";
import { fieldNamesOf, lineOf, urgencyOf } from "../plan/groups.ts";
import { commitText, scopeText } from "../plan/heading.ts";
import { highlightLine, highlightsOf } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";

export type Actionable = Pick<Plan, "resource_changes" | "objections" | "problems" | "warnings"> &
  Partial<Pick<Plan, "created_at" | "manifests" | "scope">>;

export type Level = "error" | "warning" | "note";

/** A finding for review tools: a SARIF result, a test case, an annotation. */
export interface ReviewFinding {
  readonly on: "highlight" | "change" | "guard" | "problem";
  /** Stable: `planned-update`, `apply-failed`, `guard-protected`, or the rule of a problem. */
  readonly rule: string;
  readonly level: Level;
  /** One line, without control characters. */
  readonly message: string;
  /** `file` is relative to the repository. Defaults to the first line of evenkeel.yaml. */
  readonly place: Place;
  readonly address: string | undefined;
  readonly project: string | undefined;
  /** Unique within a run, and stable between runs: line numbers are no part of it. */
  readonly fingerprint: string;
}

export interface Circumstances {
  /** Path from the repository to the workspace: empty, or ending in a slash. */
  readonly folder: string;
  readonly exitCode: ExitCode;
  readonly catalogue: Catalogue;
}

/** Everything that still needs action, worst first: applied changes are left out. */
export function listFindings(actionable: Actionable, circumstances: Circumstances): ReviewFinding[] {
  const { folder, exitCode } = circumstances;
  const guards = (waived = false) => (exitCode === exit.refused && !waived ? "error" : "warning");
  const all = [
    ...actionable.problems.map((problem) => problemFinding(problem, "error")),
    ...actionable.objections.map(
      ({ guard, message, waived }): Draft => ({
        on: "guard",
        rule: `guard-${guard}`,
        level: guards(waived),
        message: waived ? `waived: ${message}` : message,
      }),
    ),
    ...byUrgency(actionable.resource_changes).flatMap((change) => changeFinding(change) ?? []),
    ...actionable.warnings.map((warning) => problemFinding(warning, "warning")),
  ];
  return finishFindings(worstFirst(all), folder);
}

/** Hex digits of a full SHA-256 commit ID. */
const wholeCommit = 64;

export function describeHead(
  { created_at: made, manifests, scope, resource_changes }: Actionable,
  catalogue: Catalogue,
): Record<string, string> {
  const commit = (manifests && commitText(manifests, wholeCommit)) || undefined;
  const only = scopeText(scope) || undefined;
  const facts = Object.entries({ made, commit, only }).filter(([, text]) => text !== undefined);
  const first = highlightsOf(resource_changes, catalogue).map((each) => [each.topic, highlightLine(each)]);
  return Object.fromEntries([...first, ...facts].map(([name, text = ""]) => [name, inOneLine(text)]));
}

export function reviewFindings(actionable: Actionable, circumstances: Circumstances): ReviewFinding[] {
  const pending = actionable.resource_changes.filter(({ outcome }) => outcome?.status !== "applied");
  const drafts = highlightsOf(pending, circumstances.catalogue).map((highlight): Draft => {
    const { topic, changes } = highlight;
    const about = { on: "highlight", rule: `review-${topic}`, level: "warning" } as const;
    return { ...about, message: highlightLine(highlight), place: lineOf(changes[0]) };
  });
  const highlights = finishFindings(drafts, circumstances.folder);
  return worstFirst([...highlights, ...listFindings(actionable, circumstances)]);
}

function worstFirst<Each extends { readonly level: Level }>(findings: readonly Each[]): Each[] {
  return [...findings].sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}

/** Changes with an outcome keep the order in which they ran. */
function byUrgency(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  const rank = (change: PlannedChange) => (change.outcome ? 0 : urgencyOf(change));
  return changes.toSorted((a, b) => rank(a) - rank(b));
}

const levels: readonly Level[] = ["error", "warning", "note"];

/** A finding whose place is still relative to the workspace. */
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
    const names = fieldNamesOf(planned.change);
    const fields = names.length > 0 ? ` (${names.join(", ")})` : "";
    const message = [`would ${action} ${address}: ${reason}${fields}`, ...notes].join("; ");
    return { rule: `planned-${action}`, level, message, ...common };
  }
  if (outcome.status === "applied") return undefined;
  const message = `${action} of ${address}: ${outcome.status}${outcome.error ? `, ${outcome.error}` : ""}`;
  return { rule: `apply-${outcome.status}`, level: outcomeLevels[outcome.status], message, ...common };
}

function finishFindings(drafts: readonly Draft[], folder: string): ReviewFinding[] {
  const seen = new Map<string, number>();
  return drafts.map((draft) => {
    const identity = fingerprintSource(draft);
    const earlier = seen.get(identity) ?? 0;
    seen.set(identity, earlier + 1);
    const hash = createHash("sha256").update(earlier === 0 ? identity : `${identity}\0${earlier}`);
    const { file, line, column } = draft.place ?? { file: workspaceFile, line: 1, column: 1 };
    return {
      ...draft,
      message: inOneLine(draft.message),
      place: { file: `${folder}${file}`.toWellFormed(), line, column },
      address: draft.address === undefined ? undefined : inOneLine(draft.address),
      project: draft.project === undefined ? undefined : inOneLine(draft.project),
      fingerprint: hash.digest("hex").slice(0, 40),
    };
  });
}

/** Leaves out what varies between runs: line numbers within messages, and the counts of highlights. */
function fingerprintSource({ on, rule, address, place, project, message }: Draft): string {
  if (on === "highlight") return JSON.stringify([rule]);
  if (address !== undefined) return JSON.stringify([rule, address.toWellFormed()]);
  return JSON.stringify([rule, place?.file ?? "", project ?? "", message.replace(/:\d+(:\d+)?/g, "")]);
}

function inOneLine(text: string): string {
  return printable(text.toWellFormed());
}

/** The reasons of a failure; undefined if the run did not fail: pending changes alone are not a failure. */
export function explainFailure(plan: Pick<Plan, "objections" | "problems" | "resource_changes">, exitCode: ExitCode) {
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
