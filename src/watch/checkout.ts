import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { dirname } from "node:path";
import { ifPossible, UserError } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { upstreamOf } from "../git/fast-forward.ts";
import { openGit } from "../git/open-git.ts";
import { repositoryAround } from "../git/repository.ts";
import { isSameSecret } from "../secrets/token.ts";
import { findWorkspace } from "../workspace/load.ts";
import { revisionFingerprint } from "../workspace/load-revision.ts";

/** Follows links of the workspace; true if git cannot compare the commits. */
export function touchesWorkspace(folder: string, from: string, to: string): boolean {
  const isSame = ifPossible(() => {
    const repository = repositoryAround(dirname(findWorkspace(folder)));
    const before = revisionFingerprint(repository, from);
    return before !== undefined && before === revisionFingerprint(repository, to);
  }, UserError);
  return isSame !== true;
}

/** The upstream branch of the checkout, or else the branch with the name of the local one, as `refs/heads/main`. */
export function followedBranch(folder: string): string | undefined {
  const git = openGit(dirname(findWorkspace(folder)));
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

export interface PushDecision {
  readonly check: boolean;
  readonly why: string;
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

function decideSystemHook(payload: JsonObject): PushDecision {
  const event = String(payload.event_name);
  if (!projectEvents.has(event)) return { check: false, why: "the event does not change the settings of a project" };
  const path = payload.path_with_namespace ?? payload.project_path_with_namespace;
  const names = [path, payload.project_id].filter((name) => typeof name === "string" || typeof name === "number");
  return names.length > 0
    ? { check: true, why: `${event}: the project is checked`, project: names.map(String) }
    : { check: true, why: `${event}: everything is checked` };
}

/** False only for events that change no settings, and for a push to another branch or of the commit that was checked last. */
export function decidePush(
  headers: IncomingHttpHeaders,
  payload: unknown,
  { branch, checked }: { readonly branch?: string | undefined; readonly checked?: string | undefined },
): PushDecision {
  const kind = headers["x-github-event"] ?? headers["x-gitlab-event"] ?? "push";
  const event = isObject(payload) ? payload : {};
  const isSystem = /^system hook$/i.test(String(kind));
  if (isSystem && event.event_name !== "push") return decideSystemHook(event);
  if (!isSystem && !/^push(?: hook)?$/i.test(String(kind))) return { check: false, why: "not a push event" };
  const { after, ref } = event;
  if (typeof ref === "string" && branch !== undefined && ref !== branch) {
    return { check: false, why: "the push is to another branch" };
  }
  if (typeof after !== "string" || !/^[0-9a-f]{40,64}$/.test(after)) return { check: true, why: "a push" };
  if (after === checked) return { check: false, why: "this commit has already been checked" };
  return { check: true, why: "a push of another commit", commit: after };
}
