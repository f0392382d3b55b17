import { type ChildProcess, spawn } from "node:child_process";
import process, { env } from "node:process";
import { printable } from "../base/printable.ts";
import { gitEnvironment } from "./repository.ts";

/** Milliseconds for which a remote may answer nothing. */
const patience = 120_000;

/** What git printed, and how it ended: null where there is no git. */
export interface GitRan {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Ask = (...words: readonly string[]) => Promise<GitRan>;

/** Git in a folder, and what is configured there. */
export interface SafeGit {
  readonly ask: Ask;
  readonly setting: (key: string) => string;
}

/** Asks git in a folder, safely; or why it cannot be asked. */
export async function gitIn(folder: string, signal?: AbortSignal): Promise<SafeGit | { readonly why: string }> {
  const words = ["config", "--null", "--show-scope", "--list"];
  const listed = await run(folder, words, environment(folder, []));
  if (listed.code === null) return { why: "git is not installed" };
  if (listed.code !== 0) return { why: `git cannot read the repository: ${gitTrouble(listed)}` };
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

/** What a setting has to say to name no program but the usual one. */
function emptyOf(key: string): string {
  const harmless: Readonly<Record<string, string>> = {
    "core.sshcommand": "ssh",
    "core.alternaterefscommand": "true",
    "core.fsmonitor": "false",
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
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
function run(cwd: string, words: readonly string[], own: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<GitRan> {
  return new Promise((resolve) => {
    const child = spawn("git", ["--no-pager", ...words], {
      ...{ cwd, env: own, stdio: ["ignore", "pipe", "pipe"] as const },
      detached: signal !== undefined,
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] = (texts[name] + text).slice(0, mostOutput);
      });
    const ended = (ran: GitRan) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve(ran);
    };
    const stop = () => {
      killAll(child);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      ended({ code: 1, stdout: "", stderr: noAnswer });
    };
    const timer = setTimeout(stop, patience);
    signal?.addEventListener("abort", stop);
    child.once("error", () => ended({ code: null, ...texts }));
    child.once("close", (code) => ended({ code: code ?? 1, ...texts }));
    if (signal?.aborted) stop();
  });
}

/** With what git began itself, such as ssh, which would go on: both are a group of their own where git was detached. */
function killAll(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid);
  } catch {
    child.kill();
  }
}

/** What is said of a remote that does not answer. */
export const noAnswer = "no answer";

const mostOutput = 16 * 1024 * 1024;

/** What git says, in one line; an address in it may hold a password. */
export function gitTrouble({ stderr }: GitRan): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^(?:warning|hint):/.test(line));
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? "it says nothing";
  const words = said.replace(/^(?:fatal|error): /, "").trim();
  return printable(words.replace(/\b([a-z][a-z+.-]*:\/\/)[^/\s@]*@/gi, "$1").slice(0, 300));
}
