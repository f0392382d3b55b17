import { describe, expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { validate } from "../../src/manifest/validate.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import { reportedProblem } from "../../src/model/problem-line.ts";
import { junit } from "../../src/report/junit.ts";
import { planWith, reportOf } from "../support/plans.ts";

const many = 16_000;
const head = "apiVersion: evenkeel/v1\nkind: Policy\nname: p\n";
const policy = `${head}projects: [a/b]\n`;
const each = (line: (index: number) => string) => Array.from({ length: many }, (_, index) => line(index)).join("");

function problemsOf(text: string) {
  const { documents, problems } = parseManifest("p.yaml", text);
  return validate({ documents, problems, workspace: defaultWorkspace }).problems;
}

describe("200,000 mistakes are reported one by one", () => {
  const lines = (line: (index: number) => string) =>
    Array.from({ length: 200_000 }, (_, index) => line(index)).join("");
  test.each([
    ["unknown keys", `${policy}${lines((i) => `k${i}: 1\n`)}`],
    [
      "undefined variables in a list",
      `${policy}variables: { A: { value: a, x: [${lines(() => "a,")}] } }\nabsent: { labels: [${lines(() => "[],")}] }\n`,
    ],
  ])("%s", (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThanOrEqual(200_000);
  });
});

describe("16,000 mistakes in one manifest are reported one by one", () => {
  test.each([
    ["wrong values", `${policy}licenses:\n${each((i) => `  L${i}: alowed\n`)}`],
    ["unknown keys", policy + each((i) => `licences${i}: 1\n`)],
    ["empty selectors", `${head}projects: [${each(() => '"",')}]\n`],
    ["undefined variables", `${policy}vars:\n${each((i) => `  v${i}: \${vars.w${i}}\n`)}`],
    ["unknown parameters", `${policy}integrations:\n  mock-ci:\n${each((i) => `    mock_url${i}: 1\n`)}`],
  ])("%s", (_, text) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThanOrEqual(many);
    expect(new Set(problems.map(({ place }) => JSON.stringify(place))).size).toBeGreaterThanOrEqual(many);
  });

  test("equal ones are told apart in JUnit", () => {
    const problems = problemsOf(`${policy}licenses:\n${each(() => "  MIT: allowed\n")}`).map(reportedProblem);
    const names = junit(reportOf(planWith({ problems })), () => undefined).match(/ name="yaml: [^"]*"/g) ?? [];
    expect(new Set(names).size).toBe(many - 1);
  });
});

test("what a fault leaves standing keeps its place", () => {
  const text = `${head}projects: ["", a/b, {}]\nexcept: ["", 7]\nlicenses: { A: x, B: blacklisted }\n`;
  const { policies } = validate({ ...parseManifest("p.yaml", text), workspace: defaultWorkspace });
  expect(policies[0]?.projects.map(({ written }) => written)).toEqual(["a/b"]);
  expect(policies[0]?.except.map(({ written }) => written)).toEqual(["7"]);
  expect(policies[0]?.entries.map(({ desired, place }) => [desired.key, place().line])).toEqual([["B", 6]]);
});
