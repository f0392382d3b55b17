import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { shellWord } from "../base/text-format.ts";
import { type Git, openGit } from "./open-git.ts";
import type { GitRan } from "./run-git.ts";

/** @throws UserError (64) without git, outside of a repository, and if git cannot read it. */
export function repositoryAround(folder: string): Git {
  const git = openGit(folder);
  if ("failed" in git) throw new UserError(explainNone(folder, git.failed), exit.usage);
  return git;
}

/** Contents of blobs by ID, without filters. @throws UserError if one is missing. */
export function readBlobs(git: Git, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const input = ids.map((id) => `${id}\n`).join("");
  const output = ids.length === 0 ? Buffer.alloc(0) : git.readBytes(["cat-file", "--batch"], input);
  const blobs = new Map<string, Buffer>();
  let at = 0;
  for (const id of ids) {
    const end = output.indexOf(10, at);
    const [, type, size] = output.toString("utf8", at, Math.max(at, end)).split(" ");
    if (type !== "blob") {
      const advice = "as in a clone with --filter; git fetch --refetch --no-filter origin brings it";
      throw new UserError(`git lacks ${id}, ${advice}`, exit.usage);
    }
    blobs.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return blobs;
}

function explainNone(folder: string, { code, stderr }: GitRan): string {
  if (code === null) return "the git program is needed to read revisions, and it cannot be run here";
  if (!/not a git repository/i.test(stderr)) {
    const [said = ""] = stderr.split("\n");
    return printable(`git cannot read the repository around ${folder}: ${said.replace(/^fatal: /, "")}`);
  }
  return `${folder} is not in a git repository, so there is no other revision of it`;
}

/** @throws UserError (64) if there is no such commit; in a shallow clone, with advice. */
export function commitNamed({ ask }: Git, revision: string): string {
  const found = revision.startsWith("-") ? undefined : resolveCommit(ask, revision);
  if (found) return found;
  const said = `git finds no commit ${JSON.stringify(revision.slice(0, 100))} here`;
  const way = isShallow(ask) ? "; this clone is shallow: git fetch --unshallow origin brings the rest" : "";
  throw new UserError(printable(said + way), exit.usage);
}

/** `:/words` includes all further words, so this takes two steps. `^REV` is not a commit. */
function resolveCommit(ask: Git["ask"], revision: string): string | undefined {
  const object = revision.startsWith(":/") ? ask("rev-parse", "--verify", "--quiet", revision)?.trim() : revision;
  const found = object && ask("rev-parse", "--verify", "--quiet", `${object}^{commit}`)?.trim();
  return found && /^[0-9a-f]+$/.test(found) ? found : undefined;
}

/** The merge base of a revision and the remote's default branch (`named`, if known). @throws UserError (64). */
export function mergeBaseWith({ ask }: Git, revision: string, named?: string): string {
  const branch = named ?? "main";
  const own = named === undefined ? [] : [`origin/${named}`];
  const all = [...new Set([...own, "origin/HEAD", "origin/main", "origin/master"])];
  const full = (name: string) => ask("rev-parse", "--verify", "--quiet", `refs/remotes/${name}^{commit}`)?.trim();
  const remote = all.find(full);
  const fetch = `git fetch ${isShallow(ask) ? "--unshallow " : ""}origin ${shellWord(`+refs/heads/${branch}:refs/remotes/origin/${branch}`)}`;
  if (!remote) throw new UserError(`there is no ${all.join(", ")} to compare with; ${orName(fetch)}`, exit.usage);
  const base = ask("merge-base", revision, `refs/remotes/${remote}`)?.trim();
  if (base) return base;
  const why = isShallow(ask) ? "this clone is shallow and does not reach" : "there is no";
  throw new UserError(`${why} a commit that ${remote} and ${revision} have in common; ${orName(fetch)}`, exit.usage);
}

function orName(fetch: string): string {
  return `${fetch} brings it, or name a revision, such as HEAD~1`;
}

function isShallow(ask: Git["ask"]): boolean {
  return ask("rev-parse", "--is-shallow-repository")?.trim() === "true";
}

/** The commit of the checkout; null if git cannot tell. */
export function commitOf(folder: string): string | null {
  const git = openGit(folder);
  return "failed" in git ? null : (git.ask("rev-parse", "--verify", "HEAD")?.trim() ?? null);
}

/** True if one of these files differs from the commit, or a YAML file was deleted. False if git cannot tell. */
export function hasUncommitted(folder: string, files: ReadonlySet<string>): boolean {
  const git = openGit(folder);
  if ("failed" in git) return false;
  const options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const status = git.ask("--no-optional-locks", "status", ...options, "--", ".") ?? "";
  return status.split("\0").some((line) => {
    const path = line.slice("XY ".length);
    if (!path.startsWith(git.prefix)) return false;
    const file = path.slice(git.prefix.length);
    return files.has(file) || (/D/.test(line.slice(0, 2)) && /\.ya?ml$/.test(file));
  });
}

/** True if git tracks a file, relative to the folder. False if git cannot tell. */
export function isTracked(folder: string, file: string): boolean {
  const git = openGit(folder);
  return !("failed" in git) && git.run("ls-files", "--error-unmatch", "--", file).code === 0;
}

/** The path of the project of the remote that the branch follows, or of `origin`. @throws UserError (64). */
export function remoteProject({ run, setting }: Git, server: string): string {
  const branch = run("symbolic-ref", "--quiet", "--short", "HEAD").stdout.trim();
  const remote = setting(`branch.${branch}.remote`) || "origin";
  const url = setting(`remote.${remote}.url`);
  if (url === "") {
    throw new UserError(`the repository has no remote ${remote}; git remote add ${remote} URL adds it`, exit.usage);
  }
  const project = projectOn(url, new URL(server));
  if (project !== undefined) return project;
  const shown = printable(url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1"));
  const message = `the remote ${remote}, ${shown}, is not a project of ${new URL(server).origin}, where the merge request would be`;
  throw new UserError(`${message}; set remote.${remote}.url to a project of that server`, exit.usage);
}

function projectOn(remote: string, server: URL): string | undefined {
  const [, host, path] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const url = path === undefined ? remote : `ssh://${host}/${path}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host: at, hostname, pathname } = new URL(url);
  const isSsh = protocol === "ssh:";
  if (!isSsh && protocol !== "http:" && protocol !== "https:") return undefined;
  // The ssh port differs, and ssh URLs lack the prefix of the web address.
  if (isSsh ? hostname !== server.hostname : at !== server.host) return undefined;
  const prefix = isSsh ? "/" : `${server.pathname.replace(/(?:\/api\/v4)?\/*$/, "")}/`;
  if (!pathname.startsWith(prefix)) return undefined;
  const name = decodeURIComponent(pathname.slice(prefix.length))
    .replace(/\/*$/, "")
    .replace(/\.git$/, "");
  return name.replace(/^\/+/, "") || undefined;
}
