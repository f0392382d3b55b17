import { join } from "node:path";
import { UserError } from "../base/exit.ts";
import { parseManifest } from "../manifest/document.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import type { Context } from "../reconcile/context.ts";
import { loadWorkspace } from "../workspace/load.ts";
import { textIn } from "../workspace/text-files.ts";
import type { LiveTarget } from "./accept-change.ts";
import type { Manifests } from "./manifests.ts";

/** The texts of all files that may need edits. @throws UserError if one cannot be read. */
export function textsFor({ loaded: { root }, policies }: Context, targets: readonly LiveTarget[]): Map<string, string> {
  const layers = targets.flatMap(({ ref }) => matchingLayers(policies, ref.project));
  const files = new Set(layers.map(({ policy }) => policy.document.file));
  return new Map([...files].map((name) => [name, textNow(root, name).replace(/^\uFEFF/, "")]));
}

function textNow(root: string, name: string): string {
  const text = textIn({ path: join(root, name), name });
  if (typeof text === "string") return text;
  throw new UserError(text?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`);
}

/** Writes changed texts. @throws UserError if manifests changed meanwhile, or would be invalid. */
export function writeTexts(
  { loaded, policies }: Context,
  write: (root: string, texts: ReadonlyMap<string, string>) => void,
  after: Manifests,
): void {
  const { root, digest } = loaded;
  const now = loadWorkspace(root);
  if (now.digest !== digest) throw new UserError("the manifests changed meanwhile; nothing was written: run it again");
  const written = new Set(policies.map(({ document }) => document.file));
  const changed = [...after.texts].flatMap(([name, text]): [string, string][] => {
    const before = written.has(name) ? textNow(root, name) : "";
    const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
    return before === mark + text ? [] : [[name, mark + text]];
  });
  const texts = new Map(changed);
  const edited = changed.flatMap(([name]) => parseManifest(name, after.texts.get(name) ?? "").documents);
  const documents = [...loaded.documents.filter(({ file }) => !texts.has(file)), ...edited];
  if (hasErrors(validate({ ...loaded, documents }).problems) && !hasErrors(validate(loaded).problems)) {
    throw new UserError("the manifests would not be valid afterwards; nothing was written");
  }
  if (changed.length > 0) write(root, texts);
}
