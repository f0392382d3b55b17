import { realpathSync } from "node:fs";
import { basename, dirname, join, normalize, relative, resolve, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { upstreamOf } from "../git/fast-forward.ts";
import { gitObjects } from "../git/objects.ts";
import { type GitRepository, repositoryAround } from "../git/repository.ts";
import { gitIn } from "../git/safe-git.ts";
import { namedFiles } from "../manifest/named-files.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { isManifestPlace, isReachedFolder, linkTargets } from "../workspace/discover.ts";
import { isFolder, isThere } from "../workspace/durable-file.ts";
import { isLink } from "../workspace/links.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { revisionFingerprint } from "../workspace/load-revision.ts";
import type { Checkout } from "./push.ts";

/** What pushes are held against: where the workspace lies in its repository, on which branch, and what it is made of. */
export async function checkoutAround(folder: string): Promise<Checkout> {
  const root = dirname(findWorkspace(folder));
  const repository = repositoryOf(root);
  const isPart = partTest(root);
  const mayLead = repository && linkTest(root, repository.top);
  return { prefix: repository?.prefix, ref: await refOf(root), isPart, ...(mayLead && { mayLead }) };
}

/**
 * Whether anything that a workspace is made of differs between two commits, wherever links lead; where git cannot tell, it
 * may.
 */
export async function touchesWorkspace(folder: string, from: string, to: string): Promise<boolean> {
  try {
    const repository = repositoryAround(dirname(findWorkspace(folder)));
    await using objects = gitObjects(repository.location);
    const was = await revisionFingerprint(repository, from, objects);
    return was === undefined || was !== (await revisionFingerprint(repository, to, objects));
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

/** The remote's branch that the checkout follows, else one of its own name. */
async function refOf(root: string): Promise<string | undefined> {
  const git = await gitIn(root);
  if ("why" in git) return undefined;
  const upstream = await upstreamOf(git);
  if ("ref" in upstream) return upstream.ref;
  const head = await git.ask("symbolic-ref", "--quiet", "HEAD");
  return head.code === 0 ? head.stdout.trim() : undefined;
}

/** Manifests, settings, and what decides which files are manifests; where the settings are broken, anything may be one. */
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
 * Whether a file of the repository, by its path from the top, is a link, or lies where a link of the workspace leads; or
 * may be a link that is new to a folder which the patterns of the workspace reach.
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

/** Where the files lie that `evenkeel.yaml` names: as named, and with links followed. */
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
