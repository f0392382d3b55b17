import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { withoutRepeats } from "../model/problem-line.ts";
import { failureOf } from "./failure.ts";
import { type Level, type ReviewFinding, reviewFindings } from "./findings.ts";
import type { FindingRenderer } from "./report.ts";

/** A step shows so many annotations of each level; more are dropped without a word, so that we stop there ourselves. */
const mostAnnotations = 10;

const commands: Readonly<Record<Level, string>> = { error: "error", warning: "warning", note: "notice" };

/** Workflow commands that annotate the lines which findings come from, the worst first, and a line that counts them. */
export const github: FindingRenderer = (report) => {
  const { problems, warnings } = report.plan;
  const distinct = { problems: withoutRepeats(problems), warnings: withoutRepeats(warnings) };
  const findings = reviewFindings({ ...report.plan, ...distinct }, report);
  const shown = Object.keys(commands).flatMap((level) =>
    findings.filter((finding) => finding.level === level).slice(0, mostAnnotations),
  );
  return [...shown.map(annotation), closing(findings.length, shown.length, report)].join("\n");
};

function annotation({ level, message, rule, place }: ReviewFinding): string {
  const properties = { file: place.file, line: place.line, col: place.column, title: `Evenkeel: ${rule}` };
  const written = Object.entries(properties).map(
    ([name, value]) => `${name}=${escapeProperty(printable(String(value)))}`,
  );
  return `::${commands[level]} ${written.join(",")}::${escapeText(message)}`;
}

function closing(found: number, shown: number, { plan, exitCode }: Parameters<FindingRenderer>[0]): string {
  const omitted = found - shown;
  const more =
    omitted > 0 ? `; ${omitted} of them are not annotated, since a step shows ${mostAnnotations} a level` : "";
  const blockers = failureOf(plan, exitCode)?.blocked_by;
  const why = blockers ? ` Failed: blocked by ${blockers.join(", ")}.` : "";
  return `Evenkeel: ${counted(found, "finding")}${more}.${why}`;
}

function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
