import { expect, test } from "vitest";
import { fieldTexts } from "../../src/report/view.ts";

const secret = { secret: "env:REGION" };

test.each([
  [
    "a secret that no server reports",
    { value: null },
    { value: secret },
    "value: (not reported) -> (secret env:REGION)",
  ],
  ["a field that is null", { value: null }, { value: "eu" }, 'value: null -> "eu"'],
  ["a field that was not reported", {}, { value: "eu" }, 'value: (not reported) -> "eu"'],
])("%s", (_what, before, after, row) => {
  expect(fieldTexts({ before, after }).row).toBe(row);
});

test("a revision declares fields, and no server reports them", () => {
  expect(fieldTexts({ before: {}, after: { value: "eu" } }, "(not declared)").row).toBe(
    'value: (not declared) -> "eu"',
  );
});
