import { createHash } from "node:crypto";
import { dirname, join, relative, resolve, sep } from "node:path";
import { blobId, type GitObjects } from "../git/objects.ts";
import type { GitRepository } from "../git/repository.ts";
import { type Parsed, parseManifest } from "../manifest/document.ts";
import { namedFiles } from "../manifest/named-files.ts";
import { problemIn } from "../manifest/problem.ts";
import { type Loaded, workspaceFile } from "../manifest/workspace.ts";
import { isThere } from "./durable-file.ts";
import { disk } from "./file-tree.ts";
import { type GitTree, gitTree } from "./git-tree.ts";
import { type FoundManifests, findManifests, joined, type ParseManifest } from "./load.ts";
import { type ReadText, textReader } from "./read-manifest.ts";

/** A workspace at a revision. */
export type LoadedRevision = Omit<Loaded, "root" | "digest"> & {
  /** Digests of the files that its settings refer to, by setting; missing files are omitted. */
  readonly contents?: ReadonlyMap<string, string>;
};

/** Digests of the files that the settings of a workspace on disk refer to, by setting. */
export function contentsOnDisk({ root, workspace }: Pick<Loaded, "root" | "workspace">): ReadonlyMap<string, string> {
  const found = namedFiles(workspace).flatMap(({ setting, path }) => {
    const file = resolve(root, path);
    return isThere(file) && disk.stat(file).isFile() ? [[setting, digestOf(disk.read(file))] as const] : [];
  });
  return new Map(found);
}

async function contentsAt(
  repository: GitRepository,
  commit: string,
  objects: GitObjects,
  found: FoundRevision,
): Promise<ReadonlyMap<string, string>> {
  const ids = namedFiles(found.workspace).map(
    ({ setting, path }) => [setting, namedId(repository, commit, found, path)] as const,
  );
  const blobs = await objects.read([...new Set(ids.flatMap(([, id]) => id ?? []))]);
  return new Map(
    ids.flatMap(([setting, id]) => {
      const bytes = id === undefined ? undefined : blobs.get(id);
      return bytes ? [[setting, digestOf(bytes)] as const] : [];
    }),
  );
}

/** Line endings depend on the checkout. */
function digestOf(bytes: Buffer): string {
  const text = bytes.toString("latin1").replaceAll("\r\n", "\n");
  return createHash("sha256").update(text, "latin1").digest("hex");
}

/** Cache of parsed manifests by file and content, so that two revisions share unchanged manifests. */
export interface ParsedOnce {
  readonly parse: ParseManifest;
  readonly recall: (file: string, id: string) => Parsed | undefined;
}

/** `idLength`: length of the object IDs of the repository. */
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

/** Reads a workspace at a commit of its repository; undefined if it did not exist. Errors in files are problems. */
export async function loadRevision(
  repository: GitRepository,
  commit: string,
  objects: GitObjects,
  once: ParsedOnce,
): Promise<LoadedRevision | undefined> {
  const found = await findRevision(repository, commit, objects, once);
  if (!found) return undefined;
  const { tree, root, ids, fetch, read } = found;
  await fetch(found.files);
  const below = prefixIn(repository, root);
  const unread = tree.submodules.filter((path) => path.startsWith(below));
  const problems = unread.map((path) =>
    problemIn(path.slice(below.length), "submodule", "manifests in a submodule are not read at a revision"),
  );
  const manifests = found.files.map((file) => manifestAt(read, file, ids.get(file), once));
  const contents = await contentsAt(repository, commit, objects, found);
  return { ...joined(found, [{ documents: [], problems }, ...manifests]), contents };
}

/**
 * A fingerprint of a workspace at a commit: of the contents of `evenkeel.yaml`, manifests and files that it refers to, with
 * links resolved, and of the rules by which they are found. Undefined if there is no workspace.
 */
export async function revisionFingerprint(
  repository: GitRepository,
  commit: string,
  objects: GitObjects,
): Promise<string | undefined> {
  const found = await findRevision(repository, commit, objects, parsedOnce(commit.length));
  if (!found) return undefined;
  const { tree, root, files, workspace, problems } = found;
  const below = prefixIn(repository, root);
  const rules = [...tree.rules].filter(([path]) => path.startsWith(below) || below.startsWith(dirname(path)));
  const parts = [workspaceFile, ...files].map((file) => [file, idAt(tree, root, file)]);
  const named = namedFiles(workspace).map(({ path }) => [path, namedId(repository, commit, found, path)]);
  return JSON.stringify([below, parts, named, rules, problems]);
}

interface FoundRevision extends FoundManifests {
  readonly tree: GitTree;
  readonly root: string;
  /** Contents of the fetched files. */
  readonly ids: ReadonlyMap<string, string | undefined>;
  readonly fetch: (files: readonly string[]) => Promise<void>;
  readonly read: ReadText;
}

async function findRevision(
  repository: GitRepository,
  commit: string,
  objects: GitObjects,
  once: ParsedOnce,
): Promise<FoundRevision | undefined> {
  const tree = gitTree(repository, commit);
  tree.add(await objects.read([...new Set(tree.rules.values())]));
  const root = folderAt(tree, join(repository.top, repository.named, "."));
  if (root === undefined || !tree.has(join(root, workspaceFile))) return undefined;
  const ids = new Map<string, string | undefined>();
  const fetch = async (files: readonly string[]) => {
    for (const file of files) ids.set(file, idAt(tree, root, file));
    const unknown = files.flatMap((file) => newId(file, ids.get(file), once) ?? []);
    tree.add(await objects.read([...new Set(unknown)]));
  };
  await fetch([workspaceFile]);
  const read = textReader(tree, root);
  const head = manifestAt(read, workspaceFile, ids.get(workspaceFile), once);
  return { ...findManifests(tree, root, head), tree, root, ids, fetch, read };
}

/** The file may be outside of the workspace. */
function namedId(
  { top, ask }: GitRepository,
  commit: string,
  { tree, root }: Pick<FoundRevision, "tree" | "root">,
  file: string,
): string | undefined {
  const path = relative(top, join(root, file)).split(sep).join("/");
  return idAt(tree, root, file) ?? ask("rev-parse", "--verify", "--quiet", `${commit}:${path}`)?.trim();
}

function folderAt(tree: GitTree, path: string): string | undefined {
  try {
    return tree.real(path);
  } catch {
    return undefined;
  }
}

/** Path of a folder relative to the root of the repository: empty, or with a trailing slash. */
function prefixIn({ top }: GitRepository, folder: string): string {
  const below = relative(top, folder).split(sep).join("/");
  return below === "" ? "" : `${below}/`;
}

/** The blob to fetch for a file; undefined if its content is cached, or it cannot be read. */
function newId(file: string, id: string | undefined, once: ParsedOnce): string | undefined {
  return id === undefined || once.recall(file, id) ? undefined : id;
}

function manifestAt(readText: ReadText, file: string, id: string | undefined, once: ParsedOnce): Parsed {
  const known = id === undefined ? undefined : once.recall(file, id);
  if (known) return known;
  const read = readText(file);
  return "problem" in read ? { documents: [], problems: [read.problem] } : once.parse(file, read.text, read.bytes);
}

function idAt(tree: GitTree, root: string, file: string): string | undefined {
  try {
    return tree.idOf(join(root, file));
  } catch {
    return undefined;
  }
}
