import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import type { GitRepository } from "../git/repository.ts";
import { disk, type Entry, type FileTree } from "./file-tree.ts";

/** The files of a revision that a workspace may use: those below it, and the ignore rules above it. */
export interface GitTree extends FileTree {
  /** The ID of the blob at a path, with links resolved; undefined if there is no file. */
  readonly idOf: (path: string) => string | undefined;
  /** IDs, by path, of the blobs that determine which files are found: links and ignore rules. */
  readonly rules: ReadonlyMap<string, string>;
  /** Submodules, whose files the repository does not contain. */
  readonly submodules: readonly string[];
  /** Adds the contents of blobs, so that they can be read. */
  readonly add: (blobs: ReadonlyMap<string, Buffer>) => void;
}

type Node = Blob | Folder;

interface Blob {
  readonly form: "file" | "link";
  readonly id: string;
}

interface Folder {
  readonly form: "folder";
  readonly children: Map<string, Node>;
}

/** Reads the tree of a commit. @throws UserError if git cannot list it. */
export function gitTree(repository: GitRepository, commit: string): GitTree {
  const { top } = repository;
  const rows = rowsOf(repository, commit);
  const root: Folder = { form: "folder", children: new Map() };
  for (const { path, node } of rows) if (node) place(root, path.split("/"), node);
  const blobs = new Map<string, Buffer>();
  const linkText = ({ id }: Blob) => blobs.get(id)?.toString("utf8") ?? "";
  const within = (path: string) => (path.startsWith(top + sep) ? path.slice(top.length + 1) : relative(top, path));
  const nodeOf = (path: string): Node | undefined => nodeAt(root, within(path));
  const folders = new Map<string, string>();
  const real = (path: string) => follow({ top, nodeOf, linkText, folders }, path, 0);
  const file = (path: string): Blob => {
    const found = nodeOf(real(path));
    return found && found.form !== "folder" ? found : missing();
  };
  const isGit = (path: string) => path === join(top, ".git") || path.startsWith(join(top, ".git") + sep);
  return {
    real,
    list: (folder) => {
      const found = nodeOf(folder);
      return found?.form === "folder" ? [...found.children].map(entryOf) : missing();
    },
    stat: (path) => statOf(nodeOf(real(path)), blobs),
    lstat: (path) => statOf(nodeOf(join(real(dirname(path)), basename(path))), blobs),
    read: (path) => (isGit(path) ? disk.read(path) : (blobs.get(file(path).id) ?? missing())),
    has: (path) => (isGit(path) ? disk.has(path) : nodeOf(path) !== undefined),
    idOf: (path) => {
      const found = nodeOf(real(path));
      return found?.form === "file" ? found.id : undefined;
    },
    rules: new Map(rows.flatMap(({ path, node }) => (node && decides(path, node) ? [[path, node.id]] : []))),
    submodules: rows.flatMap(({ path, node }) => (node ? [] : [path])),
    add: (more) => {
      for (const [id, bytes] of more) blobs.set(id, bytes);
      folders.clear();
    },
  };
}

/** With links in the workspace, or on the path to it, the whole repository is needed for their targets. */
function rowsOf({ prefix, named, ask }: GitRepository, commit: string): readonly Row[] {
  const list = (paths: readonly string[]) => {
    const listed = ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths);
    if (listed === undefined) throw new UserError(`git cannot list the files of ${commit}`, exit.usage);
    return listed.split("\0").flatMap((row) => rowOf(row) ?? []);
  };
  if (join(prefix, ".") !== join(named, ".")) return list([]);
  const rows = list(pathsFor(prefix));
  return prefix !== "" && rows.some(({ node }) => node?.form === "link") ? list([]) : rows;
}

/** Literal pathspecs: the folder of a workspace, and the ignore rules of each folder above it. */
function pathsFor(prefix: string): readonly string[] {
  if (prefix === "") return [];
  const above = prefix.split("/").slice(0, -2);
  const rules = above.map((_, depth) => `${above.slice(0, depth + 1).join("/")}/.gitignore`);
  return [".gitignore", ...rules, prefix];
}

interface Row {
  readonly path: string;
  /** Undefined for a submodule. */
  readonly node: Blob | undefined;
}

/** `100644 blob ID\tPATH` */
function rowOf(row: string): Row | undefined {
  const [, mode, type, id = "", path = ""] = /^(\d+) (\w+) (\w+)\t(.*)$/s.exec(row) ?? [];
  if (type === "commit") return { path, node: undefined };
  if (type !== "blob") return undefined;
  return { path, node: { form: mode === "120000" ? "link" : "file", id } };
}

function place(folder: Folder, [name = "", ...rest]: readonly string[], node: Blob): void {
  if (rest.length === 0) {
    folder.children.set(name, node);
    return;
  }
  const known = folder.children.get(name);
  const next: Folder = known?.form === "folder" ? known : { form: "folder", children: new Map() };
  folder.children.set(name, next);
  place(next, rest, node);
}

function nodeAt(root: Folder, path: string): Node | undefined {
  let node: Node | undefined = root;
  for (const name of path.split(sep).filter(Boolean))
    node = node?.form === "folder" ? node.children.get(name) : undefined;
  return node;
}

interface Links {
  readonly top: string;
  readonly nodeOf: (path: string) => Node | undefined;
  readonly linkText: (link: Blob) => string;
  /** What folders were found to be, so that files of one folder resolve it once. */
  readonly folders: Map<string, string>;
}

const mostLinks = 40;

/** Resolves all links in a path, up to the point where it leaves the repository. */
function follow(links: Links, path: string, depth: number): string {
  const { top, nodeOf, linkText } = links;
  if (depth > mostLinks) return missing();
  if (path === top || !path.startsWith(top + sep)) return path;
  const folder = dirname(path);
  const above = links.folders.get(folder) ?? follow(links, folder, depth);
  links.folders.set(folder, above);
  const here = above === folder ? path : join(above, path.slice(folder.length));
  if (above !== top && !above.startsWith(top + sep)) return here;
  const found = nodeOf(here);
  if (!found) return missing();
  return found.form === "link" ? follow(links, resolve(above, linkText(found)), depth + 1) : here;
}

type Stat = ReturnType<FileTree["stat"]> & ReturnType<FileTree["lstat"]>;

function statOf(node: Node | undefined, blobs: ReadonlyMap<string, Buffer>): Stat {
  if (!node) return missing();
  return {
    isFile: () => node.form === "file",
    isDirectory: () => node.form === "folder",
    isSymbolicLink: () => node.form === "link",
    size: node.form === "folder" ? 0 : (blobs.get(node.id)?.length ?? 0),
  };
}

function entryOf([name, { form }]: readonly [string, Node]): Entry {
  return {
    name,
    isDirectory: () => form === "folder",
    isFile: () => form === "file",
    isSymbolicLink: () => form === "link",
  };
}

function decides(path: string, { form }: Blob): boolean {
  return form === "link" || /(?:^|\/)\.gitignore$/.test(path);
}

function missing(): never {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
}
