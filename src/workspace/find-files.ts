import { dirname, join } from "node:path/posix";
import { type GlobRules, globFolder, globMatcher, globReach, isGlob } from "../base/glob.ts";
import type { Problem } from "../model/types.ts";
import { inside, isManifest, isWithin, type Located, list, targetOf } from "./walk.ts";

/** Options of globs over files. */
export const ofFiles: GlobRules = { crossing: false, cased: true, dots: false };

/** Maximum depth of nested linked folders that are followed. */
const mostLinks = 8;

export interface Search {
  readonly root: Located;
  readonly pattern: string;
  /** Called for a matching linked folder that cannot be followed, with the reason. */
  readonly refuse: (path: string, why: string) => void;
  readonly problems: Problem[];
}

/**
 * Finds the files that match a pattern. Linked folders are followed if they are in the workspace and the pattern can match
 * inside them. A folder is searched once per remaining pattern, so that loops terminate. Paths through fewer links come
 * first, then the order of names.
 */
export function search({ root, pattern, refuse, problems }: Search): readonly Located[] {
  const matches = globMatcher(pattern, ofFiles);
  const reach = globReach(pattern, ofFiles);
  const searched = new Set<string>();
  const found: Located[] = [];
  let links: Located[] = [];

  const file = (located: Located) => {
    if (isManifest(located.path) && matches(located.path)) found.push(located);
  };

  const folder = (located: Located) => {
    const state = reach(located.path);
    if (state === undefined || searched.has(`${located.real}\0${state}`)) return;
    searched.add(`${located.real}\0${state}`);
    for (const entry of list(located, problems)) {
      const inner = inside(located, entry.name);
      if (entry.name === "node_modules" && !pattern.includes(entry.name)) continue;
      if (entry.isSymbolicLink()) link(inner);
      else if (entry.isDirectory()) folder(inner);
      else if (entry.isFile()) file(inner);
    }
  };

  const link = (located: Located) => {
    const target = targetOf(located);
    if (!target?.isFolder) file(target ?? located);
    else if (reach(target.path) !== undefined) links.push(target);
  };

  const follow = (target: Located) => {
    if (isWithin(root, target)) folder(target);
    else refuse(target.path, "a link that leads out of the workspace");
  };

  links = [...startOf(root, pattern)];
  for (let depth = 0; links.length > 0; depth++) {
    const next = links.sort((a, b) => (a.path < b.path ? -1 : 1));
    links = [];
    if (depth <= mostLinks) next.forEach(follow);
    else for (const { path } of next) refuse(path, `a link inside ${mostLinks} linked folders`);
  }
  return found;
}

/** The literal base folder of a pattern, if any. */
function startOf(root: Located, pattern: string): readonly Located[] {
  const folder = isGlob(pattern) ? globFolder(pattern) : dirname(pattern);
  const path = folder === "." ? "" : folder;
  const target = path === "" ? root : targetOf({ path, real: join(root.real, path) });
  return target ? [target] : [];
}
