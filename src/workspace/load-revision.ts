import { join } from "node:path";
import { blobId, type GitObjects } from "../git/objects.ts";
import type { GitRepository } from "../git/repository.ts";
import { type Parsed, parseManifest } from "../manifest/document.ts";
import { problemIn } from "../manifest/problem.ts";
import { type Loaded, workspaceFile } from "../manifest/workspace.ts";
import { type GitTree, gitTree } from "./git-tree.ts";
import { findManifests, joined, type ParseManifest } from "./load.ts";
import { readText } from "./read.ts";

/** A workspace as it was at a revision. */
export type LoadedRevision = Omit<Loaded, "root" | "digest">;

/** Manifests that were parsed, by file and content: what two revisions have in common is parsed once. */
export interface ParsedOnce {
  readonly parse: ParseManifest;
  readonly recall: (file: string, id: string) => Parsed | undefined;
}

/** `idLength`: of the IDs that the repository gives objects. */
export function parsedOnce(idLength: number): ParsedOnce {
  const known = new Map<string, Parsed>();
  return {
    parse: (file, text, bytes) => {
      const key = `${blobId(bytes, idLength)} ${file}`;
      const parsed = known.get(key) ?? parseManifest(file, text);
      known.set(key, parsed);
      return parsed;
    },
    recall: (file, id) => known.get(`${id} ${file}`),
  };
}

/** The workspace of a repository at a commit; undefined where it had none there. Mistakes are problems. */
export async function loadRevision(
  repository: GitRepository,
  commit: string,
  objects: GitObjects,
  once: ParsedOnce,
): Promise<LoadedRevision | undefined> {
  const tree = gitTree(repository, commit);
  const root = join(repository.top, repository.prefix, ".");
  if (!tree.has(join(root, workspaceFile))) return undefined;
  const ids = new Map<string, string | undefined>();
  const fetch = async (files: readonly string[]) => {
    for (const file of files) ids.set(file, idAt(tree, root, file));
    const unknown = files.flatMap((file) => newId(file, ids.get(file), once) ?? []);
    tree.add(await objects.read([...new Set(unknown)]));
  };
  const manifest = (file: string) => manifestAt(tree, root, file, ids.get(file), once);
  tree.add(await objects.read(tree.rules));
  await fetch([workspaceFile]);
  const found = findManifests(tree, root, manifest(workspaceFile));
  await fetch(found.files);
  const unread = tree.submodules.filter((path) => path.startsWith(repository.prefix));
  const problems = unread.map((path) =>
    problemIn(path.slice(repository.prefix.length), "submodule", "manifests in a submodule are not read at a revision"),
  );
  return joined(found, [{ documents: [], problems }, ...found.files.map(manifest)]);
}

/** What has to be fetched of a file; undefined where its content is known, or nothing can be read. */
function newId(file: string, id: string | undefined, once: ParsedOnce): string | undefined {
  return id === undefined || once.recall(file, id) ? undefined : id;
}

function manifestAt(tree: GitTree, root: string, file: string, id: string | undefined, once: ParsedOnce): Parsed {
  const known = id === undefined ? undefined : once.recall(file, id);
  if (known) return known;
  const read = readText(tree, root, file);
  return "problem" in read ? { documents: [], problems: [read.problem] } : once.parse(file, read.text, read.bytes);
}

function idAt(tree: GitTree, root: string, file: string): string | undefined {
  try {
    return tree.idOf(join(root, file));
  } catch {
    return undefined;
  }
}
