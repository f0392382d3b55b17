import type { Problem, SecretReference } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import type { Document } from "./document.ts";
import { listed } from "./listed.ts";
import { problemAt } from "./problem.ts";
import { referenceFault } from "./secret-reference.ts";
import { referencesOf } from "./template.ts";

/** The events of a watcher that `on:` of a Workspace can select (docs/watching.md). */
const notifyEvents = ["drift", "recovered", "failed", "refused", "expiring", "silent"] as const;

export type NotifyEvent = (typeof notifyEvents)[number];

/** A receiver of a watcher's notifications. */
export interface Notify {
  readonly url: SecretReference;
  readonly on: readonly NotifyEvent[];
  /** Whether the URL may use plain http to another machine. */
  readonly allowInsecure: boolean;
}

/** A receiver as written, without invalid parts. */
export interface NotifyText {
  readonly url?: { readonly secret?: string };
  readonly on?: readonly (NotifyEvent | undefined)[];
  readonly allowInsecure?: boolean;
}

/** Without `on:` a receiver gets all events. */
export function notifyOf(texts: readonly (NotifyText | undefined)[] | undefined): readonly Notify[] {
  return listed(texts).flatMap(([each]) => {
    const { url, on = notifyEvents, allowInsecure = false } = each ?? {};
    if (url?.secret === undefined) return [];
    return [{ url: { secret: url.secret }, on: on.filter((event) => event !== undefined), allowInsecure }];
  });
}

/** Problems of secret references that are not valid. A Workspace has no variables, so they cannot be interpolated. */
export function notifyProblems(
  document: Document,
  texts: readonly (NotifyText | undefined)[] | undefined,
): readonly Problem[] {
  return listed(texts).flatMap(([each, index]) => {
    const text = each?.url?.secret;
    if (text === undefined) return [];
    const fault = referencesOf(text).length > 0 ? "a Workspace has no variables to interpolate" : referenceFault(text);
    if (fault === undefined) return [];
    return [problemAt("secret-reference", fault, { document, path: ["notify", index, "url", "secret"] })];
  });
}

/** The secrets that a workspace's notifications need, with their paths in the document. */
export function notifyReferences({ value }: Pick<Document, "value">) {
  const texts = (value as { readonly notify?: unknown } | null)?.notify;
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((each, index) => {
    const url = (each as NotifyText | null)?.url;
    const isOne = url && isReference(url as SecretReference) && typeof url.secret === "string";
    return isOne ? [{ secret: url.secret ?? "", path: ["notify", index, "url", "secret"] as const }] : [];
  });
}
