import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { globMatcher } from "../../src/base/glob.ts";
import { read, root } from "../readme.ts";

/** All texts below keys of these names: where artifacts and caches are listed. */
function listed(value: unknown, within = false): readonly string[] {
  if (typeof value === "string") return within ? value.split("\n").filter(Boolean) : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => listed(each, within || key === "path" || key === "paths"));
}

const rules = { crossing: false, cased: true, dots: true } as const;
const takes = (pattern: string, file: string) => {
  const folder = pattern.replace(/^\.\//, "").replace(/\/+$/, "");
  return (
    folder === "" || folder === "." || globMatcher(folder, rules)(file) || globMatcher(`${folder}/**`, rules)(file)
  );
};

const files = ["examples/ci", "templates"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
);
const pipelines = [...files.filter((name) => name.endsWith(".yml")), "action.yml"];

test.each(pipelines)("%s keeps no key and no token file as an artifact", (name) => {
  const documents = parseAllDocuments(read(name), { merge: true }).map((document) => document.toJS());
  const paths = listed(documents).filter((path) => !path.startsWith("!"));
  for (const file of [".evenkeel/ledger.key", ".evenkeel/other.key", ".git/config", ".npmrc"])
    expect(paths.filter((path) => takes(path, file))).toEqual([]);
});

test("the outcomes that could not be stored are kept where there was an apply", () => {
  for (const file of ["action.yml", "templates/apply.yml"]) expect(read(file)).toContain("/.evenkeel/journal/");
});
