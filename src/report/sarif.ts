import { version } from "../base/version.ts";
import { findingsOf, headOf, type ReviewFinding } from "./findings.ts";
import type { FindingRenderer } from "./report.ts";

/** SARIF 2.1.0, for code scanning: one run, a result a finding. */
export const sarif: FindingRenderer = (report) => {
  const findings = findingsOf(report.plan, report);
  const results = findings.slice(0, mostResults);
  const rules = [...new Set(results.map(({ rule }) => rule))].sort();
  const head = headOf(report.plan, report.catalogue);
  const run = {
    ...(Object.keys(head).length > 0 && { properties: head }),
    tool: { driver: { name: "Evenkeel", version, rules: rules.map(descriptor) } },
    automationDetails: { id: `evenkeel/${report.command}/` },
    columnKind: "utf16CodeUnits",
    invocations: [invocation(report, findings.length - results.length)],
    results: results.map((finding) => resultOf(finding, rules.indexOf(finding.rule))),
  };
  return JSON.stringify({ $schema: schema, version: "2.1.0", runs: [run] }, null, 2);
};

const schema = "https://json.schemastore.org/sarif-2.1.0.json";

/** What code scanning takes of one run; the rest is counted in a notification. */
const mostResults = 25_000;

function descriptor(rule: string): object {
  return { id: rule, shortDescription: { text: rule.replaceAll("-", " ") } };
}

/** `executionSuccessful` speaks of the run itself: pending changes are no failure. */
function invocation({ exitCode, finishedAt }: Parameters<FindingRenderer>[0], omitted: number): object {
  const text = `${omitted} more results are left out: only the first ${mostResults} by severity are listed`;
  return {
    executionSuccessful: exitCode === 0 || exitCode === 2,
    exitCode,
    endTimeUtc: finishedAt.toISOString(),
    ...(omitted > 0 && { toolExecutionNotifications: [{ level: "warning", message: { text } }] }),
  };
}

function resultOf({ rule, level, message, place, fingerprint, ...about }: ReviewFinding, ruleIndex: number): object {
  const subject = about.address ?? about.project;
  const physicalLocation = {
    artifactLocation: { uri: uriOf(place.file) },
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

/** A relative URI reference, whatever stands in a file's name. */
function uriOf(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}
