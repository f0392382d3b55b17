import { isObject, typeOf } from "../base/json.ts";
import { suggestionFor } from "../base/nearest.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { duplicateNames, problemAt } from "./problem.ts";
import { apiVersion, type DocumentKind, documentKinds, shape, versionHint } from "./shape.ts";
import { workspaceFile } from "./workspace.ts";

type ManifestKind = Exclude<DocumentKind, "Workspace"> | "ResourceKind";

/** Reads `apiVersion` and `kind` of a document outside `evenkeel.yaml` (docs/manifests.md). */
export function readHead(document: Document): {
  readonly kind: ManifestKind | undefined;
  readonly problem: Problem | undefined;
} {
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
    // If only the version is missing or misspelled, the rest of the document is still checked.
    const isOurs = version === undefined || (typeof version === "string" && version.startsWith("evenkeel"));
    return { kind: isOurs ? known : undefined, problem };
  }
  if (known) return { kind: known, problem: undefined };
  return { kind: undefined, problem: problemAt("kind", kindMessage(kind), { document, path: ["kind"] }) };
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

/** Reads the documents of one kind, whose names must be different. `read` gets the text without the parts that are invalid. */
export function readKind<Text extends { readonly name: string }, Item>(
  documents: readonly Document[],
  kind: Exclude<DocumentKind, "Workspace">,
  noun: string,
  read: (text: Partial<Text>, document: Document, shapeless: readonly Problem[]) => ReadDocument<Item>,
): { readonly items: readonly Item[]; readonly problems: readonly Problem[] } {
  const all = documents
    .filter((document) => readHead(document).kind === kind)
    .map((document) => {
      const { text, problems: shapeless } = shape<Text>(document, kind);
      const { item, problems } = read(text, document, shapeless);
      return { name: text.name ?? "", document, item, problems: [...shapeless, ...problems] };
    });
  const rule = kind === "Rule" ? "duplicate-rule" : "duplicate-name";
  return {
    items: all.flatMap(({ item }) => item ?? []) as Item[],
    problems: [...all.flatMap(({ problems }) => problems), ...duplicateNames(rule, noun, all)],
  };
}

/** A document that was read; it has no `item` if it is invalid. */
interface ReadDocument<Item> {
  readonly item?: Item | undefined;
  readonly problems: readonly Problem[];
}
