import { grouped } from "../base/grouped.ts";
import { isObject } from "../base/json.ts";
import { parseManifest } from "../manifest/document.ts";
import { desiredOf } from "../manifest/layers.ts";
import type { Policy } from "../manifest/policies.ts";
import { readPolicies } from "../manifest/policies.ts";
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
  readonly texts: ReadonlyMap<string, string>;
  readonly removed: readonly PrunableEntry[];
  /** Policies that have nothing left. */
  readonly emptied: readonly Policy[];
  /** Entries that have to be removed by hand, because an edit would change something else. */
  readonly left: readonly PrunableEntry[];
}

/** Removes entries from the texts of their files, and documents and files that have nothing left. Writes nothing. */
export function pruneTexts({ loaded }: Pick<Checked, "loaded">, entries: readonly PrunableEntry[]): Pruned {
  const files = [...grouped(entries, ({ policy }) => policy.document.file)].map(([file, those]) =>
    pruneFile(file, textNow(loaded.root, file), those),
  );
  return {
    texts: new Map(files.flatMap(({ file, text }) => (text === undefined ? [] : [[file, text] as const]))),
    removed: files.flatMap(({ removed }) => removed),
    emptied: files.flatMap(({ emptied }) => emptied),
    left: files.flatMap(({ left }) => left),
  };
}

interface PrunedFile extends Omit<Pruned, "texts"> {
  readonly file: string;
  /** Undefined for a file that stays as it is. */
  readonly text: string | undefined;
}

function pruneFile(file: string, whole: string, entries: readonly PrunableEntry[]): PrunedFile {
  const unchanged: PrunedFile = { file, text: undefined, removed: [], emptied: [], left: entries };
  const parts = splitDocuments(whole.replace(/^\uFEFF/, ""));
  if (!parts) return unchanged;
  const filled = [...parts.keys()].filter((index) => hasDocument(parts[index] ?? ""));
  const left: PrunableEntry[] = [];
  const emptied = new Map<number, Policy>();
  for (const [policy, those] of grouped(entries, (each) => each.policy)) {
    const at = filled[policy.document.index] ?? -1;
    // From the end of each list, so that no removal moves what is still to be removed.
    for (const each of those.toSorted((a, b) => lastIndex(b.path) - lastIndex(a.path))) {
      const edited = removeIn({ text: parts[at] ?? "", document: 0 }, each.path);
      if (edited === undefined) left.push(each);
      else parts[at] = edited;
    }
    if (isEmptyPolicy(parseManifest(file, parts[at] ?? "").documents[0]?.value)) emptied.set(at, policy);
  }
  const text = joinDocuments(parts, (index) => emptied.has(index));
  if (text !== "" && hasErrors(parseManifest(file, text).problems)) return unchanged;
  const removed = entries.filter((each) => !left.includes(each));
  return { file, text, removed, emptied: [...emptied.values()], left };
}

function lastIndex(path: Path): number {
  const last = path.at(-1);
  return typeof last === "number" ? last : -1;
}

function isEmptyPolicy(value: unknown): boolean {
  const declaresNothing = (key: string) => policyHeads.has(key) || key === "apiVersion" || key === "except";
  return isObject(value) && Object.keys(value).every((key) => declaresNothing(key) || value[key] === null);
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
