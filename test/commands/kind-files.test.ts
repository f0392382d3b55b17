import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readKindFiles } from "../../src/commands/serve.ts";
import { root } from "../readme.ts";
import { folder } from "../support/folder.ts";

const freeze = readFileSync(join(root, "examples/own-kind/kinds/freeze_periods.yaml"), "utf8").replaceAll(
  "freeze_period",
  "window",
);
const policy = "apiVersion: evenkeel/v1\nkind: Policy\nname: a\nprojects: [a/b]\n";

const read = (files: Readonly<Record<string, string>>) => {
  const found = readKindFiles(folder(files).root, ".");
  if ("kinds" in found) return found.kinds.map(({ name }) => name);
  return found.problems.map(
    ({ place, path, message }) => `${place?.file}:${place?.line}:${place?.column} ${path} ${message}`,
  );
};

test("kinds are found in a folder and below it, among other documents", () => {
  expect(read({ "a.yaml": policy, "kinds/b.yml": freeze, "c.txt": freeze, ".git/d.yaml": freeze })).toEqual([
    "windows",
  ]);
  const other = freeze.replaceAll("window", "pause");
  expect(read({ "a.yaml": `${policy}---\n${freeze}---\n${other}` })).toEqual(["windows", "pauses"]);
  expect(read({ "a.yaml": policy })).toEqual([]);
});

test("the folder may be absolute", () => {
  const { root: absolute } = folder({ "b.yml": freeze });
  expect(readKindFiles(folder({}).root, absolute)).toMatchObject({ kinds: [{ name: "windows" }] });
});
