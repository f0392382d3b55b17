import { dirname, resolve, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { upstreamOf } from "../git/fast-forward.ts";
import { openGit } from "../git/open-git.ts";
import { type GitRepository, repositoryAround } from "../git/repository.ts";
import { namedFiles } from "../manifest/workspace.ts";
import { linkTargets } from "../workspace/discover.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { revisionFingerprint } from "../workspace/load-revision.ts";

/** What is known of the checkout of a watcher, to decide whether a push affects its workspace. */
export interface Checkout {
  /**
   * The folder of the workspace in its repository, empty or with a trailing slash; undefined if files elsewhere may belong
   * to the workspace too.
   */
  readonly prefix: string | undefined;
  /** The branch that the checkout follows, as `refs/heads/main`. */
  readonly ref?: string | undefined;
  /** The last commit that was checked. */
  readonly checked?: string | undefined;
}

export async function checkoutAround(folder: string): Promise<Checkout> {
  const root = dirname(findWorkspace(folder));
  const repository = unlessMistaken(() => repositoryAround(root));
  const isClosed = repository && unlessMistaken(() => !leadsElsewhere(root, repository));
  return { prefix: isClosed ? repository.prefix : undefined, ref: refOf(root) };
}

/**
 * Whether a file of a workspace, or one that its links lead to, differs between two commits; true if git cannot compare
 * them.
 */
export function touchesWorkspace(folder: string, from: string, to: string): boolean {
  const isSame = unlessMistaken(() => {
    const repository = repositoryAround(dirname(findWorkspace(folder)));
    const before = revisionFingerprint(repository, from);
    return before !== undefined && before === revisionFingerprint(repository, to);
  });
  return isSame !== true;
}

/** Undefined if the workspace or its repository cannot be read. */
function unlessMistaken<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Whether the workspace has symbolic links, is reached by one, or names files outside its folder. */
function leadsElsewhere(root: string, { prefix, named }: GitRepository): boolean {
  const isOutside = (path: string) => !resolve(root, path).startsWith(root + sep);
  const isLinked = named.replace(/\/$/, "") !== prefix.replace(/\/$/, "");
  return isLinked || linkTargets(root).length > 0 || namedFiles(loadSettings(root)).some(({ path }) => isOutside(path));
}

/** The upstream branch of the checkout, or else the branch with the name of the local one. */
function refOf(root: string): string | undefined {
  const git = openGit(root);
  if ("failed" in git) return undefined;
  const upstream = upstreamOf(git);
  if ("ref" in upstream) return upstream.ref;
  const head = git.run("symbolic-ref", "--quiet", "HEAD");
  return head.code === 0 ? head.stdout.trim() : undefined;
}
