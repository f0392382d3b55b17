import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { printable } from "../base/printable.ts";
import { type GitRan, runGit, runGitForBytes, runGitInBackground } from "./run-git.ts";

/** The repository around a folder, read and changed by git without hooks. */
export interface Git {
  readonly top: string;
  /** Path from there to the folder: empty, or with a trailing slash. */
  readonly prefix: string;
  readonly run: (...args: readonly string[]) => GitRan;
  /** The output; undefined if git fails. */
  readonly ask: (...args: readonly string[]) => string | undefined;
  readonly readBytes: (args: readonly string[], input: string) => Buffer;
  /** Runs in the background, and may contact remotes. */
  readonly start: (args: readonly string[], signal?: AbortSignal) => Promise<GitRan>;
  readonly setting: (key: string) => string;
}

/** By the nearest `.git` in the folder or a parent. A bare repository does not count, because a commit can contain one. */
export function openGit(folder: string): Git | { readonly failed: GitRan } {
  const cwd = realpathSync.native(folder);
  const top = repositoryTop(cwd);
  if (top === undefined) return { failed: fail("not a git repository") };
  const ran = runGit({ cwd: top, args: ["rev-parse", "--is-bare-repository", "--absolute-git-dir"] });
  if (ran.code !== 0) return { failed: ran };
  const [, isBare, gitDir = ""] = /^(true|false)\r?\n(.*?)\r?\n$/s.exec(ran.stdout) ?? [];
  if (isBare !== "false" || gitDir === top) return { failed: fail("this operation must be run in a work tree") };
  const location = { gitDir, top };
  const run: Git["run"] = (...args) => runGit({ cwd, location, args });
  return {
    top,
    prefix: gitPrefixOf(relative(top, cwd)),
    run,
    ask: (...args) => {
      const { code, stdout } = run(...args);
      return code === 0 ? stdout : undefined;
    },
    readBytes: (args, input) => runGitForBytes({ cwd: top, location, args }, input),
    start: (args, signal) => runGitInBackground({ cwd, location, args, remotes: true }, signal),
    setting: (key) => run("config", "--get", key).stdout.trim(),
  };
}

/** A path below a folder as a prefix of git's paths: empty, or with a trailing slash. */
export function gitPrefixOf(below: string): string {
  return below === "" ? "" : `${below.split(sep).join("/")}/`;
}

/** The error message of git in one line, without passwords in URLs. */
export function gitError({ stderr }: GitRan): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^(?:warning|hint):/.test(line));
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? "git printed no message";
  const message = said.replace(/^(?:fatal|error): /, "").trim();
  return printable(message.replace(/\b([a-z][a-z+.-]*:\/\/)[^/\s@]*@/gi, "$1").slice(0, 300));
}

/** The nearest folder with a `.git`, from a path without links upward; does not start git. */
export function repositoryTop(folder: string): string | undefined {
  if (isRepository(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryTop(dirname(folder));
}

function isRepository(path: string): boolean {
  const options = { throwIfNoEntry: false } as const;
  try {
    const stat = lstatSync(realpathSync(path), options);
    return stat?.isFile() === true || lstatSync(join(path, "HEAD"), options) !== undefined;
  } catch {
    return false;
  }
}

function fail(said: string): GitRan {
  return { code: 128, stdout: "", stderr: `fatal: ${said}\n` };
}

/** True if editing a workspace or its repository can change the target of a path. False if it does not exist. */
export function isWithinReach(root: string, path: string): boolean {
  try {
    const home = realpathSync(root);
    const below = (repositoryTop(home) ?? home) + sep;
    return stepsTo(absolute(process.cwd(), path)).some((step) => step.startsWith(below));
  } catch {
    return false;
  }
}

/** Not normalized, because `..` after a link is relative to its target. */
function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : folder + sep + path;
}

function stepsTo(path: string, links = 40): readonly string[] {
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
