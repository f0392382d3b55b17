import { realpathSync } from "node:fs";
import { basename, dirname, join, normalize, relative, resolve, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { upstreamOf } from "../git/fast-forward.ts";
import { openGit } from "../git/open-git.ts";
import { type GitRepository, repositoryAround } from "../git/repository.ts";
import { namedFiles, workspaceFile } from "../manifest/workspace.ts";
import { isManifestPlace, isReachedFolder, linkTargets } from "../workspace/discover.ts";
import { isFolder, isThere } from "../workspace/durable-file.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { revisionFingerprint } from "../workspace/load-revision.ts";
import { isLink } from "../workspace/output-file.ts";
import type { Checkout } from "./push.ts";

/** What pushes are compared with: the path of the workspace in its repository, its branch and its files. */
export async function checkoutAround(folder: string): Promise<Checkout> {
  const root = dirname(findWorkspace(folder));
  const repository = repositoryOf(root);
  const isPart = partTest(root);
  const mayLead = repository && linkTest(root, repository.top);
  return { prefix: repository?.prefix, ref: await refOf(root), isPart, ...(mayLead && { mayLead }) };
}

/**
 * Whether a file of a workspace, or one that its links lead to, differs between two commits; true if git cannot compare
 * them.
 */
export function touchesWorkspace(folder: string, from: string, to: string): boolean {
  try {
    const repository = repositoryAround(dirname(findWorkspace(folder)));
    const was = revisionFingerprint(repository, from);
    return was === undefined || was !== revisionFingerprint(repository, to);
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

function repositoryOf(root: string): GitRepository | undefined {
  try {
    return repositoryAround(root);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The upstream branch of the checkout, or else the branch with the name of the local one. */
async function refOf(root: string): Promise<string | undefined> {
  const git = openGit(root);
  if ("failed" in git) return undefined;
  const upstream = upstreamOf(git);
  if ("ref" in upstream) return upstream.ref;
  const head = git.run("symbolic-ref", "--quiet", "HEAD");
  return head.code === 0 ? head.stdout.trim() : undefined;
}

/** Accepts manifests, settings and ignore files; every file if the settings are invalid. */
function partTest(root: string): Checkout["isPart"] {
  try {
    const settings = loadSettings(root);
    const others = [workspaceFile, ...namedFiles(settings).map(({ path }) => normalize(path))];
    return (file) =>
      others.includes(file) || basename(file) === ".gitignore" || isManifestPlace(root, settings.manifests, file);
  } catch (error) {
    if (error instanceof UserError) return () => true;
    throw error;
  }
}

/**
 * Accepts paths of the repository that are links, that a link of the workspace leads to, or that may be new links in a
 * folder that the patterns of the workspace match.
 */
function linkTest(root: string, top: string): NonNullable<Checkout["mayLead"]> {
  const targets = [...linkTargets(root), ...namedTargets(root)];
  const isReached = folderReach(root);
  return (file) => {
    const path = join(top, file);
    if (isLink(path) || targets.some((target) => path === target || path.startsWith(target + sep))) return true;
    return (!isThere(path) || isFolder(path)) && isReached(path);
  };
}

/** The paths of the files that `evenkeel.yaml` names, as written and with links resolved. */
function namedTargets(root: string): readonly string[] {
  try {
    const home = realpathSync.native(root);
    return namedFiles(loadSettings(root)).flatMap(({ path }) => [
      resolve(home, path),
      ...realPaths(resolve(home, path)),
    ]);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

function realPaths(path: string): readonly string[] {
  return isThere(path) ? [realpathSync.native(path)] : [];
}

function folderReach(root: string): (path: string) => boolean {
  try {
    const { manifests = [] } = loadSettings(root);
    const home = realpathSync.native(root);
    return (path) => isReachedFolder(manifests, relative(home, path).split(sep).join("/"));
  } catch (error) {
    if (error instanceof UserError) return () => true;
    throw error;
  }
}
