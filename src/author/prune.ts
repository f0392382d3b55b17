import { grouped } from "../base/grouped.ts";
import { isObject } from "../base/json.ts";
import { parseManifest } from "../manifest/document.ts";
import { desiredOf } from "../manifest/layers.ts";
import { type Policy, readPolicies } from "../manifest/policies.ts";
import type { Path } from "../manifest/positions.ts";
import type { PrunableEntry } from "../manifest/prune.ts";
import { policyHeads } from "../manifest/shape.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { Project } from "../model/types.ts";
import { compareProject, type RevisionChange } from "../plan/revision/compare-projects.ts";
import type { Checked } from "../run/context.ts";
import { textNow } from "./accept/manifests.ts";
import { hasDocument, joinDocuments, removeIn, splitDocuments } from "./format/edit.ts";

export interface Pruned {
  /** The new text of each changed file; empty for a file that goes. */
  readonly texts: Map<string, string>;
  readonly removed: PrunableEntry[];
  /** Policies that have nothing left. */
  readonly emptied: Policy[];
  /** Entries that have to be removed by hand, because an edit would change something else. */
  readonly left: PrunableEntry[];
}

/** Removes entries from the texts of their files, and documents and files that have nothing left. Writes nothing. */
export function pruneTexts({ loaded }: Pick<Checked, "loaded">, entries: readonly PrunableEntry[]): Pruned {
  const pruned: Pruned = { texts: new Map(), removed: [], emptied: [], left: [] };
  for (const [file, those] of grouped(entries, ({ policy }) => policy.document.file))
    pruneFile(file, textNow(loaded.root, file), those, pruned);
  return pruned;
}

function pruneFile(file: string, whole: string, entries: readonly PrunableEntry[], pruned: Pruned): void {
  const parts = splitDocuments(whole.replace(/^\uFEFF/, "")) ?? [];
  const filled = [...parts.keys()].filter((index) => hasDocument(parts[index] ?? ""));
  const left = new Set(parts.length > 0 ? [] : entries);
  const emptied = new Map<number, Policy>();
  for (const [policy, those] of grouped(entries, (each) => each.policy)) {
    const at = filled[policy.document.index] ?? -1;
    // From the end of each list, so that no removal moves what is still to be removed.
    for (const each of those.toSorted((a, b) => lastIndex(b.path) - lastIndex(a.path))) {
      const edited = removeIn({ text: parts[at] ?? "", document: 0 }, each.path);
      if (edited === undefined) left.add(each);
      else parts[at] = edited;
    }
    const value = parseManifest(file, parts[at] ?? "").documents[0]?.value;
    const declaresNothing = (key: string) => policyHeads.has(key) || key === "apiVersion" || key === "except";
    if (isObject(value) && Object.entries(value).every(([key, each]) => declaresNothing(key) || each === null))
      emptied.set(at, policy);
  }
  const text = joinDocuments(parts, (index) => emptied.has(index));
  const isSound = parts.length > 0 && (text === "" || !hasErrors(parseManifest(file, text).problems));
  if (isSound) {
    pruned.texts.set(file, text);
    pruned.emptied.push(...emptied.values());
  }
  for (const each of entries) (isSound && !left.has(each) ? pruned.removed : pruned.left).push(each);
}

function lastIndex(path: Path): number {
  const last = path.at(-1);
  return typeof last === "number" ? last : -1;
}

/** Changes of desired state by the pruned texts, sorted by project. */
export function changesByPruning(
  checked: Pick<Checked, "loaded" | "policies" | "plaintext">,
  { texts }: Pick<Pruned, "texts">,
  projects: readonly Project[],
): readonly RevisionChange[] {
  const { loaded, policies, plaintext } = checked;
  const { catalogue } = loaded.workspace;
  const documents = [...texts].flatMap(([file, text]) => parseManifest(file, text).documents);
  const edited = readPolicies({ documents, workspace: loaded.workspace });
  const known = new Set(policies.map(({ name }) => name));
  const after = [
    ...policies.filter(({ document }) => !texts.has(document.file)),
    ...edited.policies.filter(({ name }) => known.has(name)),
  ];
  const secrets = new Map([...plaintext, ...edited.plaintext]);
  return projects.flatMap((project) => {
    const [was, is] = [desiredOf(policies, project).desired, desiredOf(after, project).desired];
    const before = { ...was, catalogue, plaintext };
    return compareProject(project.name, before, { ...is, catalogue, plaintext: secrets });
  });
}
