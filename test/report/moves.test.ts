import { expect, test } from "vitest";
import { remainingText } from "../../src/report/runs.ts";

test.each([
  [undefined, ""],
  [0, ""],
  [400, "about 1 s left"],
  [89_000, "about 89 s left"],
  [180_000, "about 3 min left"],
  [3 * 3_600_000, "about 3 h left"],
])("%s milliseconds: %s", (milliseconds, words) => {
  expect(remainingText(milliseconds)).toBe(words);
});
