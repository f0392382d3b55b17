import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { version } from "../base/version.ts";
import { withoutRepeats } from "../model/problem-line.ts";
import {
  describeHead,
  explainFailure,
  type Level,
  listFindings,
  type ReviewFinding,
  reviewFindings,
} from "./findings.ts";
import { junit } from "./junit.ts";
import { findingsMarkdown, planMarkdown } from "./markdown.ts";
import { prometheus } from "./prometheus.ts";
import {
  type FindingKind,
  type FindingRenderer,
  type FindingReport,
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

/** `NAME=value` lines, as GitLab's dotenv reports and GitHub's step outputs take them. No value needs quotes. */
export const dotenv: Renderer = (report) => {
  const counts = report.compared ? countVariables(report) : { pending: "unknown" };
  const { blocked_by: blockers, problems, outcomes } = explainFailure(report.plan, report.exitCode) ?? {};
  const failure = { ...(blockers && { blocked_by: blockers.join() }), ...(problems && { problems }), ...outcomes };
  const variables = { ...counts, ...failure, exit_code: report.exitCode };
  return Object.entries(variables)
    .map(([name, value]) => `EVENKEEL_PLAN_${name.toUpperCase()}=${value}`)
    .join("\n");
};

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

/** SARIF 2.1.0, for code scanning: one run, one result per finding. */
export const sarif: FindingRenderer = (report) => {
  const findings = listFindings(report.plan, report);
  const results = findings.slice(0, mostResults);
  const rules = [...new Set(results.map(({ rule }) => rule))].sort();
  const described = rules.map((rule) => ({ id: rule, shortDescription: { text: rule.replaceAll("-", " ") } }));
  const head = describeHead(report.plan, report.catalogue);
  const run = {
    ...(Object.keys(head).length > 0 && { properties: head }),
    tool: { driver: { name: "Evenkeel", version, rules: described } },
    automationDetails: { id: `evenkeel/${report.command}/` },
    columnKind: "utf16CodeUnits",
    invocations: [invocation(report, findings.length - results.length)],
    results: results.map((finding) => toResult(finding, rules.indexOf(finding.rule))),
  };
  return JSON.stringify({ $schema: schema, version: "2.1.0", runs: [run] }, null, 2);
};

const schema = "https://json.schemastore.org/sarif-2.1.0.json";

/** Limit of GitHub's code scanning per run; a notification counts the rest. */
const mostResults = 25_000;

/** `executionSuccessful` concerns the run itself: pending changes are not a failure. */
function invocation({ exitCode, finishedAt }: FindingReport, omitted: number): object {
  const text = `${omitted} more results are left out: only the first ${mostResults} by severity are listed`;
  return {
    executionSuccessful: exitCode === 0 || exitCode === 2,
    exitCode,
    endTimeUtc: finishedAt.toISOString(),
    ...(omitted > 0 && { toolExecutionNotifications: [{ level: "warning", message: { text } }] }),
  };
}

function toResult({ rule, level, message, place, fingerprint, ...about }: ReviewFinding, ruleIndex: number): object {
  const subject = about.address ?? about.project;
  const physicalLocation = {
    artifactLocation: { uri: place.file.split("/").map(encodeURIComponent).join("/") },
    region: { startLine: place.line, startColumn: place.column },
  };
  const logicalLocations = [{ fullyQualifiedName: subject }];
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: message },
    locations: [{ physicalLocation, ...(subject !== undefined && { logicalLocations }) }],
    partialFingerprints: { "evenkeel/v1": fingerprint },
  };
}

const severities: Readonly<Record<Level, string>> = { error: "critical", warning: "minor", note: "info" };

/** A code quality report for the merge request widget: highlights, then findings. */
export const codequality: FindingRenderer = (report) => {
  const entries = reviewFindings(report.plan, report).map(({ rule, level, message, place, fingerprint }) => ({
    description: message,
    check_name: rule,
    fingerprint,
    severity: severities[level],
    location: { path: place.file, lines: { begin: place.line } },
  }));
  return JSON.stringify(entries, null, 2);
};

/** GitHub drops further annotations of the same level in a step without notice. */
const mostAnnotations = 10;

const commands: Readonly<Record<Level, string>> = { error: "error", warning: "warning", note: "notice" };

/** GitHub workflow commands that annotate lines, worst first, and a closing line with counts. */
export const github: FindingRenderer = (report) => {
  const { problems, warnings } = report.plan;
  const distinct = { problems: withoutRepeats(problems), warnings: withoutRepeats(warnings) };
  const findings = reviewFindings({ ...report.plan, ...distinct }, report);
  const shown = Object.keys(commands).flatMap((level) =>
    findings.filter((finding) => finding.level === level).slice(0, mostAnnotations),
  );
  return [...shown.map(annotation), closingLine(findings.length, shown.length, report)].join("\n");
};

function annotation({ level, message, rule, place }: ReviewFinding): string {
  const properties = { file: place.file, line: place.line, col: place.column, title: `Evenkeel: ${rule}` };
  const written = Object.entries(properties).map(
    ([name, value]) => `${name}=${escapeProperty(printable(String(value)))}`,
  );
  return `::${commands[level]} ${written.join(",")}::${escapeText(message)}`;
}

function closingLine(found: number, shown: number, { plan, exitCode }: FindingReport): string {
  const omitted = found - shown;
  const more =
    omitted > 0 ? `; ${omitted} of them are not annotated, since a step shows ${mostAnnotations} a level` : "";
  const blockers = explainFailure(plan, exitCode)?.blocked_by;
  const why = blockers ? ` Failed: blocked by ${blockers.join(", ")}.` : "";
  return `Evenkeel: ${counted(found, "finding")}${more}.${why}`;
}

function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

export const findingRenderers: Readonly<Record<Exclude<FindingKind, OwnKind>, FindingRenderer>> = {
  markdown: findingsMarkdown,
  sarif,
  junit,
  codequality,
  github,
};

type PlanRenderers = Readonly<Record<Exclude<PlanKind, OwnKind | "html">, Renderer>> & { readonly html?: Renderer };

const renderers: PlanRenderers = { ...findingRenderers, markdown: planMarkdown, terraform, dotenv, prometheus };

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
