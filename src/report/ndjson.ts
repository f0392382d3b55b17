import { escaped } from "../base/printable.ts";
import { type ReportedProblem, reportedLine } from "../model/problem-line.ts";
import { actionCountWords } from "../plan/action-counts.ts";
import { type Highlight, highlightLine, highlightsOf } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";
import type { Renderer, Report } from "./report.ts";

/** What every line has beside `type`; readers that do not know a type show `@message`. */
interface Event {
  readonly type: string;
  readonly level?: "info" | "warn" | "error";
  readonly message: string;
  readonly more?: object;
}

/** One event a line: version, what to look at first, planned changes, problems, warnings, objections, outcomes, and the summary last. */
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

/** Some readers also end a line at characters that JSON lets pass. */
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
