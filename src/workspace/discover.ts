import { type Dirent, existsSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import type { Ignore } from "ignore";
import { type GlobRules, globFolder, globMatcher, globReach, isGlob } from "../base/glob.ts";
import { load } from "../base/load.ts";
import { repositoryTop } from "../git/open-git.ts";
import { type Placed, problemAt, problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import { isThere } from "./durable-file.ts";
import { entriesBelow, inside, isManifest, isWithin, type Located, list, onceEach, rootOf, targetOf } from "./walk.ts";

/** Manifests of a workspace: sorted relative paths with forward slashes. A file with several paths is listed once. */
export interface Discovered {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/** Finds manifests by the workspace's patterns, or by the default rule (docs/manifests.md). Nested workspaces are skipped. */
export function discover(
  root: string,
  patterns: readonly string[] | undefined,
  workspace: Placed | undefined,
): Discovered {
  return patterns && workspace ? byPatterns(rootOf(root), patterns, workspace) : byDefault(root);
}

/** Skips files that git ignores, dot paths, node_modules and linked folders. */
function byDefault(folder: string): Discovered {
  const root = rootOf(folder);
  const problems: Problem[] = [];
  const rules = new Map([[root.real, readIgnored(root.real)]]);
  const counts = (found: Located, entry: Dirent): boolean => {
    const ignored = rules.get(dirname(found.real));
    if (entry.name.startsWith(".") || entry.name === "node_modules") return false;
    if (!ignored || ignored.has(found.real, entry.isDirectory())) return false;
    if (entry.isDirectory()) rules.set(found.real, ignored.below(found.real));
    return true;
  };
  const found = entriesBelow(root, { list: (each) => list(each, problems), counts });
  const targets = found.filter(({ entry }) => entry.isFile() || entry.isSymbolicLink()).map((each) => leadsTo(each));
  const skipped = targets.filter(({ real, isFolder }) => isFolder && !rules.has(real));
  return {
    files: onceEach(
      root,
      targets.filter(({ path, isFolder }) => !isFolder && isManifest(path)),
    ),
    problems: [...problems, ...skipped.map((link) => reportUnsearched(root, link))],
  };
}

function leadsTo({ entry, ...found }: Located & { readonly entry: Dirent }): Located & { readonly isFolder: boolean } {
  const target = entry.isSymbolicLink() ? targetOf(found) : undefined;
  return target ?? { ...found, isFolder: false };
}

function reportUnsearched(root: Located, link: Located): Problem {
  const message = isWithin(root, link)
    ? "a linked folder is not searched; if it has manifests, list it under manifests in evenkeel.yaml"
    : "a linked folder outside the workspace is not searched";
  return problemIn(link.path, "linked-folder", message);
}

/** Uses only the patterns, not the ignore rules of git. Dot paths and node_modules are matched if a pattern names them. */
function byPatterns(root: Located, patterns: readonly string[], workspace: Placed): Discovered {
  const problems: Problem[] = [];
  const left = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => createMatcher(pattern.slice(1)));
  const seen = new Set<string>();
  const files = patterns.flatMap((written, index) => {
    if (written.startsWith("!") || seen.has(written)) return [];
    seen.add(written);
    const at = { document: workspace, path: ["manifests", index] };
    const pattern = written.replace(/^(?:\.\/)+/, "");
    if (leaves(pattern)) {
      problems.push(problemAt("outside", "expected a glob that stays inside the workspace", at));
      return [];
    }
    const before = problems.length;
    const refuse = (path: string, why: string) => void problems.push(problemAt("symlink", `${path} is ${why}`, at));
    const found = search({ root, pattern, refuse, problems }).filter(({ path }) => !left.some((is) => is(path)));
    if (found.length === 0 && problems.length === before) {
      problems.push(problemAt("no-manifest", `${written} matches no .yaml or .yml file${ofFolder(pattern)}`, at));
    }
    return found;
  });
  return { files: onceEach(root, files), problems };
}

/** A hint for a pattern that names a folder, which does not match the files in it. */
function ofFolder(pattern: string): string {
  const isFolder = !isGlob(pattern) && !/\.ya?ml$/i.test(pattern);
  return isFolder ? `; the files of a folder are ${pattern.replace(/\/$/, "")}/**/*.yaml` : "";
}

function createMatcher(pattern: string): (file: string) => boolean {
  return globMatcher(pattern.replace(/^(?:\.\/)+/, ""), ofFiles);
}

/** `../x`, an absolute path, or a path of another drive. */
function leaves(pattern: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(pattern) || pattern.split(/[/\\{},]/).includes("..");
}

/** True if a new file with this name would be a manifest in the workspace itself, not behind a link. */
export function isManifestPlace(folder: string, patterns: readonly string[] | undefined, file: string): boolean {
  if (!isManifest(file) || isBehindLink(rootOf(folder).real, dirname(file))) return false;
  if (!patterns) return isPlaceByDefault(rootOf(folder).real, file.split("/"));
  const [left, taken] = [
    patterns.filter((each) => each.startsWith("!")),
    patterns.filter((each) => !each.startsWith("!")),
  ];
  return taken.some((each) => createMatcher(each)(file)) && !left.some((each) => createMatcher(each.slice(1))(file));
}

/** Absolute paths of the existing targets of links in a workspace. */
export function linkTargets(folder: string): readonly string[] {
  const found = entriesBelow(rootOf(folder), {
    list: (each) => list(each, []),
    counts: (_, { name }) => name !== "node_modules" && name !== ".git",
  });
  return found.flatMap(({ entry, ...each }) => {
    const target = entry.isSymbolicLink() ? targetOf(each) : undefined;
    return target && isWithin(rootOf(folder), target) ? [target.real] : [];
  });
}

function isBehindLink(root: string, folder: string): boolean {
  const path = join(root, folder);
  if (path === root) return false;
  const target = targetOf({ path: folder, real: path });
  return target === undefined ? isThere(path) || isBehindLink(root, dirname(folder)) : target.real !== path;
}

function isPlaceByDefault(root: string, segments: readonly string[]): boolean {
  let [at, ignored] = [root, readIgnored(root)];
  return segments.every((name, index) => {
    at = join(at, name);
    const isFolder = index < segments.length - 1;
    if (name.startsWith(".") || name === "node_modules" || ignored.has(at, isFolder)) return false;
    if (isFolder) ignored = ignored.below(at);
    return !existsSync(join(at, workspaceFile));
  });
}

/** Options of globs over files. */
const ofFiles: GlobRules = { crossing: false, cased: true, dots: false };

/** Maximum depth of nested linked folders that are followed. */
const mostLinks = 8;

interface Search {
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
function search({ root, pattern, refuse, problems }: Search): readonly Located[] {
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

  links = [...findStart(root, pattern)];
  for (let depth = 0; links.length > 0; depth++) {
    const next = links.sort((a, b) => (a.path < b.path ? -1 : 1));
    links = [];
    if (depth <= mostLinks) next.forEach(follow);
    else for (const { path } of next) refuse(path, `a link inside ${mostLinks} linked folders`);
  }
  return found;
}

/** The literal base folder of a pattern, if any. */
function findStart(root: Located, pattern: string): readonly Located[] {
  const folder = isGlob(pattern) ? globFolder(pattern) : posix.dirname(pattern);
  const path = folder === "." ? "" : folder;
  const target = path === "" ? root : targetOf({ path, real: join(root.real, path) });
  return target ? [target] : [];
}

/** The ignore rules of git in a folder. The most specific matching rule applies. */
interface Ignored {
  /** `path` is absolute. */
  has(path: string, isFolder: boolean): boolean;
  /** The rules of a subfolder, including its own. */
  below(folder: string): Ignored;
}

interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The rules of a workspace and its parents up to the repository; without a repository only its own. */
function readIgnored(root: string): Ignored {
  const repository = repositoryTop(root);
  if (repository === undefined) return createIgnored([]).below(root);
  const exclude = readRules(repository, join(repository, ".git", "info", "exclude"));
  const above = foldersBetween(repository, root).flatMap((folder) => readRules(folder, join(folder, ".gitignore")));
  const outer = createIgnored([...exclude, ...above]);
  // A workspace that is itself ignored is intentional, and outside rules would ignore all of its files.
  return (outer.has(root, true) ? createIgnored([]) : outer).below(root);
}

function createIgnored(levels: readonly Rules[]): Ignored {
  return {
    has: (path, isFolder) => levels.reduce((ignored, level) => decide(level, path, isFolder) ?? ignored, false),
    below: (folder) => createIgnored([...levels, ...readRules(folder, join(folder, ".gitignore"))]),
  };
}

function decide({ folder, rules }: Rules, path: string, isFolder: boolean): boolean | undefined {
  const below = (path.startsWith(folder + sep) ? path.slice(folder.length + 1) : relative(folder, path)).replaceAll(
    sep,
    "/",
  );
  if (below === "") return undefined;
  const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
  return ignored ? true : unignored ? false : undefined;
}

function readRules(folder: string, file: string): readonly Rules[] {
  if (!existsSync(file)) return [];
  try {
    const text = readFileSync(file, "utf8");
    if (!anyRule.test(text)) return [];
    const ignore: typeof import("ignore") = load("ignore");
    return [{ folder, rules: ignore().add(text) }];
  } catch {
    return [];
  }
}

/** A rule: any line but a comment. The file that git creates has only comments. */
const anyRule = /^[^#\r\n]/m;

/** Folders from the repository down to the one above the workspace. */
function foldersBetween(repository: string, root: string): readonly string[] {
  return root === repository ? [] : [...foldersBetween(repository, dirname(root)), dirname(root)];
}
