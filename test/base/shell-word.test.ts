import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printable } from "../../src/base/printable.ts";
import { shellWord } from "../../src/base/text-format.ts";
import { tempFolder } from "../support/folder.ts";
import { attacks } from "../support/hostile.ts";

const whole = attacks.filter((each) => each.isWellFormed() && !each.includes("\0"));
const words = [
  "-",
  "pay/core:license/MIT",
  "",
  "-x",
  "~",
  "=ls",
  "a b",
  "!!",
  "*",
  "\\'",
  "'\n'; touch hit; '",
  ...whole,
];
const sheltered = [
  "'; touch hit; echo '",
  "$(touch hit)",
  "`touch hit`",
  "\u200b'; touch hit; '",
  "\\'\u200b; touch hit",
];

test.each(["bash", "sh"])("%s takes every word as one, and runs none", (shell) => {
  const folder = tempFolder();
  const all = [...words, ...sheltered];
  const seen = all.filter((word) => shell === "bash" || !shellWord(word).startsWith("$"));
  const line = `printf '%s\\0' ${seen.map(shellWord).join(" ")}`;
  const ran = spawnSync(shell, ["-c", line], { cwd: folder, encoding: "utf8" });
  expect(ran.stdout.split("\0").slice(0, -1)).toEqual(seen);
  spawnSync(shell, ["-c", `: ${all.map(shellWord).join(" ")}`], { cwd: folder });
  expect(existsSync(join(folder, "hit"))).toBe(false);
});

test("what is suggested can be printed as it is", () => {
  for (const word of [...words, ...sheltered]) expect(printable(`x ${shellWord(word)}`)).toBe(`x ${shellWord(word)}`);
});

test("plain words stay plain", () => {
  expect(shellWord("pay/core:integration/irc-gateway")).toBe("pay/core:integration/irc-gateway");
});
