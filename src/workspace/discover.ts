import { type Dirent, existsSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import type { Ignore } from "ignore";
import { type GlobRules, globFolder, globMatcher, isGlob } from "../base/glob.ts";
import { load } from "../base/load.ts";
import { repositoryTop } from "../git/open-git.ts";
import { type Placed, problemAt, problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import { isThere } from "./durable-file.ts";
import {
  entriesBelow,
  isManifest,
  isWithin,
  type Located,
  list,
  onceEach,
  rootOf,
  targetOf,
  type Walk,
} from "./walk.ts";

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
  return patterns && workspace ? byPatterns(rootOf(root), patterns, workspace) : byDefault(rootOf(root));
}

/** A search for manifests that does not follow linked folders. */
interface Search {
  readonly root: Located;
  readonly problems: Problem[];
  readonly searched: Set<string>;
  readonly links: Located[];
}

function beginSearch(root: Located): Search {
  return { root, problems: [], searched: new Set(), links: [] };
}

/** The files below a folder that may be manifests, by name. */
function findFiles({ problems, searched, links }: Search, start: Located, counts: Walk["counts"]): readonly Located[] {
  searched.add(start.real);
  const found = entriesBelow(start, {
    list: (each) => list(each, problems),
    counts: (each, entry) => {
      const isCounted = counts(each, entry);
      if (isCounted && entry.isDirectory()) searched.add(each.real);
      return isCounted;
    },
  });
  const targets = found.filter(({ entry }) => entry.isFile() || entry.isSymbolicLink()).map(leadsTo);
  links.push(...targets.filter(({ isFolder }) => isFolder));
  return targets.filter(({ path, isFolder }) => !isFolder && isManifest(path));
}

/** The result, with a warning for each linked folder whose target was not searched either. */
function endSearch({ root, problems, searched, links }: Search, files: readonly Located[]): Discovered {
  const unsearched = new Map(links.filter(({ real }) => !searched.has(real)).map((link) => [link.path, link]));
  const warnings = Array.from(unsearched.values(), (link) => reportUnsearched(root, link));
  return { files: onceEach(root, files), problems: [...problems, ...warnings] };
}

/** Skips files that git ignores, dot paths and node_modules. */
function byDefault(root: Located): Discovered {
  const search = beginSearch(root);
  const rules = new Map([[root.real, readIgnored(root.real)]]);
  const files = findFiles(search, root, (found, entry) => {
    const ignored = rules.get(dirname(found.real));
    if (entry.name.startsWith(".") || entry.name === "node_modules") return false;
    if (!ignored || ignored.has(found.real, entry.isDirectory())) return false;
    if (entry.isDirectory()) rules.set(found.real, ignored.below(found.real));
    return true;
  });
  return endSearch(search, files);
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
  const search = beginSearch(root);
  const { problems } = search;
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
    const start = findStart(root, pattern);
    if (start && !isWithin(root, start)) {
      problems.push(problemAt("symlink", `${start.path} is a link that leads out of the workspace`, at));
      return [];
    }
    const before = problems.length;
    const found = start ? matchesOf(search, start, pattern).filter(({ path }) => !left.some((is) => is(path))) : [];
    if (found.length === 0 && problems.length === before) {
      problems.push(problemAt("no-manifest", `${written} matches no .yaml or .yml file${ofFolder(pattern)}`, at));
    }
    return found;
  });
  return endSearch(search, files);
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

const ofFiles: GlobRules = { crossing: false, cased: true, dots: false };

function matchesOf(search: Search, start: Located, pattern: string): readonly Located[] {
  const matches = globMatcher(pattern, ofFiles);
  const hasDots = /(?:^|[/{,])\\?\./.test(pattern);
  const depth = pattern.includes("**") ? Number.POSITIVE_INFINITY : pattern.split("/").length;
  const counts: Walk["counts"] = ({ path }, { name }) => {
    if (name === "node_modules" && !pattern.includes(name)) return false;
    return (hasDots || !name.startsWith(".")) && path.split("/").length <= depth;
  };
  return findFiles(search, start, counts).filter(({ path }) => matches(path));
}

/** The literal base folder of a pattern, if any. It may be a link. */
function findStart(root: Located, pattern: string): Located | undefined {
  const folder = isGlob(pattern) ? globFolder(pattern) : posix.dirname(pattern);
  const path = folder === "." ? "" : folder;
  return path === "" ? root : targetOf({ path, real: join(root.real, path) });
}

/** The ignore rules of git in a folder. The most specific matching rule applies. */
interface Ignored {
  has(path: string, isFolder: boolean): boolean;
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
