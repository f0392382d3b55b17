import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import process from "node:process";
import { repositoryTop } from "./find-repository.ts";

/** Links that a path may lead through; the system gives up after as many. */
const mostLinks = 40;

/**
 * Whether who edits the files of a workspace can change what a path leads to: it lies below `root` or elsewhere in the
 * repository around it, or leads through a link or a folder there. False for what does not exist.
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

/** Not made shorter: what is above a link is above where it leads. */
function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : folder + sep + path;
}

/** Every file, folder and link on the way to what an absolute path leads to, in folders without links. */
function stepsTo(path: string, links = mostLinks): readonly string[] {
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
