import { type Dirent, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { globMatcher, globReach, isGlob } from "../base/glob.ts";
import { type Placed, problemAt, problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import { isThere } from "./durable-file.ts";
import { ofFiles, search } from "./find-files.ts";
import { ignoredIn } from "./ignored.ts";
import { entriesBelow, isManifest, isWithin, type Located, list, onceEach, rootOf, targetOf } from "./walk.ts";

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
  const rules = new Map([[root.real, ignoredIn(root.real)]]);
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
    problems: [...problems, ...skipped.map((link) => unsearched(root, link))],
  };
}

function leadsTo({ entry, ...found }: Located & { readonly entry: Dirent }): Located & { readonly isFolder: boolean } {
  const target = entry.isSymbolicLink() ? targetOf(found) : undefined;
  return target ?? { ...found, isFolder: false };
}

function unsearched(root: Located, link: Located): Problem {
  const message = isWithin(root, link)
    ? "a linked folder is not searched; if it has manifests, list it under manifests in evenkeel.yaml"
    : "a linked folder outside the workspace is not searched";
  return problemIn(link.path, "linked-folder", message);
}

/** Uses only the patterns, not the ignore rules of git. Dot paths and node_modules are matched if a pattern names them. */
function byPatterns(root: Located, patterns: readonly string[], workspace: Placed): Discovered {
  const problems: Problem[] = [];
  const left = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => matcherOf(pattern.slice(1)));
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

function matcherOf(pattern: string): (file: string) => boolean {
  return globMatcher(pattern.replace(/^(?:\.\/)+/, ""), ofFiles);
}

/** `../x`, an absolute path, or a path of another drive. */
function leaves(pattern: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(pattern) || pattern.split(/[/\\{},]/).includes("..");
}

/** Whether a new file with this name would be a manifest in the workspace itself, not behind a link. */
export function isManifestPlace(folder: string, patterns: readonly string[] | undefined, file: string): boolean {
  if (!isManifest(file) || isBehindLink(rootOf(folder).real, dirname(file))) return false;
  if (!patterns) return isPlaceByDefault(rootOf(folder).real, file.split("/"));
  const [left, taken] = [
    patterns.filter((each) => each.startsWith("!")),
    patterns.filter((each) => !each.startsWith("!")),
  ];
  return taken.some((each) => matcherOf(each)(file)) && !left.some((each) => matcherOf(each.slice(1))(file));
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

/** Whether patterns would search a folder with this name, relative to the workspace. */
export function isReachedFolder(patterns: readonly string[], name: string): boolean {
  if (name === "" || name.startsWith("..")) return false;
  const taken = patterns.filter((each) => !each.startsWith("!"));
  return taken.some((each) => globReach(each.replace(/^(?:\.\/)+/, ""), ofFiles)(name) !== undefined);
}

function isBehindLink(root: string, folder: string): boolean {
  const path = join(root, folder);
  if (path === root) return false;
  const target = targetOf({ path: folder, real: path });
  return target === undefined ? isThere(path) || isBehindLink(root, dirname(folder)) : target.real !== path;
}

function isPlaceByDefault(root: string, segments: readonly string[]): boolean {
  let [at, ignored] = [root, ignoredIn(root)];
  return segments.every((name, index) => {
    at = join(at, name);
    const isFolder = index < segments.length - 1;
    if (name.startsWith(".") || name === "node_modules" || ignored.has(at, isFolder)) return false;
    if (isFolder) ignored = ignored.below(at);
    return !existsSync(join(at, workspaceFile));
  });
}
