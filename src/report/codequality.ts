import { type Level, type ReviewFinding, reviewFindings } from "./findings.ts";
import type { FindingRenderer } from "./report.ts";

const severities: Readonly<Record<Level, string>> = { error: "critical", warning: "minor", note: "info" };

/** A code quality report, for the merge request widget: what to look at first, then the rest; empty where there is nothing to act on. */
export const codequality: FindingRenderer = (report) =>
  JSON.stringify(reviewFindings(report.plan, report).map(entryOf), null, 2);

function entryOf({ rule, level, message, place, fingerprint }: ReviewFinding): object {
  return {
    description: message,
    check_name: rule,
    fingerprint,
    severity: severities[level],
    location: { path: place.file, lines: { begin: place.line } },
  };
}
