import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { exit, ifPossible, UserError } from "../base/exit.ts";
import type { Git } from "../git/open-git.ts";
import { readBlobs } from "../git/repository.ts";
import { type Parsed, parseManifest } from "../manifest/document.ts";
import { problemIn } from "../manifest/problem.ts";
import { type Loaded, namedFiles, type Workspace, workspaceFile } from "../manifest/workspace.ts";
import { findManifests, joined, type ParseManifest, textReader } from "./load.ts";

export type LoadedRevision = Omit<Loaded, "root" | "digest"> & {
  /** Digests of the files that its settings refer to, by setting; missing files are omitted. */
  readonly contents?: ReadonlyMap<string, string>;
};

export function contentsOnDisk({ root, workspace }: Pick<Loaded, "root" | "workspace">): ReadonlyMap<string, string> {
  return digestNamed(workspace, (path) => ifPossible(() => readFileSync(resolve(root, path), "utf8")));
}

function digestNamed(workspace: Workspace, read: (path: string) => string | undefined): ReadonlyMap<string, string> {
  const texts = namedFiles(workspace).map(({ setting, path }) => [setting, read(path)] as const);
  return new Map(
    texts.flatMap(([setting, text]) => (text === undefined ? [] : [[setting, digestText(text)] as const])),
  );
}

/** Line endings depend on the checkout. */
function digestText(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

/** Parses each content of a file once, so that two revisions have unchanged documents in common. */
export function parsingOnce(): ParseManifest {
  const cached = new Map<string, Parsed>();
  return (file, text) => {
    const key = `${file}\0${text}`;
    const parsed = cached.get(key) ?? parseManifest(file, text);
    cached.set(key, parsed);
    return parsed;
  };
}

/**
 * Reads a workspace at a commit of its repository; undefined if it did not exist. Errors in files are problems. @throws
 * UserError if git cannot read the commit.
 */
export function loadRevision(repository: Git, commit: string, parse: ParseManifest): LoadedRevision | undefined {
  const top = realpathSync.native(mkdtempSync(join(tmpdir(), "evenkeel-revision-")));
  try {
    const rows = listTree(repository, commit);
    writeTree(repository, rows, top);
    const root = ifPossible(() => realpathSync.native(join(top, repository.prefix)));
    if (root === undefined || !existsSync(join(root, workspaceFile))) return undefined;
    const read = textReader(root);
    const load = (file: string): Parsed => {
      const result = read(file);
      return "problem" in result ? { documents: [], problems: [result.problem] } : parse(file, result.text);
    };
    const found = findManifests(root, load(workspaceFile));
    const problems = rows
      .filter(({ form, path }) => form === "submodule" && join(top, path).startsWith(root + sep))
      .map(({ path }) => problemIn(relative(root, join(top, path)), "submodule", submoduleUnread));
    // A setting may refer to a file outside the workspace, which is not checked out.
    const show = (path: string) => repository.ask("show", `${commit}:${relative(top, path).split(sep).join("/")}`);
    const contents = digestNamed(found.workspace, (path) => {
      return ifPossible(() => readFileSync(resolve(root, path), "utf8")) ?? show(resolve(root, path));
    });
    return { ...joined(found, [{ documents: [], problems }, ...found.files.map(load)]), contents };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

const submoduleUnread = "files of a submodule are not read at a revision, so its manifests, if any, count as new";

/** Fingerprint of `evenkeel.yaml`, its manifests and the files that it refers to. Undefined without a workspace. */
export function revisionFingerprint(repository: Git, commit: string): string | undefined {
  const texts: [file: string, digest: string][] = [];
  const revision = loadRevision(repository, commit, (file, text) => {
    texts.push([file, digestText(text)]);
    return file === workspaceFile ? parseManifest(file, text) : { documents: [], problems: [] };
  });
  return revision && JSON.stringify([texts, [...(revision.contents ?? [])], revision.problems]);
}

/** Writes possible manifests, ignore rules, and targets of links. Links come last, so that none is written through. */
function writeTree(git: Git, rows: readonly TreeRow[], folder: string): void {
  const hasLinks = rows.some(({ form }) => form === "link");
  const isNeeded = ({ path, form }: TreeRow) =>
    form === "link" || (form === "file" && (hasLinks || /\.ya?ml$|(?:^|\/)\.gitignore$/i.test(path)));
  const needed = rows.filter(isNeeded).toSorted((a, b) => Number(a.form === "link") - Number(b.form === "link"));
  const blobs = readBlobs(git, [...new Set(needed.map(({ id }) => id))]);
  const { top } = git;
  const moved = (link: string) => (link.startsWith(top + sep) ? join(folder, link.slice(top.length)) : link);
  for (const { form, id, path } of needed) {
    const [target, bytes] = [join(folder, path), blobs.get(id) ?? Buffer.alloc(0)];
    mkdirSync(dirname(target), { recursive: true });
    if (form === "file") writeFileSync(target, bytes, { flag: "wx" });
    else symlinkSync(moved(bytes.toString("utf8")), target);
  }
  // Marks the top folder of the repository, whose rules count in all folders below.
  const exclude = join(".git", "info", "exclude");
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git", "HEAD"), "");
  if (existsSync(join(top, exclude))) cpSync(join(top, exclude), join(folder, exclude));
}

interface TreeRow {
  readonly form: "file" | "link" | "submodule";
  readonly id: string;
  readonly path: string;
}

/** With links in the workspace, the whole repository is needed for their targets. */
function listTree({ prefix, ask }: Git, commit: string): readonly TreeRow[] {
  const list = (paths: readonly string[]) => {
    const listed = ask("ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths);
    if (listed === undefined) throw new UserError(`git cannot list the files of ${commit}`, exit.usage);
    return listed.split("\0").flatMap(parseRow);
  };
  const rows = list(listPathspecs(prefix));
  return prefix !== "" && rows.some(({ form }) => form === "link") ? list([]) : rows;
}

function listPathspecs(prefix: string): readonly string[] {
  if (prefix === "") return [];
  const above = prefix.split("/").slice(0, -2);
  const rules = above.map((_, depth) => `${above.slice(0, depth + 1).join("/")}/.gitignore`);
  return [".gitignore", ...rules, prefix];
}

/** `100644 blob ID\tPATH`. Leaves out paths that git itself would not check out. */
function parseRow(row: string): readonly TreeRow[] {
  const [, mode, type, id = "", path = ""] = /^(\d+) (\w+) (\w+)\t(.*)$/s.exec(row) ?? [];
  if (path.split("/").some((name) => /^(?:|\.|\.\.|\.git)$/i.test(name))) return [];
  if (type === "commit") return [{ form: "submodule", id, path }];
  return type === "blob" ? [{ form: mode === "120000" ? "link" : "file", id, path }] : [];
}
