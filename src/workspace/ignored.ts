import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import type { Ignore } from "ignore";

const require = createRequire(import.meta.url);

/** The ignore rules of git in a folder. The most specific matching rule applies. */
export interface Ignored {
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
export function ignoredIn(root: string): Ignored {
  const repository = findRepository(root);
  if (repository === undefined) return ignoredBy([]).below(root);
  const exclude = rulesIn(repository, join(repository, ".git", "info", "exclude"));
  const above = foldersBetween(repository, root).flatMap((folder) => rulesIn(folder, join(folder, ".gitignore")));
  const outer = ignoredBy([...exclude, ...above]);
  // A workspace that is itself ignored is there on purpose, and outside rules would ignore all of its files.
  return (outer.has(root, true) ? ignoredBy([]) : outer).below(root);
}

function ignoredBy(levels: readonly Rules[]): Ignored {
  return {
    has: (path, isFolder) => levels.reduce((ignored, level) => decide(level, path, isFolder) ?? ignored, false),
    below: (folder) => ignoredBy([...levels, ...rulesIn(folder, join(folder, ".gitignore"))]),
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

function rulesIn(folder: string, file: string): readonly Rules[] {
  if (!existsSync(file)) return [];
  try {
    const text = readFileSync(file, "utf8");
    if (!anyRule.test(text)) return [];
    const ignore: typeof import("ignore") = require("ignore");
    return [{ folder, rules: ignore().add(text) }];
  } catch {
    return [];
  }
}

/** A line that is no comment: the file that git itself writes has none. */
const anyRule = /^[^#\r\n]/m;

function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

/** Folders from the repository down to the one above the workspace. */
function foldersBetween(repository: string, root: string): readonly string[] {
  return root === repository ? [] : [...foldersBetween(repository, dirname(root)), dirname(root)];
}
