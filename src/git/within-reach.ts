import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import process from "node:process";
import { repositoryTop } from "./open-git.ts";

/** Symbolic links in a path, as the system limits them. */
const maxLinks = 40;

/**
 * Whether editing files of a workspace, or of its repository, can change the target of a path: the path is inside, or
 * passes through a folder or link inside. False if it does not exist.
 */
export function isWithinReach(root: string, path: string): boolean {
  try {
    const home = realpathSync(root);
    const below = (repositoryTop(home) ?? home) + sep;
    return stepsTo(absolute(process.cwd(), path)).some((step) => step.startsWith(below));
  } catch {
    return false;
  }
}

/** Not normalized, because `..` after a link is relative to its target. */
function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : folder + sep + path;
}

/** Every file, folder and link that resolving an absolute path passes through. */
function stepsTo(path: string, links = maxLinks): readonly string[] {
  const steps: string[] = [];
  let at: string = sep;
  const parts = path.split(sep).filter((part) => part !== "" && part !== ".");
  for (const [index, part] of parts.entries()) {
    const step = part === ".." ? dirname(at) : join(at, part);
    steps.push(step);
    if (lstatSync(step).isSymbolicLink() && links > 0) {
      const rest = [absolute(at, readlinkSync(step)), ...parts.slice(index + 1)];
      return [...steps, ...stepsTo(rest.join(sep), links - 1)];
    }
    at = step;
  }
  return steps;
}
