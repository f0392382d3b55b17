import { printable } from "../base/printable.ts";
import { describeHead, type Level, listFindings, type ReviewFinding } from "./findings.ts";
import type { FindingRenderer, FindingReport } from "./report.ts";

type CaseResult = "error" | "failure" | "skipped";

/**
 * JUnit XML. A failed test for each change that is pending or did not succeed, an error for each problem, a skipped
 * test for each warning, a passed one for each applied change, or a single one if there is nothing to act on.
 */
export const junit: FindingRenderer = (report) => {
  const cases = [...listFindings(report.plan, report).map(findingCase), ...passedCases(report)];
  return junitText(report, cases, properties(report));
};

export function junitText(
  { command, seconds, finishedAt }: Pick<FindingReport, "command" | "seconds" | "finishedAt">,
  all: readonly TestCase[],
  head: readonly Tag[] = [],
): string {
  const cases = distinct(all);
  const count = (result: CaseResult) => cases.filter((each) => each.result === result).length;
  const totals = {
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds.toFixed(3),
  };
  const timestamp = finishedAt.toISOString().slice(0, 19);
  const attributes = { name: `evenkeel ${command}`, ...totals, timestamp };
  const suite = tag("testsuite", attributes, [...head, ...cases.map(caseTag)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag("testsuites", { name: "evenkeel", ...totals }, [suite])}`;
}

function properties({ plan, catalogue }: FindingReport): Tag[] {
  const properties = Object.entries(describeHead(plan, catalogue)).map(([name, value]) =>
    tag("property", { name, value }, []),
  );
  return properties.length > 0 ? [tag("properties", {}, properties)] : [];
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

/** Numbers repeated names: readers keep only one of two tests with the same name. */
function distinct(cases: readonly TestCase[]): TestCase[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return cases.map((each) => {
    const wanted = `${each.suite}\0${each.name}`;
    let count = counts.get(wanted) ?? 1;
    const name = () => (count === 1 ? each.name : `${each.name} (${count})`);
    while (taken.has(`${each.suite}\0${name()}`)) count++;
    taken.add(`${each.suite}\0${name()}`);
    counts.set(wanted, count);
    return { ...each, name: name() };
  });
}

function caseTag({ suite, name, file, result, rule, message = "" }: TestCase): Tag {
  const inner = result ? [tag(result, { message, type: rule }, message)] : [];
  return tag("testcase", { classname: suite, name, file, time: "0" }, inner);
}

/** Well-formed XML, safe to be embedded in other XML. */
type Tag = string & { readonly xml: unique symbol };

type Attributes = Readonly<Record<string, string | number | undefined>>;

function tag(name: string, attributes: Attributes, content: string | readonly Tag[]): Tag {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escapeXml(String(value))}"`,
  );
  const inner =
    typeof content === "string" ? escapeXml(content) : content.length > 0 ? ["", ...content, ""].join("\n") : "";
  return (inner ? `<${name}${written.join("")}>${inner}</${name}>` : `<${name}${written.join("")}/>`) as Tag;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Characters that XML cannot represent are written as `\uXXXX`. */
function escapeXml(text: string): string {
  return printable(text.toWellFormed())
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
