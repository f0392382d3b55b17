import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isObject, type JsonObject } from "../base/json.ts";
import { isSameSecret } from "../secrets/token.ts";

/** Whether a hook knows the secret: it says it (X-Gitlab-Token), or signs what it says with it (X-Hub-Signature-256). */
export function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = headers;
  if (typeof token === "string") return isSameSecret(Buffer.from(token, "latin1").toString("utf8"), secret);
  if (typeof signature !== "string") return false;
  return isSameSecret(signature.toLowerCase(), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

/** What a watcher knows of its checkout, as far as it does. */
export interface Checkout {
  /** From the top of the repository to the workspace: empty, or ending in a slash; undefined where nobody knows. */
  readonly prefix: string | undefined;
  /** Such as `refs/heads/main`: what the checkout follows. */
  readonly ref?: string | undefined;
  /** Whether a file, by its path in the workspace, is one that it is made of. */
  readonly isPart: (file: string) => boolean;
  /** Whether a file, by its path from the top of the repository, is one that a link of the workspace may lead to. */
  readonly mayLead?: (file: string) => boolean;
  /** The last commit that was checked. */
  readonly checked?: string | undefined;
}

/** What a push asks for. */
export interface PushDecision {
  readonly check: boolean;
  readonly why: string;
  /** The commit that it brought. */
  readonly commit?: string;
}

/** Whether a push may have changed a workspace: where that cannot be told, it may. */
export function decidePush(headers: IncomingHttpHeaders, payload: unknown, checkout: Checkout): PushDecision {
  const kind = headers["x-github-event"] ?? headers["x-gitlab-event"] ?? "push";
  if (!/^push(?: hook)?$/i.test(String(kind))) return { check: false, why: "not a push event" };
  if (!isObject(payload)) return { check: true, why: "the event lists no files" };
  const { after, ref } = payload;
  const commit = typeof after === "string" && /^[0-9a-f]{40,64}$/.test(after) ? { commit: after } : {};
  if (typeof ref === "string" && checkout.ref !== undefined && ref !== checkout.ref) {
    return { check: false, why: "the push is to another branch" };
  }
  if (commit.commit !== undefined && commit.commit === checkout.checked) {
    return { check: false, why: "this commit has already been checked" };
  }
  const files = filesIn(payload);
  if (!files) return { check: true, why: "the push event does not list all changed files", ...commit };
  if (files.some((file) => isWithin(file, checkout)))
    return { check: true, why: "files of this workspace changed", ...commit };
  return { check: false, why: "no file of this workspace changed" };
}

/** Where nobody knows in which folder of its repository a workspace lies, it may lie in each. */
function isWithin(file: string, { prefix, isPart, mayLead }: Checkout): boolean {
  const parts = file.split("/");
  if (parts.includes("..")) return false;
  if (mayLead?.(file)) return true;
  if (prefix !== undefined) return file.startsWith(prefix) && isPart(file.slice(prefix.length));
  return parts.some((_, index) => isPart(parts.slice(index).join("/")));
}

/** All files of all commits; undefined where the payload may leave some out. */
function filesIn({
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

/** Some servers list no more commits than this, and do not say how many there were. */
const mostListed = 20;

/** So many files of one push are hardly all beside the workspace. */
const mostFiles = 5000;

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((each) => typeof each === "string");
}
