import type { ChildProcess } from "node:child_process";
import process from "node:process";
import { printable } from "../base/printable.ts";
import { findRepository } from "./find-repository.ts";
import { listSettings, settingsIn, withoutPrograms } from "./program-settings.ts";
import { type GitCall, type GitRan, startGit } from "./run-git.ts";

/** Milliseconds for which a remote may answer nothing. */
const patience = 120_000;

type Ask = (...words: readonly string[]) => Promise<GitRan>;

/** Git in a folder, and what is configured there. */
export interface SafeGit {
  readonly ask: Ask;
  readonly setting: (key: string) => string;
}

/** Asks git in a folder, and its remotes, safely; or why it cannot be asked. */
export async function gitIn(folder: string, signal?: AbortSignal): Promise<SafeGit | { readonly why: string }> {
  const found = findRepository(folder);
  if ("ran" in found) return { why: whyUnreadable(found.ran) };
  const { location, home: cwd } = found;
  const listed = await run({ cwd, location, words: listSettings });
  if (listed.code !== 0) return { why: whyUnreadable(listed) };
  const configured = settingsIn(listed.stdout);
  const settings = withoutPrograms(configured);
  return {
    ask: (...words) =>
      run({ cwd, location, words, settings, remotes: true }, words[0] === "fetch" ? signal : undefined),
    setting: (key) => configured.findLast((each) => each.key === key)?.value ?? "",
  };
}

function whyUnreadable(ran: GitRan): string {
  return ran.code === null ? "git is not installed" : `git cannot read the repository: ${gitTrouble(ran)}`;
}

/** Runs git to its end; a remote that does not answer is given up after a while. */
function run(call: GitCall, signal?: AbortSignal): Promise<GitRan> {
  return new Promise((resolve) => {
    const child = startGit(call, { stdio: ["ignore", "pipe", "pipe"], detached: signal !== undefined });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        texts[name] = (texts[name] + text).slice(0, mostOutput);
      });
    const ended = (ran: GitRan) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve(ran);
    };
    const stop = () => {
      killAll(child);
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
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
