import { describe, expect, test } from "vitest";
import { labelledErrors, withoutRepeats } from "../../src/model/problem-line.ts";

test.each([
  ["a.yaml:3:5  name  expected a text  (wrong-type)", ""],
  ["policies of us/a.yaml:3:5  expected a text  (wrong-type)", ""],
  ["expected a text at a.yaml:3:5, got 1", "error: "],
  ["pay/api  GET /projects/pay%2Fapi answered 500: see app.rb:3:5  (unreadable)", "error: "],
  ["  indented", ""],
  ["", ""],
])("%j is labelled %j: what a position begins needs no label, whatever else the line says", (line, label) => {
  expect(labelledErrors(`${line}\n`)).toBe(`${label}${line}\n`);
});

describe("what is said of several projects", () => {
  const unread = (project: string, why = "403 Forbidden") => {
    const url = `/projects/${encodeURIComponent(project)}/integrations`;
    return { rule: "unreadable", project, message: `integrations of ${project}: GET ${url} answered ${why}` };
  };

  test("is said once with the projects, though each message names its own", () => {
    const problems = ["pay/a", "pay/b", "pay/c", "pay/d", "pay/e"].map((project) => unread(project));
    expect(withoutRepeats(problems)).toEqual([
      { ...problems[0], message: `${problems[0]?.message}; also in pay/b, pay/c, pay/d and 1 more` },
    ]);
  });

  test("is said of each of a few", () => {
    const problems = ["pay/a", "pay/b", "pay/c"].map((project) => unread(project));
    expect(withoutRepeats(problems)).toEqual(problems);
  });

  test("stays apart where it differs in more than the project", () => {
    const causes = ["403 Forbidden", "404 Not Found", "500", "502", "503"];
    const problems = causes.map((cause, index) => unread(`pay/${index}`, cause));
    expect(withoutRepeats(problems)).toEqual(problems);
  });
});
