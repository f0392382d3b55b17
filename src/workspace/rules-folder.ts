import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeSystemError } from "../base/system-errors.ts";
import { isWithinReach } from "../git/open-git.ts";
import { type Document, parseManifest } from "../manifest/document.ts";
import { problemIn } from "../manifest/problem.ts";
import type { Problem } from "../model/types.ts";
import { textReader } from "./load.ts";
import { entriesBelow, type Located } from "./walk.ts";

export interface RulesFolder {
  readonly documents: readonly Document[];
  readonly problems: readonly Problem[];
}

const none: RulesFolder = { documents: [], problems: [] };

/** Rules that cannot be read are a problem, so that no one can bypass them. */
export function readRulesFolder({ EVENKEEL_RULES: folder }: Readonly<Record<string, string | undefined>>): RulesFolder {
  if (folder === undefined) return none;
  const why = errorAt(folder);
  if (why) return { documents: [], problems: [problemIn(folder || ".", "rules-folder", `EVENKEEL_RULES ${why}`)] };
  const root = resolve(folder);
  const problems: Problem[] = [];
  const list = (each: Located) => listEntries(each, folder, problems);
  const found = entriesBelow({ path: "", real: root }, { list, counts: (_, { name }) => !name.startsWith(".") });
  const files = found.map(({ path }) => path).filter((path) => /\.ya?ml$/i.test(path));
  const read = files.sort().map((file) => readFile(root, folder, file));
  if (files.length === 0)
    problems.push(problemIn(folder, "rules-folder", "EVENKEEL_RULES: no .yaml or .yml file there"));
  return {
    documents: read.flatMap(({ documents }) => documents),
    problems: [...problems, ...read.flatMap((each) => each.problems)],
  };
}

/** A warning if a merge request can edit the rules in EVENKEEL_RULES. */
export function rulesInside(
  { EVENKEEL_RULES: folder }: Readonly<Record<string, string | undefined>>,
  root: string,
): readonly Problem[] {
  if (!folder) return [];
  const files = readRulesFolder({ EVENKEEL_RULES: folder }).documents.map(({ file }) => file);
  const place = [folder, ...files].find((each) => isWithinReach(root, each));
  if (place === undefined) return [];
  const message =
    "rules of EVENKEEL_RULES are inside the workspace or its repository, or reached through them: whoever edits manifests can change them";
  return [{ ...problemIn(place, "rules-folder", message), severity: "warning" }];
}

function errorAt(folder: string): string | undefined {
  if (folder === "") return "is empty; expected a folder with rules";
  try {
    return statSync(folder).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    return `cannot be read: ${describeSystemError(error)}`;
  }
}

function listEntries({ path, real }: Located, folder: string, problems: Problem[]): readonly Dirent[] {
  try {
    return readdirSync(real, { withFileTypes: true });
  } catch (error) {
    problems.push(problemIn(join(folder, path), "unreadable", `cannot be read (${describeSystemError(error)})`));
    return [];
  }
}

function readFile(root: string, folder: string, file: string): RulesFolder {
  const shown = join(folder, file);
  const read = textReader(root)(file);
  if ("text" in read) return parseManifest(shown, read.text);
  return { documents: [], problems: [{ ...read.problem, place: { file: shown, line: 1, column: 1 } }] };
}
