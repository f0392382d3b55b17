import { setTimeout as pause } from "node:timers/promises";
import { printable } from "../base/printable.ts";
import { type Git, gitError, openGit } from "./open-git.ts";
import { type GitRan, noAnswer } from "./run-git.ts";

/** The new commit of a checkout, or the reason why it is unchanged. `late`: the remote may still respond. */
export type FastForwarded =
  | { readonly commit: string; readonly moved: boolean }
  | { readonly why: string; readonly late?: true };

export interface Upstream {
  readonly branch: string;
  readonly remote: string;
  readonly ref: string;
}

/**
 * Fast-forwards a checkout repeatedly, without hooks. `patience`: milliseconds to wait for a remote; a fetch that takes
 * longer continues in the background, for a later call. Disposing aborts it.
 */
export function createFollower(folder: string, signal: AbortSignal, patience = 10_000) {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  let going: Fetch | undefined;
  return {
    forward: async (): Promise<FastForwarded> => {
      const fetch = going ?? beginFetch(folder, ends);
      if ("why" in fetch) return fetch;
      going = fetch;
      const ran = await within(fetch.ran, fetch.began + patience - performance.now());
      if (!ran) return { why: cannotFetch(fetch, noAnswer), late: true };
      going = undefined;
      return forwardTo(fetch, ran);
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

async function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | undefined> {
  const timer = new AbortController();
  const end = pause(Math.max(0, milliseconds), undefined, { signal: timer.signal }).catch(() => undefined);
  return Promise.race([work, end]).finally(() => timer.abort());
}

interface Fetch {
  readonly git: Git;
  readonly upstream: Upstream;
  readonly tracked: string;
  readonly began: number;
  readonly ran: Promise<GitRan>;
}

function beginFetch(folder: string, signal: AbortSignal): Fetch | { readonly why: string } {
  const git = openGit(folder);
  if ("failed" in git) return { why: git.failed.code === null ? "git is not installed" : unreadable(git.failed) };
  const upstream = upstreamOf(git);
  if ("why" in upstream) return upstream;
  const { remote, ref } = upstream;
  const tracked = `refs/evenkeel/watch/${ref.replace(/^refs\/heads\//, "")}`;
  const ran = git.start(["fetch", ...fetchWords, "--", remote, `+${ref}:${tracked}`], signal);
  return { git, upstream, tracked, began: performance.now(), ran };
}

const fetchWords = ["--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--upload-pack=git-upload-pack"];

/** Keeps ignored files: a commit could otherwise overwrite the state. */
const mergeWords = ["merge", "--ff-only", "--no-autostash", "--no-stat", "--no-overwrite-ignore"];

async function forwardTo(fetch: Fetch, fetched: GitRan): Promise<FastForwarded> {
  const { git, upstream, tracked } = fetch;
  if (fetched.code !== 0) return { why: cannotFetch(fetch, gitError(fetched)) };
  const { stdout } = git.run("rev-parse", "HEAD", tracked);
  const [before = "", there = ""] = stdout.trim().split("\n");
  if (before === there) return { commit: before, moved: false };
  const merged = await git.start([...mergeWords, tracked]);
  if (merged.code !== 0) return { why: explainNotMerged(upstream, there, merged) };
  const commit = git.run("rev-parse", "HEAD").stdout.trim();
  // The merge does nothing if the checkout has commits that the remote lacks.
  if (commit === there) return { commit, moved: true };
  return { why: cannotForward(upstream, "it has commits that are not there") };
}

function unreadable(ran: GitRan): string {
  return `git cannot read the repository: ${gitError(ran)}`;
}

function cannotFetch({ upstream: { ref, remote } }: Fetch, why: string): string {
  return `git cannot fetch ${ref} of ${remote}: ${why}`;
}

function cannotForward({ ref, remote }: Upstream, why: string): string {
  return `the checkout cannot be fast-forwarded to ${ref} of ${remote}: ${why}`;
}

/** With `merge.verifySignatures`, git verifies the signature of the newest commit. */
function explainNotMerged(upstream: Upstream, there: string, merged: GitRan): string {
  const said = gitError(merged);
  if (!/^fatal: Commit \S+ .*signature/m.test(merged.stderr)) return cannotForward(upstream, said);
  return `commit ${there.slice(0, 12)} of ${upstream.remote} is not followed, because merge.verifySignatures is set: ${said}`;
}

export function upstreamOf({ run, setting }: Git): Upstream | { readonly why: string } {
  const head = run("symbolic-ref", "--quiet", "--short", "HEAD");
  const branch = head.stdout.trim();
  if (head.code === 1) return { why: "the checkout is on no branch, so there is none to follow" };
  if (head.code !== 0) return { why: unreadable(head) };
  const remote = setting(`branch.${branch}.remote`);
  const ref = setting(`branch.${branch}.merge`);
  if (remote === "" || !ref.startsWith("refs/heads/")) {
    return { why: printable(`branch ${branch} follows no branch of a remote: git branch --set-upstream-to names one`) };
  }
  return { branch, remote, ref };
}
