import { expect, test } from "vitest";
import { labelledErrors } from "../../src/model/problem-line.ts";

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
