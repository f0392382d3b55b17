import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isObject, type JsonObject } from "../base/json.ts";
import { isSameSecret } from "../secrets/token.ts";
import type { Checkout } from "./checkout.ts";

/** Whether a webhook knows the secret: it sends it (X-Gitlab-Token), or a signature made with it (X-Hub-Signature-256). */
export function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const { "x-gitlab-token": token, "x-hub-signature-256": signature } = headers;
  if (typeof token === "string") return isSameSecret(Buffer.from(token, "latin1").toString("utf8"), secret);
  if (typeof signature !== "string") return false;
  return isSameSecret(signature.toLowerCase(), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

/** Whether a push is to be checked, and why. */
export interface PushDecision {
  readonly check: boolean;
  readonly why: string;
  /** The commit that was pushed. */
  readonly commit?: string;
}

/** Whether a push may have changed a workspace; if that is unknown, it may have. */
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
  const { prefix } = checkout;
  const isWithin = (file: string) => file.startsWith(prefix ?? "") && !file.split("/").includes("..");
  if (files.some(isWithin)) return { check: true, why: "files of this workspace changed", ...commit };
  return { check: false, why: "no file of this workspace changed" };
}

/** The files of all commits; undefined if the event may omit some. */
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

/** Some servers list at most this many commits without a total. */
const mostListed = 20;

/** A push with more files is checked without comparing each. */
const mostFiles = 5000;

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((each) => typeof each === "string");
}
