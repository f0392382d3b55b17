import { describeHead, type Level, listFindings, type ReviewFinding } from "./findings.ts";
import { each, type Markup, markup, ownMarkup } from "./html/markup.ts";
import type { FindingRenderer, FindingReport } from "./report.ts";

type CaseResult = "error" | "failure" | "skipped";

/**
 * JUnit XML. A failed test for each change that is pending or did not succeed, an error for each problem, a skipped
 * test for each warning, a passed one for each applied change, or a single one if there is nothing to act on.
 */
export const junit: FindingRenderer = (report) => {
  const cases = [...listFindings(report.plan, report).map(findingCase), ...passedCases(report)];
  return junitText(report, cases, Object.entries(describeHead(report.plan, report.catalogue)));
};

export function junitText(
  { command, seconds, finishedAt }: Pick<FindingReport, "command" | "seconds" | "finishedAt">,
  cases: readonly TestCase[],
  properties: readonly (readonly [name: string, value: string])[] = [],
): string {
  const count = (result: CaseResult) => cases.filter((each) => each.result === result).length;
  const totals = markup`tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}" time="${seconds.toFixed(3)}"`;
  const head = each(properties, ([name, value]) => markup`<property name="${name}" value="${value}"/>\n`);
  const counts = new Map<string, number>();
  return String(markup`${ownMarkup('<?xml version="1.0" encoding="UTF-8"?>')}
<testsuites name="evenkeel" ${totals}>
<testsuite name="evenkeel ${command}" ${totals} timestamp="${finishedAt.toISOString().slice(0, 19)}">
${properties.length > 0 ? markup`<properties>\n${head}</properties>\n` : ""}${each(cases, (one) => caseNode(one, counts))}</testsuite>
</testsuites>`);
}

export interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly file?: string;
  readonly result?: CaseResult;
  readonly rule?: string;
  readonly message?: string;
}

const results: Readonly<Record<Level, CaseResult>> = { error: "error", warning: "skipped", note: "failure" };

function findingCase({ on, rule, level, message, place, address, project }: ReviewFinding): TestCase {
  const { file, line, column } = place;
  const result = on === "problem" || rule === "apply-skipped" ? results[level] : "failure";
  const located = `${message} (${file}:${line}:${column})`;
  return { suite: project ?? file, name: `${rule}: ${address ?? message}`, file, result, rule, message: located };
}

function passedCases({ plan, command, exitCode }: FindingReport): TestCase[] {
  const applied = plan.resource_changes.filter(({ outcome }) => outcome?.status === "applied");
  const cases = applied.map(({ project, address }) => ({ suite: project, name: `applied: ${address}` }));
  const nothing = exitCode === 0 && plan.resource_changes.length === 0;
  return nothing ? [...cases, { suite: "evenkeel", name: `${command}: nothing to act on` }] : cases;
}

function caseNode(
  { suite, name, file, result, rule = "", message = "" }: TestCase,
  counts: Map<string, number>,
): Markup {
  const distinct = distinctName(suite, name, counts);
  const inner = result
    ? markup`<${ownMarkup(result)} message="${message}" type="${rule}">${message}</${ownMarkup(result)}>`
    : "";
  return markup`<testcase classname="${suite}" name="${distinct}"${file ? markup` file="${file}"` : ""} time="0">${inner}</testcase>\n`;
}

/** Numbers repeated names: readers keep only one of two tests with the same name. */
function distinctName(suite: string, name: string, counts: Map<string, number>): string {
  const count = (counts.get(`${suite}\0${name}`) ?? 0) + 1;
  counts.set(`${suite}\0${name}`, count);
  return count === 1 ? name : distinctName(suite, `${name} #${count}`, counts);
}
