import { type Dirent, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import picomatch from "picomatch";
import { type Placed, problemAt, problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import { type Ignored, ignoredIn } from "./ignored.ts";

/** Manifests of a workspace: paths relative to it with forward slashes, sorted. */
export interface Discovered {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/** Finds manifests by the workspace's patterns, or by the default rule (contract 2). A nested workspace is its own. */
export function discover(
  root: string,
  patterns: readonly string[] | undefined,
  workspace: Placed | undefined,
): Discovered {
  return patterns && workspace ? byPatterns(root, patterns, workspace) : byDefault(root);
}

function byDefault(root: string): Discovered {
  const problems: Problem[] = [];
  const files = walk({ root, folder: "", ignored: ignoredIn(root), enters: isPlain, problems });
  return { files: files.toSorted(), problems };
}

function isPlain(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

interface Walk {
  readonly root: string;
  readonly folder: string;
  readonly ignored: Ignored | undefined;
  /** Whether a file or folder of this name counts. */
  readonly enters: (name: string) => boolean;
  readonly problems: Problem[];
}

function walk(step: Walk): readonly string[] {
  const { root, folder, ignored, enters, problems } = step;
  return list(root, folder, problems).flatMap((entry) => {
    if (!enters(entry.name)) return [];
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const absolute = join(root, path);
    if (ignored?.has(absolute, entry.isDirectory())) return [];
    if (entry.isDirectory()) return walk({ ...step, folder: path, ignored: ignored?.below(absolute) });
    return isManifest(entry, path) ? [path] : [];
  });
}

/** Patterns decide alone: git is not asked. Dot paths and node_modules count where a pattern spells them. */
function byPatterns(root: string, patterns: readonly string[], workspace: Placed): Discovered {
  const problems: Problem[] = [];
  const files = new Set<string>();
  const taken = patterns.filter((pattern) => !pattern.startsWith("!"));
  const left = matcherOf(patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1)));
  taken.forEach((written) => {
    const at = { document: workspace, path: ["manifests", patterns.indexOf(written)] };
    const pattern = written.replace(/^(?:\.\/)+/, "");
    if (leaves(pattern)) {
      problems.push(problemAt("outside", "expected a glob that stays inside the workspace", at));
      return;
    }
    const matches = matcherOf([pattern]);
    const { base, isGlob } = picomatch.scan(pattern);
    const folder = isGlob ? base : dirname(pattern);
    const enters = (name: string) => name !== "node_modules" || pattern.includes(name);
    const start = { root, folder: folder === "." ? "" : folder, ignored: undefined, enters, problems };
    const found = existsSync(join(root, folder)) ? walk(start).filter((file) => matches(file) && !left(file)) : [];
    if (found.length === 0) problems.push(problemAt("no-manifest", `${written} matches no .yaml or .yml file`, at));
    for (const file of found) files.add(file);
  });
  return { files: [...files].sort(), problems };
}

/** An empty pattern, such as what is left of `./`, matches nothing. */
function matcherOf(patterns: readonly string[]): (file: string) => boolean {
  const matches = picomatch(patterns.filter((pattern) => pattern !== ""));
  return (file) => matches(file);
}

/** `../x`, an absolute path, or a path of another drive. */
function leaves(pattern: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(pattern) || pattern.split(/[/\\{},]/).includes("..");
}

/** What is in a folder; nothing where a workspace of its own lies there. */
function list(root: string, folder: string, problems: Problem[]): readonly Dirent[] {
  try {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    return folder !== "" && entries.some(({ name }) => name === workspaceFile) ? [] : entries;
  } catch {
    problems.push(problemIn(folder, "unreadable", "this folder cannot be read"));
    return [];
  }
}

/** A file or a link by its name; what a link leads to is looked at when it is read. */
function isManifest(entry: Dirent, path: string): boolean {
  return (entry.isFile() || entry.isSymbolicLink()) && /\.ya?ml$/i.test(path) && path !== workspaceFile;
}
