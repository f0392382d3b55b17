import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { dirname, resolve, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { upstreamOf } from "../git/fast-forward.ts";
import { openGit } from "../git/open-git.ts";
import { type GitRepository, repositoryAround } from "../git/repository.ts";
import { namedFiles } from "../manifest/workspace.ts";
import { isSameSecret } from "../secrets/token.ts";
import { linkTargets } from "../workspace/discover.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { revisionFingerprint } from "../workspace/load-revision.ts";

/** Facts about a watcher's checkout, to decide whether a push affects its workspace. */
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
  return { prefix: isClosed ? repository.prefix : undefined, ref: findRef(root) };
}

/**
 * True if a file of a workspace, or one that its links lead to, differs between two commits, or if git cannot compare
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

/** True if the workspace has symbolic links, is reached by one, or names files outside its folder. */
function leadsElsewhere(root: string, { prefix, named }: GitRepository): boolean {
  const isOutside = (path: string) => !resolve(root, path).startsWith(root + sep);
  const isLinked = named.replace(/\/$/, "") !== prefix.replace(/\/$/, "");
  return isLinked || linkTargets(root).length > 0 || namedFiles(loadSettings(root)).some(({ path }) => isOutside(path));
}

/** The upstream branch of the checkout, or else the branch with the name of the local one. */
function findRef(root: string): string | undefined {
  const git = openGit(root);
  if ("failed" in git) return undefined;
  const upstream = upstreamOf(git);
  if ("ref" in upstream) return upstream.ref;
  const head = git.run("symbolic-ref", "--quiet", "HEAD");
  return head.code === 0 ? head.stdout.trim() : undefined;
}

/** True if a webhook sends the secret (X-Gitlab-Token), or a signature made with it (X-Hub-Signature-256). */
export function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = headers;
  if (typeof token === "string") return isSameSecret(Buffer.from(token, "latin1").toString("utf8"), secret);
  if (typeof signature !== "string") return false;
  return isSameSecret(signature.toLowerCase(), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

/** The decision about a push, with its reason. */
export interface PushDecision {
  readonly check: boolean;
  readonly why: string;
  /** The commit that was pushed. */
  readonly commit?: string;
  /** The names of the only project that has to be checked: its path and its ID. */
  readonly project?: readonly string[];
}

/** Events of system hooks after which the settings of a project may differ from its policies. */
const projectEvents: ReadonlySet<string> = new Set([
  "project_create",
  "project_rename",
  "project_transfer",
  "project_update",
  "user_add_to_team",
  "user_update_for_team",
  "user_remove_from_team",
]);

/** The decision about an event of a system hook; undefined if it is a push. */
function decideSystemHook(payload: unknown): PushDecision | undefined {
  const event = isObject(payload) ? String(payload.event_name ?? "") : "";
  if (!isObject(payload) || event === "push") return undefined;
  if (!projectEvents.has(event)) return { check: false, why: "the event does not change the settings of a project" };
  const path = payload.path_with_namespace ?? payload.project_path_with_namespace;
  const why = `${event}: the project is checked`;
  const names = [path, payload.project_id].filter((name) => typeof name === "string" || typeof name === "number");
  return names.length > 0
    ? { check: true, why, project: names.map(String) }
    : { check: true, why: `${event}: everything is checked` };
}

/** False only if a push certainly did not change the workspace. */
export function decidePush(headers: IncomingHttpHeaders, payload: unknown, checkout: Checkout): PushDecision {
  const kind = headers["x-github-event"] ?? headers["x-gitlab-event"] ?? "push";
  const isSystem = /^system hook$/i.test(String(kind));
  const decision = isSystem ? decideSystemHook(payload) : undefined;
  if (decision) return decision;
  if (!isSystem && !/^push(?: hook)?$/i.test(String(kind))) return { check: false, why: "not a push event" };
  if (!isObject(payload)) return { check: true, why: "the event lists no files" };
  const { after, ref } = payload;
  const commit = typeof after === "string" && /^[0-9a-f]{40,64}$/.test(after) ? { commit: after } : {};
  if (typeof ref === "string" && checkout.ref !== undefined && ref !== checkout.ref) {
    return { check: false, why: "the push is to another branch" };
  }
  if (commit.commit !== undefined && commit.commit === checkout.checked) {
    return { check: false, why: "this commit has already been checked" };
  }
  const files = listFiles(payload);
  if (!files) return { check: true, why: "the push event does not list all changed files", ...commit };
  const { prefix } = checkout;
  const isWithin = (file: string) => file.startsWith(prefix ?? "") && !file.split("/").includes("..");
  if (files.some(isWithin)) return { check: true, why: "files of this workspace changed", ...commit };
  return { check: false, why: "no file of this workspace changed" };
}

/** The files of all commits; undefined if the event may omit some. */
function listFiles({
  commits,
  total_commits_count: total,
  forced,
  created,
  before,
}: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(commits) || commits.length === 0 || forced === true || created === true) return undefined;
  if (typeof before === "string" && /^0+$/.test(before)) return undefined;
  const isWhole = typeof total === "number" ? total === commits.length : commits.length < mostListed;
  const lists = commits.flatMap((each) => (isObject(each) ? [each.added, each.modified, each.removed] : [undefined]));
  if (!isWhole || !lists.every(isTexts)) return undefined;
  const files = [...new Set(lists.flat() as readonly string[])];
  return files.length > mostFiles ? undefined : files;
}

/** Some servers list at most this many commits without a total. */
const mostListed = 20;

/** A push with more files is checked without comparing each. */
const mostFiles = 5000;

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((each) => typeof each === "string");
}
