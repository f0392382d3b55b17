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

test("mistakes have their location in the file", () => {
  const at = (text: string, change: readonly [string, string]) => read({ "k/a.yaml": text.replace(...change) });
  expect(at(freeze, ["needs:", "need:"])).toEqual(["k/a.yaml:15:1 need unknown key need; did you mean needs?"]);
  expect(at(`${policy}---\n${freeze}`, ["name: windows", "name: webhooks"])).toEqual([
    "k/a.yaml:9:7 name webhooks is taken by the kind webhooks of projects",
  ]);
  expect(at(freeze, ["loosened: after == null", "loosened: aftr == null"])[0]).toContain(
    "k/a.yaml:16:11 loosened not an expression of CEL: unknown name aftr; did you mean after?",
  );
  const stored = 'freeze_end: { x-store: "parms.freeze_end", ';
  expect(at(freeze, ["freeze_end: { ", stored])[0]).toContain("unknown name parms; did you mean params?");
  expect(read({ "a.yaml": freeze, "b.yaml": freeze })).toHaveLength(2);
});
