import { escaped } from "../base/printable.ts";
import { type ReportedProblem, reportedLine } from "../model/problem-line.ts";
import { actionCountWords } from "../plan/heading.ts";
import { type Highlight, highlightLine, highlightsOf } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";
import { codequality, github, sarif } from "./finding-formats.ts";
import { explainFailure } from "./findings.ts";
import { junit } from "./junit.ts";
import { findingsMarkdown, planMarkdown } from "./markdown.ts";
import { prometheus } from "./prometheus.ts";
import {
  type FindingKind,
  type FindingRenderer,
  lineUrl,
  type OwnKind,
  type PlanKind,
  type Renderer,
  type Report,
} from "./report.ts";

/** The largest number that the merge request widget shows. */
const most = 999_999;

/**
 * Counts for the merge request widget, which has three: disabled changes count as deleted, replaced ones as deleted and
 * created. The widget ignores other keys: loosened policies, lost notifications, and the reasons of a failure.
 */
export const terraform: Renderer = ({ plan, exitCode }) => {
  const { summary } = plan;
  const { create, update, replace = 0, disable, delete: deleted, loosened, lost_notifications } = summary;
  const grave = { ...(loosened > 0 && { loosened }), ...(lost_notifications > 0 && { lost_notifications }) };
  const counts = { ...grave, create: create + replace, update, delete: disable + deleted + replace };
  const shown = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Math.min(n, most)]));
  return JSON.stringify({ ...shown, ...explainFailure(plan, exitCode) });
};

/**
 * Variables for later jobs of a pipeline: `NAME=value` lines, as both GitLab's dotenv reports and GitHub's step outputs
 * take them. Values are numbers, words, comma-separated words or the name of a run, so none needs quotes. The exit code
 * comes last.
 */
export const dotenv: Renderer = (report) => {
  const counts = report.compared ? countVariables(report) : { pending: "unknown" };
  const variables = { ...counts, ...failureVariables(report), exit_code: report.exitCode };
  return Object.entries(variables)
    .map(([name, value]) => `EVENKEEL_PLAN_${name.toUpperCase()}=${value}`)
    .join("\n");
};

function failureVariables({ plan, exitCode }: Report): object {
  const { blocked_by: blockers, problems, outcomes } = explainFailure(plan, exitCode) ?? {};
  return { ...(blockers && { blocked_by: blockers.join() }), ...(problems && { problems }), ...outcomes };
}

function countVariables({ plan: { summary, resource_changes }, saved }: Report): object {
  const { create, update, replace, disable, delete: deleted, loosened } = summary;
  const pending = resource_changes.some(({ outcome }) => outcome?.status !== "applied");
  return {
    ...(saved && { run: saved }),
    pending,
    create,
    update,
    ...(replace && { replace }),
    disable,
    delete: deleted,
    loosened,
  };
}

/** Fields of every line. Readers that do not know a type show `@message`. */
interface Event {
  readonly type: string;
  readonly level?: "info" | "warn" | "error";
  readonly message: string;
  readonly more?: object;
}

/** One event per line: version, highlights, planned changes, problems, warnings, objections, outcomes, summary. */
export const ndjson: Renderer = (report) => {
  const { plan, catalogue } = report;
  const events = [
    versionEvent(report),
    ...highlightsOf(plan.resource_changes, catalogue).map(highlightEvent),
    ...plan.resource_changes.map(changeEvent),
    ...plan.problems.map((problem) => problemEvent("problem", "error", problem)),
    ...plan.warnings.map((warning) => problemEvent("warning", "warn", warning)),
    ...plan.objections.map(
      (objection): Event => ({ type: "objection", level: "warn", message: objection.message, more: { objection } }),
    ),
    ...plan.resource_changes.flatMap((change) => outcomeEvent(change) ?? []),
    summaryEvent(report),
  ];
  return events.map((event) => line(event, report)).join("\n");
};

function line({ type, level = "info", message, more }: Event, { finishedAt }: Report): string {
  const event = {
    "@level": level,
    "@message": message,
    "@module": "evenkeel",
    "@timestamp": finishedAt.toISOString(),
    type,
    ...more,
  };
  return oneLine(JSON.stringify(event));
}

/** Escapes characters that JSON allows but that some readers take for the end of a line. */
function oneLine(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029]/g, escaped);
}

function versionEvent({ plan, command }: Report): Event {
  const { evenkeel_version: evenkeel, format_version, created_at, server, manifests, scope } = plan;
  const more = { evenkeel, format_version, command, created_at, server, manifests, ...(scope && { scope }) };
  return { type: "version", message: `Evenkeel ${evenkeel}`, more };
}

function highlightEvent(highlight: Highlight): Event {
  const { topic, changes, details } = highlight;
  const more = { topic, count: changes.length, details };
  return { type: "highlight", level: "warn", message: highlightLine(highlight), more };
}

function changeEvent({ outcome: _, ...change }: PlannedChange): Event {
  const message = `${actionOf({ change: change.change })} ${change.address}: ${change.action_reason}`;
  return { type: "planned_change", message, more: { change } };
}

function problemEvent(type: "problem" | "warning", level: "error" | "warn", problem: ReportedProblem): Event {
  return { type, level, message: reportedLine(problem), more: { [type]: problem } };
}

function outcomeEvent({ address, outcome }: PlannedChange): Event | undefined {
  if (!outcome) return undefined;
  const error = outcome.error === undefined ? "" : `, ${outcome.error}`;
  const level = outcome.status === "applied" ? "info" : "error";
  return { type: "outcome", level, message: `${address}: ${outcome.status}${error}`, more: { address, outcome } };
}

function summaryEvent({ plan, exitCode, seconds, compared }: Report): Event {
  const more = { summary: plan.summary, exit_code: exitCode, seconds, compared, plan_digest: plan.digest };
  return { type: "summary", message: summaryText(plan), more };
}

function summaryText({ summary }: Plan): string {
  return actionCountWords(summary).join(", ");
}

/** Renderers that need no plan. */
export const findingRenderers: Readonly<Record<Exclude<FindingKind, OwnKind>, FindingRenderer>> = {
  markdown: findingsMarkdown,
  sarif,
  junit,
  codequality,
  github,
};

type PlanRenderers = Readonly<Record<Exclude<PlanKind, OwnKind | "html">, Renderer>> & { readonly html?: Renderer };

const renderers: PlanRenderers = { ...findingRenderers, markdown: planMarkdown, terraform, dotenv, prometheus, ndjson };

/** Renderers of all reports of a plan. The HTML page is loaded only if requested. */
export async function planRenderers(requested: readonly string[]): Promise<PlanRenderers> {
  if (!requested.includes("html")) return renderers;
  const { planHtml } = await import("./html/report-page.ts");
  return {
    ...renderers,
    html: ({ plan, catalogue, command, links, folder, next }) =>
      planHtml(plan, catalogue, { command, next, lineUrl: (place) => lineUrl(links, folder, place) }),
  };
}
