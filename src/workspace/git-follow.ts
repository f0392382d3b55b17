import { spawn } from "node:child_process";
import { env } from "node:process";
import { printable } from "../base/printable.ts";
import { gitEnvironment } from "./repository.ts";

/** Where a checkout is after it followed its remote, or why it could not; then it is as it was. */
export type FastForwarded = { readonly commit: string; readonly moved: boolean } | { readonly why: string };

/** A branch and where it comes from. */
export interface Upstream {
  readonly branch: string;
  readonly remote: string;
  /** Such as `refs/heads/main`, on the remote. */
  readonly ref: string;
}

/** Milliseconds for which a remote may answer nothing. */
const patience = 120_000;

/**
 * Fetches the branch that a checkout is on and fast-forwards it. Nothing that the repository itself names is run: no
 * hook, and no program of its own configuration; what the system or the person configured is.
 */
export async function fastForward(folder: string, signal?: AbortSignal): Promise<FastForwarded> {
  const git = await gitIn(folder, signal);
  if ("why" in git) return git;
  const upstream = await upstreamOf(git);
  if ("why" in upstream) return upstream;
  const { remote, ref } = upstream;
  const tracked = `refs/evenkeel/watch/${ref.replace(/^refs\/heads\//, "")}`;
  const fetched = await git.ask("fetch", ...fetchWords, "--", remote, `+${ref}:${tracked}`);
  if (fetched.code !== 0) return { why: `git cannot fetch ${ref} of ${remote}: ${firstLine(fetched)}` };
  const { stdout } = await git.ask("rev-parse", "HEAD", tracked);
  const [before = "", there] = stdout.trim().split("\n");
  if (before === there) return { commit: before, moved: false };
  const merged = await git.ask("merge", "--ff-only", "--no-autostash", "--no-verify-signatures", "--no-stat", tracked);
  if (merged.code !== 0)
    return { why: `the checkout cannot be fast-forwarded to ${ref} of ${remote}: ${firstLine(merged)}` };
  const commit = (await git.ask("rev-parse", "HEAD")).stdout.trim();
  // Git has nothing to do where the checkout is ahead: by commits of its own, or by ones that were taken back.
  if (commit === there) return { commit, moved: true };
  return { why: `the checkout cannot be fast-forwarded to ${ref} of ${remote}: it has commits that are not there` };
}

const fetchWords = ["--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--upload-pack=git-upload-pack"];

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Ask = (...words: readonly string[]) => Promise<Ran>;

/** Git in a folder, and what is configured there. */
export interface SafeGit {
  readonly ask: Ask;
  readonly setting: (key: string) => string;
}

/** The branch of a checkout and what it follows, or why it follows none. */
export async function upstreamOf({ ask, setting }: SafeGit): Promise<Upstream | { readonly why: string }> {
  const head = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  const branch = head.stdout.trim();
  if (head.code === 1) return { why: "the checkout is on no branch, so there is none to follow" };
  if (head.code !== 0) return { why: `git cannot read the repository: ${firstLine(head)}` };
  const remote = setting(`branch.${branch}.remote`);
  const ref = setting(`branch.${branch}.merge`);
  if (remote === "" || !ref.startsWith("refs/heads/")) {
    return { why: printable(`branch ${branch} follows no branch of a remote: git branch --set-upstream-to names one`) };
  }
  return { branch, remote, ref };
}

/** Asks git in a folder, safely; or why it cannot be asked. */
export async function gitIn(folder: string, signal?: AbortSignal): Promise<SafeGit | { readonly why: string }> {
  const words = ["config", "--null", "--show-scope", "--list"];
  const listed = await run(folder, words, environment(folder, []));
  if (listed.code === null) return { why: "git is not installed" };
  if (listed.code !== 0) return { why: `git cannot read the repository: ${firstLine(listed)}` };
  const settings = settingsIn(listed.stdout);
  const safe = environment(folder, overrides(settings));
  return {
    ask: (...asked) => run(folder, asked, safe, asked[0] === "fetch" ? signal : undefined),
    setting: (key) => settings.findLast((each) => each.key === key)?.value ?? "",
  };
}

/** Settings that name a program, or make git take a remote for one. */
const programs =
  /^(?:core\.(?:sshcommand|gitproxy|fsmonitor|hookspath|askpass|alternaterefscommand|editor|pager)|credential\..*helper|credential\.helper|filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver|diff\..*\.(?:command|textconv)|diff\.external|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\..*program|gpg\.program)$/;

type Setting = readonly [key: string, value: string];

interface Configured {
  /** `local` and `worktree` are the repository's own. */
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** `local\0core.bare\nfalse\0` for each. */
function settingsIn(listed: string): readonly Configured[] {
  const parts = listed.split("\0");
  return parts.flatMap((scope, index) => {
    const [key = "", ...value] = (parts[index + 1] ?? "").split("\n");
    return index % 2 === 0 && key !== "" ? [{ scope, key, value: value.join("\n") }] : [];
  });
}

/**
 * What takes the place of each such setting of the repository itself: those of the system and the person, in their
 * order, else nothing. An empty helper clears the list of those before it.
 */
function overrides(settings: readonly Configured[]): readonly Setting[] {
  const isOwn = (scope: string) => scope === "local" || scope === "worktree";
  const named = new Set(
    settings.flatMap(({ scope, key }) => (isOwn(scope) && programs.test(key.toLowerCase()) ? [key] : [])),
  );
  return [...named].flatMap((key): Setting[] => {
    const others = settings.filter((each) => each.key === key && !isOwn(each.scope));
    const first: Setting = [key, emptyOf(key)];
    return [first, ...others.map((each): Setting => [key, each.value])];
  });
}

/** What a setting has to say to name no program. */
function emptyOf(key: string): string {
  const harmless: Readonly<Record<string, string>> = {
    "core.sshcommand": "ssh",
    "core.alternaterefscommand": "true",
    "core.fsmonitor": "false",
  };
  return harmless[key.toLowerCase()] ?? (/\.required$/i.test(key) ? "false" : "");
}

const always: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** Remotes are asked by these ways alone: none of them is a program that an address names. */
const protocols = "file:git:http:https:ssh";

function environment(folder: string, settings: readonly Setting[]): NodeJS.ProcessEnv {
  const first = Number(env.GIT_CONFIG_COUNT ?? 0);
  const all = [...settings, ...always];
  const pairs = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...gitEnvironment(folder),
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_NO_LAZY_FETCH: "0",
    GIT_TERMINAL_PROMPT: "0",
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(first + all.length),
  };
}

/** Runs git to its end; a remote that does not answer is given up after a while. */
function run(cwd: string, words: readonly string[], own: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn("git", ["--no-pager", ...words], { cwd, env: own, stdio: ["ignore", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] = (texts[name] + text).slice(0, mostOutput);
      });
    const stop = () => void child.kill();
    const timer = setTimeout(stop, patience);
    signal?.addEventListener("abort", stop);
    const ended = (code: number | null) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ code, ...texts });
    };
    child.once("error", () => ended(null));
    child.once("close", (code) => ended(code ?? 1));
  });
}

const mostOutput = 16 * 1024 * 1024;

/** What git says, in one line; an address in it may hold a password. */
function firstLine({ stderr }: Ran): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^(?:warning|hint):/.test(line));
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? "it says nothing";
  const words = said.replace(/^(?:fatal|error): /, "").trim();
  return printable(words.replace(/\b([a-z][a-z+.-]*:\/\/)[^/\s@]*@/gi, "$1").slice(0, 300));
}
