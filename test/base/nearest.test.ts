import { expect, test } from "vitest";
import { nearest } from "../../src/base/nearest.ts";

test.each([
  ["irc-gatway", "irc-gateway"],
  ["IRC-Gateway", "irc-gateway"],
  ["push_event", "push_events"],
  ["kubernetes", undefined],
  ["", undefined],
])("%s -> %s", (word, meant) => {
  expect(nearest(word, ["push_events", "irc-gateway", "mock-ci"])).toBe(meant);
});

test("knows nothing where nothing is known", () => {
  expect(nearest("token", [])).toBeUndefined();
});
