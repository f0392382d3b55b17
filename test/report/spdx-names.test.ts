import { expect, test } from "vitest";
import { matchedNames } from "../../src/report/spdx-names.ts";

const long = "x".repeat(256);

test.each<[what: string, written: readonly string[], names: readonly string[], remark: RegExp | undefined]>([
  ["an identifier", ["MIT"], ["MIT License"], /MIT as MIT License/],
  ["an identifier in another case", ["apache-2.0"], ["Apache License 2.0"], /apache-2\.0 as Apache License 2\.0/],
  ["a name", ["MIT License"], ["MIT License"], undefined],
  ["both of one license", ["MIT", "MIT License"], ["MIT License"], /MIT as MIT License/],
  ["a name of their own", ["House license, 2"], ["House license, 2"], undefined],
  ["what looks like an identifier", ["GPL-9.0-only"], ["GPL-9.0-only"], /looks like an SPDX identifier.*GPL-9\.0-only/],
  ["the longest name", ["x".repeat(255)], ["x".repeat(255)], undefined],
  ["a name that is too long", [long, "ISC"], ["ISC License"], /at most 255 characters: x{60}…/],
])("%s", (_, written, names, remark) => {
  const matched = matchedNames(written, 255);
  expect(matched.names).toEqual(names);
  expect(matched.remarks.join("\n")).toMatch(remark ?? /^$/);
});
