import type { ChildProcess } from "node:child_process";
import process from "node:process";
import { printable } from "../base/printable.ts";
import { findRepository } from "./find-repository.ts";
import { listSettings, settingsIn, withoutPrograms } from "./program-settings.ts";
import { type GitCall, type GitRan, startGit } from "./run-git.ts";

/** Milliseconds to wait for a remote. */
const patience = 120_000;

type Ask = (...args: readonly string[]) => Promise<GitRan>;

/** Git in a folder. */
export interface SafeGit {
  readonly ask: Ask;
  readonly setting: (key: string) => string;
}

/** Git in a folder, without programs that the repository configures; or why it cannot be used. */
export async function gitIn(folder: string, signal?: AbortSignal): Promise<SafeGit | { readonly why: string }> {
  const found = findRepository(folder);
  if ("ran" in found) return { why: whyUnreadable(found.ran) };
  const { location, home: cwd } = found;
  const listed = await run({ cwd, location, args: listSettings });
  if (listed.code !== 0) return { why: whyUnreadable(listed) };
  const configured = settingsIn(listed.stdout);
  const settings = withoutPrograms(configured);
  return {
    ask: (...args) => run({ cwd, location, args, settings, remotes: true }, args[0] === "fetch" ? signal : undefined),
    setting: (key) => configured.findLast((each) => each.key === key)?.value ?? "",
  };
}

function whyUnreadable(ran: GitRan): string {
  return ran.code === null ? "git is not installed" : `git cannot read the repository: ${gitError(ran)}`;
}

/** Runs git, with a timeout. */
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

/** Also child processes such as ssh, if git was started as a process group. */
function killAll(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid);
  } catch {
    child.kill();
  }
}

export const noAnswer = "no answer";

const mostOutput = 16 * 1024 * 1024;

/** The error message of git in one line, without passwords in URLs. */
export function gitError({ stderr }: GitRan): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^(?:warning|hint):/.test(line));
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? "git printed no message";
  const message = said.replace(/^(?:fatal|error): /, "").trim();
  return printable(message.replace(/\b([a-z][a-z+.-]*:\/\/)[^/\s@]*@/gi, "$1").slice(0, 300));
}
