import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import process from "node:process";

/** A configuration key of git and its value. */
export type GitSetting = readonly [key: string, value: string];

/** A repository that was found, and the folder of its work tree. Absolute paths, links followed. */
export interface GitLocation {
  readonly gitDir: string;
  readonly top: string;
  /** Named by GIT_DIR: then the other variables of that kind are meant too. */
  readonly byEnvironment: boolean;
}

/** One call of git. */
export interface GitCall {
  readonly words: readonly string[];
  readonly cwd: string;
  /**
   * Left out only to ask which repository lies in `cwd`: git searches no folder above it. Without `top` git says which
   * work tree is configured.
   */
  readonly location?: (Omit<GitLocation, "top"> & { readonly top: string | undefined }) | undefined;
  /** Take the place of what is configured. */
  readonly settings?: readonly GitSetting[] | undefined;
  /** Whether remotes may be asked; never by a program that an address names. */
  readonly remotes?: boolean;
}

/** What git printed, and how it ended: null where there is no git. */
export interface GitRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Outputs of git may be as long as a repository is large. */
const maxOutput = 2 ** 30;

/**
 * Runs git to its end. This and {@link startGit} are the only ways in which the program starts git: always with the
 * repository that was found, so that no folder that looks like one is taken for it, and without hooks, pagers or prompts.
 */
export function runGit(call: GitCall): GitRan {
  const { args, options } = invocation(call);
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    ...options,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: maxOutput,
  });
  if (error && status === null && stdout === null) return { code: null, stdout: "", stderr: "" };
  return { code: error ? (status ?? 1) : status, stdout, stderr };
}

/** Starts git; its streams are the caller's. */
export function startGit(call: GitCall, options: Pick<SpawnOptions, "stdio" | "detached"> = {}): ChildProcess {
  const { args, options: own } = invocation(call);
  return spawn("git", args, { ...own, ...options });
}

function invocation({ words, cwd, location, settings = [], remotes = false }: GitCall) {
  const tree = location?.top === undefined ? [] : [`--work-tree=${location.top}`];
  const where = location ? [`--git-dir=${location.gitDir}`, ...tree] : [];
  const hardening = always.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const env = {
    ...inherited(location),
    ...(location ? {} : { GIT_CEILING_DIRECTORIES: dirname(cwd) }),
    ...literal,
    ...(remotes ? online : offline),
    ...configured(settings),
  };
  return { args: ["--no-pager", ...where, ...hardening, ...words], options: { cwd, env } };
}

/** What holds for each call, whatever is configured. */
const always: readonly GitSetting[] = [
  ["safe.bareRepository", "explicit"],
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["log.showSignature", "false"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** An object is what its ID says, whatever refs/replace puts in its place; a path is no pattern; answers are in English. */
const literal = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
};

/** A clone with --filter would fetch what it lacks as soon as it is read. */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

const online = { GIT_NO_LAZY_FETCH: "0", GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" };

/** Name a repository or a part of it: what a hook sets for the folder that it runs in would mislead git in another. */
const locations: readonly string[] = [
  ...["GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"],
];

/** Variables that change what git answers, which is never intended here; the location is passed as options. */
const misleading: readonly string[] = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES", "GIT_CONFIG"],
  ...["GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PAGER", "GIT_ATTR_SOURCE", "GIT_REPLACE_REF_BASE"],
  ...["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"],
];

/**
 * What git is given of the environment: no secret of Evenkeel's own. What the user configured by it stays, such as
 * GIT_SSH_COMMAND, GIT_ASKPASS, GIT_CONFIG_GLOBAL and the numbered GIT_CONFIG_KEY.
 */
function inherited(location: GitCall["location"]): NodeJS.ProcessEnv {
  const dropped = new Set([...misleading, ...(location?.byEnvironment ? [] : locations)]);
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("EVENKEEL_") && !dropped.has(name));
  return Object.fromEntries(kept);
}

/** Behind those that the environment passes already. Keys may hold any character, as options of git may not. */
function configured(settings: readonly GitSetting[]): NodeJS.ProcessEnv {
  if (settings.length === 0) return {};
  const first = Number(process.env.GIT_CONFIG_COUNT || 0);
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}
