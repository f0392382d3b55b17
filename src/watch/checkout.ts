import { basename, dirname } from "node:path";
import { Refusal } from "../base/exit.ts";
import { gitIn } from "../git/configured.ts";
import { upstreamOf } from "../git/follow.ts";
import { repositoryAround } from "../git/repository.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { isManifestPlace } from "../workspace/discover.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import type { Checkout } from "./push.ts";

/** What pushes are held against: where the workspace lies in its repository, on which branch, and what it is made of. */
export async function checkoutAround(folder: string): Promise<Checkout> {
  const root = dirname(findWorkspace(folder));
  return { prefix: prefixOf(root), ref: await refOf(root), isPart: partTest(root) };
}

/** Whether any file of a workspace differs between two commits; where git cannot tell, one may. */
export async function touchesWorkspace(folder: string, from: string, to: string): Promise<boolean> {
  const root = dirname(findWorkspace(folder));
  const git = await gitIn(root);
  const prefix = prefixOf(root);
  if ("why" in git || prefix === undefined) return true;
  const { code, stdout } = await git.ask(...namesOfDiff, from, to);
  const isPart = partTest(root);
  const files = stdout.split("\0").filter((file) => file !== "" && file.startsWith(prefix));
  return code !== 0 || files.some((file) => isPart(file.slice(prefix.length)));
}

/** Plumbing, so that no setting such as diff.relative or diff.ignoreSubmodules leaves names out. */
const namesOfDiff = [
  "diff-tree",
  "-r",
  "-z",
  "--name-only",
  "--no-renames",
  "--no-relative",
  "--ignore-submodules=none",
];

function prefixOf(root: string): string | undefined {
  try {
    return repositoryAround(root).prefix;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
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
    const { manifests, server } = loadSettings(root);
    const others = [workspaceFile, ...(server.ca === undefined ? [] : [server.ca])];
    return (file) => others.includes(file) || basename(file) === ".gitignore" || isManifestPlace(root, manifests, file);
  } catch (error) {
    if (error instanceof Refusal) return () => true;
    throw error;
  }
}
