import { isObject, typeOf } from "../base/json.ts";
import { suggestionFor } from "../base/nearest.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { duplicateNames, problemAt, type Rule } from "./problem.ts";
import { apiVersion, type DocumentKind, documentKinds, versionHint } from "./shape.ts";
import { workspaceFile } from "./workspace.ts";

export interface Head {
  readonly kind: ManifestKind | undefined;
  readonly problem: Problem | undefined;
}

type ManifestKind = Exclude<DocumentKind, "Workspace"> | "ResourceKind";

/** Reads `apiVersion` and `kind` of a document outside `evenkeel.yaml` (docs/manifests.md). */
export function readHead(document: Document): Head {
  const { value } = document;
  if (!isObject(value)) {
    const message = `expected a document with apiVersion: ${apiVersion} and a kind, got ${typeOf(value)}`;
    return { kind: undefined, problem: problemAt("kind", message, { document, path: [] }) };
  }
  const { apiVersion: version, kind } = value;
  const known = manifestKinds.find((each) => each === kind);
  if (version !== apiVersion) {
    const hint = versionHint(version) || `; if this is not a manifest, list the manifests in ${workspaceFile}`;
    const message = `expected apiVersion: ${apiVersion}${hint}`;
    const problem = problemAt("api-version", message, { document, path: ["apiVersion"] });
    return { kind: isOurs(version) ? known : undefined, problem };
  }
  if (known) return { kind: known, problem: undefined };
  return { kind: undefined, problem: problemAt("kind", kindMessage(kind), { document, path: ["kind"] }) };
}

/** If only the version is missing or misspelled, the rest of the document is still checked. */
function isOurs(version: unknown): boolean {
  return version === undefined || (typeof version === "string" && version.startsWith("evenkeel"));
}

const manifestKinds: readonly ManifestKind[] = [
  ...documentKinds.filter((each) => each !== "Workspace"),
  "ResourceKind",
];

function kindMessage(kind: unknown): string {
  if (kind === "Workspace") return `a Workspace may only be in ${workspaceFile}`;
  const hint = suggestionFor(kind, manifestKinds);
  return hint ? `unknown kind ${kind}${hint}` : `expected kind: ${manifestKinds.join(" or ")}`;
}

/** A document read as its kind; without `item` if it is invalid. */
export interface ReadDocument<Item> {
  readonly name: string;
  readonly document: Document;
  readonly problems: readonly Problem[];
  readonly item?: Item | undefined;
}

/** Reads the documents of one kind, whose names must be different. */
export function readKind<Item>(
  documents: readonly Document[],
  kind: ManifestKind,
  read: (document: Document) => ReadDocument<Item>,
  { rule, noun }: { readonly rule: Rule; readonly noun: string },
): { readonly items: readonly Item[]; readonly problems: readonly Problem[] } {
  const all = documents.filter((document) => readHead(document).kind === kind).map(read);
  return {
    items: all.flatMap(({ item }) => (item === undefined ? [] : [item])),
    problems: [...all.flatMap(({ problems }) => problems), ...duplicateNames(rule, noun, all)],
  };
}
