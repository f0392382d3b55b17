import { readFileSync } from "node:fs";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import type { Problem, Project } from "../model/types.ts";

/** One path per line, groups with a slash at the end. Empty lines and lines that start with `#` are ignored. */
export interface ProjectFile {
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

/** Reads a file of projects. `name`: the file as the user specified it. @throws UserError if it cannot be read. */
export function readProjectFile(path: string, name: string): ProjectFile {
  const projects = new Map<string, Project>();
  const problems: Problem[] = [];
  for (const [index, line] of readProjectsText(path, name).split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const fault = checkLine(text);
    if (!fault) projects.set(text.toLowerCase(), { name: text, path: text });
    const place = { file: name, line: index + 1, column: line.indexOf(text) + 1 };
    if (fault)
      problems.push({
        severity: "error",
        rule: "project-list",
        message: `expected a project's full path, got ${fault}`,
        place,
      });
  }
  return { projects: [...projects.values()], problems };
}

function readProjectsText(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UserError(`cannot read the projects of ${name}: ${describeSystemError(error)}`);
  }
}

function checkLine(text: string): string | undefined {
  if (/^\d+$/.test(text)) return "an ID";
  if (/[*?[\]{}]/.test(text)) return "a wildcard";
  if (/\s/.test(text)) return "several words";
  return /^\/|\/\//.test(text) ? "a path that begins with a slash, or has an empty part" : undefined;
}
