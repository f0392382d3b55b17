import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * The end of a sentence on why a path inside a folder must not be written; undefined if it may be. Links inside the folder
 * are followed. Links that leave it, lead into a `.git` or are broken are rejected, because a commit can contain them.
 */
export function linkFault(root: string, path: string): string | undefined {
  const names = path.split(/[/\\]/).filter((name) => name !== "" && name !== ".");
  const links = names.map((_, index) => names.slice(0, index + 1).join("/")).filter((each) => isLink(join(root, each)));
  for (const link of links) {
    const where = leadsTo(root, join(root, link));
    if (where !== undefined) return `${link} is a symbolic link that leads ${where}; remove the link`;
  }
  return undefined;
}

/** Whether a path is itself a symbolic link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function leadsTo(root: string, link: string): string | undefined {
  try {
    const below = relative(realpathSync(root), realpathSync(link)).split(sep);
    if (below[0] === "..") return "out of the workspace";
    return below.some((name) => name.toLowerCase() === ".git") ? "into .git" : undefined;
  } catch {
    return "nowhere";
  }
}
