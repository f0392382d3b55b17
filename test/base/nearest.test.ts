import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../src/base/nearest.ts";

test.each([
  ["irc-gatway", "irc-gateway"],
  ["IRC-Gateway", "irc-gateway"],
  ["push_event", "push_events"],
  ["mokc-ic", undefined],
  ["mokc-ci", "mock-ci"],
  ["irc", "irc-gateway"],
  ["gateway", "irc-gateway"],
  ["push", undefined],
  ["mock-ci-", "mock-ci"],
  ["kubernetes", undefined],
  ["", undefined],
])("%s -> %s", (word, meant) => {
  expect(nearest(word, ["push_events", "push_channel", "irc-gateway", "mock-ci"])).toBe(meant);
});

test("never suggests the word itself", () => {
  expect(didYouMean("g/a", ["g/a", "g/bcd"])).toBe("");
  expect(didYouMean("G/a", ["g/a"])).toBe("; did you mean g/a?");
});

test("knows nothing where nothing is known", () => {
  expect(nearest("token", [])).toBeUndefined();
});

test("finds the word among very many", () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `variable-${index}-of-team-${index * 7}`);
  expect(nearest("variable-12345-of-team-8641x", words)).toBe("variable-12345-of-team-86415");
  expect(nearest("v".repeat(100_000), words)).toBeUndefined();
});
