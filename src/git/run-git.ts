import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import process from "node:process";
import { foreignEnvironment, runInGroup } from "./process-group.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Undefined only to search for a repository in `cwd`; git does not search parent folders. */
  readonly location?: { readonly gitDir: string; readonly top: string };
  /** True if remotes may be contacted; transports that run programs are disabled. */
  readonly remotes?: boolean;
}

/** The output and exit code of git; null if git is not installed. */
export interface GitRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bytes; and those of background commands. */
const [maxOutput, maxText] = [2 ** 30, 2 ** 24];

/** All calls of git go through this or its variants: with an explicit repository, without hooks, pagers or prompts. */
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

export function runGitForBytes(call: GitCall, input: string): Buffer {
  const { args, options } = invocation(call);
  const { stdout } = spawnSync("git", args, {
    ...options,
    input,
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: maxOutput,
  });
  return stdout ?? Buffer.alloc(0);
}

export const noAnswer = "no answer";

/** Runs git without blocking, with a timeout. Ending it also ends its child processes, such as ssh. */
export async function runGitInBackground(call: GitCall, signal?: AbortSignal): Promise<GitRan> {
  const { args, options } = invocation(call);
  const limits = { timeout: 120_000, maxBytes: maxText, kill: "SIGTERM" } as const;
  const { end, stdout, stderr } = await runInGroup({ program: "git", args, ...options, ...limits, signal });
  if (end instanceof Error) return { code: null, stdout: "", stderr: "" };
  if (end === "timeout" || end === "stopped") return { code: 1, stdout: "", stderr: noAnswer };
  return { code: typeof end === "number" ? end : 1, stdout: stdout.toString(), stderr };
}

function invocation({ args, cwd, location, remotes = false }: GitCall) {
  const where = location ? [`--git-dir=${location.gitDir}`, `--work-tree=${location.top}`] : [];
  const hardening = always.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const inherited = Object.entries(foreignEnvironment(process.env)).filter(([name]) => {
    return !name.startsWith("GIT_") || configuration.test(name);
  });
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(inherited),
    ...(location ? {} : { GIT_CEILING_DIRECTORIES: dirname(cwd) }),
    ...literal,
    ...(remotes ? online : offline),
  };
  return { args: ["--no-pager", ...where, ...hardening, ...args], options: { cwd, env } };
}

const always: readonly (readonly [key: string, value: string])[] = [
  ["safe.bareRepository", "explicit"],
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["log.showSignature", "false"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** Ignores replaced objects, takes paths literally, and prints messages in English. */
const literal = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
};

/** Reading a partial clone must not fetch missing objects. */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

const online = { GIT_NO_LAZY_FETCH: "0", GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" };

/** Variables by which users configure git; others may name another repository, or change what git prints. */
const configuration = /^GIT_(?:SSH|ASKPASS|CONFIG_|HTTP|SSL|PROXY|CURL|TRACE|EXEC_PATH)/;
