import { setTimeout as pause } from "node:timers/promises";
import { printable } from "../base/printable.ts";
import { gitIn, gitTrouble, noAnswer, type SafeGit } from "./configured.ts";
import type { GitRan } from "./run-git.ts";

/**
 * Where a checkout is after it followed its remote, or why it could not; then it is as it was. `late`: the remote may
 * still answer.
 */
export type FastForwarded =
  | { readonly commit: string; readonly moved: boolean }
  | { readonly why: string; readonly late?: true };

/** A branch and where it comes from. */
export interface Upstream {
  readonly branch: string;
  readonly remote: string;
  /** Such as `refs/heads/main`, on the remote. */
  readonly ref: string;
}

/** Brings a checkout forward again and again. Disposing of it gives up a fetch that goes on. */
export interface Follower extends Disposable {
  /** As {@link fastForward}, within seconds: a fetch that lasts longer goes on, and a later call takes what it brought. */
  readonly forward: () => Promise<FastForwarded>;
}

/** Milliseconds to wait for a remote. */
const usualPatience = 10_000;

/** Follows for a checkout, until the signal ends it. */
export function createFollower(folder: string, signal: AbortSignal, patience = usualPatience): Follower {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  let going: Fetch | undefined;
  return {
    forward: async () => {
      const fetch = going ?? (await beginFetch(folder, ends));
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

/**
 * Fetches the branch that a checkout is on and fast-forwards it. Nothing that the repository itself names is run: no
 * hook, and no program of its own configuration; what the system or the person configured is.
 */
export async function fastForward(folder: string, signal?: AbortSignal): Promise<FastForwarded> {
  const fetch = await beginFetch(folder, signal);
  return "why" in fetch ? fetch : forwardTo(fetch, await fetch.ran);
}

/** A fetch that goes on. */
interface Fetch {
  readonly git: SafeGit;
  readonly upstream: Upstream;
  /** Where it puts what it fetches. */
  readonly tracked: string;
  /** On the clock of `performance`. */
  readonly began: number;
  readonly ran: Promise<GitRan>;
}

async function beginFetch(folder: string, signal?: AbortSignal): Promise<Fetch | { readonly why: string }> {
  const git = await gitIn(folder, signal);
  if ("why" in git) return git;
  const upstream = await upstreamOf(git);
  if ("why" in upstream) return upstream;
  const { remote, ref } = upstream;
  const tracked = `refs/evenkeel/watch/${ref.replace(/^refs\/heads\//, "")}`;
  const ran = git.ask("fetch", ...fetchWords, "--", remote, `+${ref}:${tracked}`);
  return { git, upstream, tracked, began: performance.now(), ran };
}

const fetchWords = ["--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--upload-pack=git-upload-pack"];

/** What git ignores is kept too: a commit that brings a file in the place of state would delete it. */
const mergeWords = ["merge", "--ff-only", "--no-autostash", "--no-stat", "--no-overwrite-ignore"];

async function forwardTo(fetch: Fetch, fetched: GitRan): Promise<FastForwarded> {
  const { git, upstream, tracked } = fetch;
  if (fetched.code !== 0) return { why: cannotFetch(fetch, gitTrouble(fetched)) };
  const { stdout } = await git.ask("rev-parse", "HEAD", tracked);
  const [before = "", there = ""] = stdout.trim().split("\n");
  if (before === there) return { commit: before, moved: false };
  const merged = await git.ask(...mergeWords, tracked);
  if (merged.code !== 0) return { why: whyNotMerged(upstream, there, merged) };
  const commit = (await git.ask("rev-parse", "HEAD")).stdout.trim();
  // Git has nothing to do where the checkout is ahead: by commits of its own, or by ones that were taken back.
  if (commit === there) return { commit, moved: true };
  return { why: cannotForward(upstream, "it has commits that are not there") };
}

function cannotFetch({ upstream: { ref, remote } }: Fetch, why: string): string {
  return `git cannot fetch ${ref} of ${remote}: ${why}`;
}

function cannotForward({ ref, remote }: Upstream, why: string): string {
  return `the checkout cannot be fast-forwarded to ${ref} of ${remote}: ${why}`;
}

/** Git checks the signature of the newest commit where `merge.verifySignatures` asks for it. */
function whyNotMerged(upstream: Upstream, there: string, merged: GitRan): string {
  const said = gitTrouble(merged);
  if (!/^fatal: Commit \S+ .*signature/m.test(merged.stderr)) return cannotForward(upstream, said);
  return `commit ${there.slice(0, 12)} of ${upstream.remote} is not followed, because merge.verifySignatures is set: ${said}`;
}

/** The branch of a checkout and what it follows, or why it follows none. */
export async function upstreamOf({ ask, setting }: SafeGit): Promise<Upstream | { readonly why: string }> {
  const head = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  const branch = head.stdout.trim();
  if (head.code === 1) return { why: "the checkout is on no branch, so there is none to follow" };
  if (head.code !== 0) return { why: `git cannot read the repository: ${gitTrouble(head)}` };
  const remote = setting(`branch.${branch}.remote`);
  const ref = setting(`branch.${branch}.merge`);
  if (remote === "" || !ref.startsWith("refs/heads/")) {
    return { why: printable(`branch ${branch} follows no branch of a remote: git branch --set-upstream-to names one`) };
  }
  return { branch, remote, ref };
}
