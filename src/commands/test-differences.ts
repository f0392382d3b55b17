import { orElse } from "../base/nearest.ts";
import { counted, firstFew } from "../base/text-format.ts";
import type { PolicyTest } from "../manifest/tests.ts";
import { type ReportedProblem, reportedLine } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";
import type { Planned } from "../run/request.ts";

export function testDifferences(
  test: PolicyTest,
  { plan, compared }: Pick<Planned, "plan" | "compared">,
  isSignificant: (problem: ReportedProblem) => boolean,
): readonly Problem[] {
  const significant = { ...plan, problems: plan.problems.filter(isSignificant) };
  return [
    ...problemDifferences(test, significant),
    ...(compared ? [...changeDifferences(test, plan), ...objectionDifferences(test, plan)] : reportUncompared(test)),
  ];
}

type Say = (message: string, ...path: readonly (string | number)[]) => Problem;

function createReporter({ document }: PolicyTest): Say {
  return (message, ...path) => {
    const place = document.place(["expect", ...path]);
    return { severity: "error", rule: "test", message, place };
  };
}

function changeDifferences(test: PolicyTest, { resource_changes: planned }: Plan): readonly Problem[] {
  const { changes, others } = test.expect;
  if (changes === undefined) return [];
  const say = createReporter(test);
  const left = new Set(planned);
  const missing = changes.flatMap(({ address, action }, index) => {
    const found = planned.find((each) => listNames(each).includes(address));
    if (found) left.delete(found);
    if (found && actionOf(found) === action) return [];
    const instead = found
      ? `its action is ${actionOf(found)} (${found.action_reason})`
      : `nothing is planned there${orElse(address, planned.flatMap(listNames))}`;
    return [say(`expected ${action} ${address}; ${instead}`, "changes", index)];
  });
  if (others) return missing;
  const more = [...left].map((each, index) => {
    const { file, line } = each.source;
    const hint = index === left.size - 1 ? "; others: true allows changes that the test does not list" : "";
    return say(`not expected: ${actionOf(each)} ${each.address} (${file}:${line})${hint}`, "changes");
  });
  return [...missing, ...more];
}

/** The address as planned, and the one with the full path if policies name the project by its ID. */
function listNames({ address, project, project_path: path }: PlannedChange): readonly string[] {
  return path === undefined ? [address] : [address, path + address.slice(project.length)];
}

function objectionDifferences(test: PolicyTest, { objections }: Plan): readonly Problem[] {
  const { blocked_by: expected = [] } = test.expect;
  const say = createReporter(test);
  const named = objections.map(({ guard, name = guard, message }) => ({ name, message }));
  return [
    ...lacking(
      expected,
      named.map(({ name }) => name),
    ).map(({ name, index, instead }) => say(`${name} does not object to the plan${instead}`, "blocked_by", index)),
    ...named
      .filter(({ name }) => !expected.includes(name))
      .map(({ message }) => say(`not expected: ${message}`, ...at(test, "blocked_by"))),
  ];
}

/** Warnings need not be listed. */
function problemDifferences(test: PolicyTest, { problems, warnings }: Plan): readonly Problem[] {
  const { problems: expected = [] } = test.expect;
  const say = createReporter(test);
  const [first, ...others] = problems.filter(({ rule }) => !expected.includes(rule));
  const more = others.length > 0 ? ` and ${counted(others.length, "more problem")}` : "";
  return [
    ...lacking(
      expected,
      [...problems, ...warnings].map(({ rule }) => rule),
    ).map(({ name, index, instead }) => say(`the plan has no problem ${name}${instead}`, "problems", index)),
    ...(first ? [say(`not expected: ${reportedLine(first)}${more}`, ...at(test, "problems"))] : []),
  ];
}

/** A plan that was blocked by problems contains no changes to compare. */
function reportUncompared(test: PolicyTest): readonly Problem[] {
  const { changes = [], blocked_by = [] } = test.expect;
  if (changes.length + blocked_by.length === 0) return [];
  return [createReporter(test)("nothing was planned, because of the problems", ...at(test, "changes"))];
}

function at({ expect }: PolicyTest, key: keyof PolicyTest["expect"]): readonly string[] {
  return expect[key] === undefined ? [] : [key];
}

function lacking(expected: readonly string[], actual: readonly string[]) {
  return expected.flatMap((name, index) => {
    if (actual.includes(name)) return [];
    const instead = actual.length > 0 ? `; found: ${firstFew([...new Set(actual)])}` : "";
    return [{ name, index, instead }];
  });
}
