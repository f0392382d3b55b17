import { type Dirent, existsSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import type { Ignore } from "ignore";
import { ifPossible } from "../base/exit.ts";
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

/** A search for manifests that does not follow linked folders. */
interface Search {
  readonly root: Located;
  readonly problems: Problem[];
  readonly searched: Set<string>;
  readonly links: Located[];
}

/**
 * Finds manifests by the workspace's patterns, or by the default rule (docs/manifests.md): sorted relative paths with
 * forward slashes, one for each file. Nested workspaces are skipped. Warns of each linked folder whose target was not
 * searched either.
 */
export function discover(
  folder: string,
  patterns: readonly string[] | undefined,
  workspace: Placed | undefined,
): { readonly files: readonly string[]; readonly problems: readonly Problem[] } {
  const root = rootOf(folder);
  const search: Search = { root, problems: [], searched: new Set(), links: [] };
  const { problems, searched, links } = search;
  const files =
    patterns && workspace
      ? findByPatterns(search, patterns, workspace)
      : findFiles(search, root, defaultRule(root.real));
  const unsearched = new Map(links.filter(({ real }) => !searched.has(real)).map((link) => [link.path, link]));
  const warnings = Array.from(unsearched.values(), (link) => {
    const message = isWithin(root, link)
      ? "a linked folder is not searched; if it has manifests, list it under manifests in evenkeel.yaml"
      : "a linked folder outside the workspace is not searched";
    return problemIn(link.path, "linked-folder", message);
  });
  return { files: onceEach(root, files), problems: [...problems, ...warnings] };
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
  const files = found.filter(({ entry }) => entry.isFile() || entry.isSymbolicLink());
  const targets = files.map(({ entry, ...each }) => {
    return (entry.isSymbolicLink() && targetOf(each)) || { ...each, isFolder: false };
  });
  links.push(...targets.filter(({ isFolder }) => isFolder));
  return targets.filter(({ path, isFolder }) => !isFolder && isManifest(path));
}

/** Skips files that git ignores, dot paths and node_modules. Expects each folder before what it contains. */
function defaultRule(root: string): Counts {
  const rules = new Map([[root, rulesAt(root)]]);
  return ({ real }, entry) => {
    const levels = rules.get(dirname(real));
    if (entry.name.startsWith(".") || entry.name === "node_modules" || !levels) return false;
    if (isIgnored(levels, real, entry.isDirectory())) return false;
    if (entry.isDirectory()) rules.set(real, [...levels, ...readRules(real)]);
    return true;
  };
}

type Counts = (found: Pick<Located, "real">, entry: Pick<Dirent, "name" | "isDirectory">) => boolean;

/** Uses only the patterns, not the ignore rules of git. Dot paths and node_modules are matched if a pattern names them. */
function findByPatterns(search: Search, patterns: readonly string[], workspace: Placed): readonly Located[] {
  const { root, problems } = search;
  const isLeft = matchAny(patterns.filter(isNegative));
  return patterns.flatMap((written, index) => {
    if (isNegative(written) || patterns.indexOf(written) < index) return [];
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
    const found = start ? matchesOf(search, start, pattern).filter(({ path }) => !isLeft(path)) : [];
    if (found.length === 0 && problems.length === before) {
      problems.push(problemAt("no-manifest", `${written} matches no .yaml or .yml file${ofFolder(pattern)}`, at));
    }
    return found;
  });
}

function isNegative(pattern: string): boolean {
  return pattern.startsWith("!");
}

function matchAny(patterns: readonly string[]): (file: string) => boolean {
  const tests = patterns.map((pattern) => globMatcher(pattern.replace(/^!?(?:\.\/)*/, ""), ofFiles));
  return (file) => tests.some((test) => test(file));
}

/** A hint for a pattern that names a folder, which does not match the files in it. */
function ofFolder(pattern: string): string {
  const isFolder = !isGlob(pattern) && !/\.ya?ml$/i.test(pattern);
  return isFolder ? `; the files of a folder are ${pattern.replace(/\/$/, "")}/**/*.yaml` : "";
}

/** `../x`, an absolute path, or a path of another drive. */
function leaves(pattern: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(pattern) || pattern.split(/[/\\{},]/).includes("..");
}

/** True if a new file with this name would be a manifest in the workspace itself, not behind a link. */
export function isManifestPlace(folder: string, patterns: readonly string[] | undefined, file: string): boolean {
  const root = rootOf(folder).real;
  if (!isManifest(file) || isBehindLink(root, dirname(file))) return false;
  if (!patterns) return isPlaceByDefault(root, file.split("/"));
  return matchAny(patterns.filter((each) => !isNegative(each)))(file) && !matchAny(patterns.filter(isNegative))(file);
}

function isBehindLink(root: string, folder: string): boolean {
  const path = join(root, folder);
  if (path === root) return false;
  const target = targetOf({ path: folder, real: path });
  return target === undefined ? isThere(path) || isBehindLink(root, dirname(folder)) : target.real !== path;
}

function isPlaceByDefault(root: string, segments: readonly string[]): boolean {
  const counts = defaultRule(root);
  return segments.every((name, index) => {
    const real = join(root, ...segments.slice(0, index + 1));
    const isDirectory = () => index < segments.length - 1;
    return counts({ real }, { name, isDirectory }) && !existsSync(join(real, workspaceFile));
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
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The rules of a workspace and its parents up to the repository; without a repository only its own. */
function rulesAt(root: string): readonly Rules[] {
  const repository = repositoryTop(root);
  if (repository === undefined) return readRules(root);
  const exclude = readRules(repository, join(".git", "info", "exclude"));
  const above = [...exclude, ...foldersBetween(repository, root).flatMap((folder) => readRules(folder))];
  // A workspace that is itself ignored is intentional, and outside rules would ignore all of its files.
  return [...(isIgnored(above, root, true) ? [] : above), ...readRules(root)];
}

function isIgnored(levels: readonly Rules[], path: string, isFolder: boolean): boolean {
  return levels.reduce((isSoFar, { folder, rules }) => {
    const below = (path.startsWith(folder + sep) ? path.slice(folder.length + 1) : relative(folder, path)).replaceAll(
      sep,
      "/",
    );
    if (below === "") return isSoFar;
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
    return ignored || (!unignored && isSoFar);
  }, false);
}

function readRules(folder: string, file = ".gitignore"): readonly Rules[] {
  const path = join(folder, file);
  const text = existsSync(path) ? (ifPossible(() => readFileSync(path, "utf8")) ?? "") : "";
  if (!anyRule.test(text)) return [];
  const ignore: typeof import("ignore") = load("ignore");
  return ifPossible(() => [{ folder, rules: ignore().add(text) }]) ?? [];
}

/** A rule: any line but a comment. The file that git creates has only comments. */
const anyRule = /^[^#\r\n]/m;

/** Folders from the repository down to the one above the workspace. */
function foldersBetween(repository: string, root: string): readonly string[] {
  return root === repository ? [] : [...foldersBetween(repository, dirname(root)), dirname(root)];
}
