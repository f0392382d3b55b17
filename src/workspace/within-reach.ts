import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** Links that a path may lead through; the system gives up after as many. */
const mostLinks = 40;

/**
 * Whether who edits the files below `root` can change what a path leads to: it lies there, or leads through a link or a
 * folder there. False for what does not exist.
 */
export function isWithinReach(root: string, path: string): boolean {
  try {
    const below = realpathSync(root) + sep;
    return stepsTo(resolve(path)).some((step) => step.startsWith(below));
  } catch {
    return false;
  }
}

/** Every file, folder and link on the way to what an absolute path leads to, in folders without links. */
function stepsTo(path: string, links = mostLinks): readonly string[] {
  const steps: string[] = [];
  let at: string = sep;
  const parts = path.split(sep).filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const step = join(at, part);
    steps.push(step);
    if (lstatSync(step).isSymbolicLink() && links > 0) {
      const target = resolve(dirname(step), readlinkSync(step));
      return [...steps, ...stepsTo(join(target, ...parts.slice(index + 1)), links - 1)];
    }
    at = step;
  }
  return steps;
}
