import type { Project } from "../model/types.ts";
import type { ImportedProject, ImportedValue } from "./imported.ts";
import type { Draft } from "./policy.ts";

/**
 * The file of a project's policy below the folder of policies. Names that a workspace does not look at, and that of
 * a workspace's own file, get an underscore.
 */
export function fileOf({ name }: Project): string {
  const segments = name.split("/").map(segmentOf);
  return `${segments.join("/")}.yaml`;
}

/** Each with a file of its own, also where case does not count in the names of files. */
export function withOwnFiles(drafts: readonly Draft[]): readonly Draft[] {
  const taken = new Set<string>();
  return drafts.map((draft) => {
    const stem = draft.file.replace(/\.yaml$/, "");
    let file = draft.file;
    for (let count = 2; taken.has(file.toLowerCase()); count++) file = `${stem}-${count}.yaml`;
    taken.add(file.toLowerCase());
    return { ...draft, file };
  });
}

function segmentOf(segment: string): string {
  const plain = segment.replace(/[^\p{L}\p{N}._-]/gu, "_").replace(/^\./, "_");
  return /^(?:node_modules|evenkeel|)$/i.test(plain) ? `_${plain}` : plain;
}

/** The same projects with a reference for every blank, each of its own: values may differ wherever nobody can see them. */
export function withReferences(imported: readonly ImportedProject[]): readonly ImportedProject[] {
  const taken = new Set<string>();
  return imported.map((each) => ({
    ...each,
    entries: each.entries.map((entry) => {
      const named = [...entry.fields].map(([name, stated]): [string, ImportedValue] => {
        if (stated.form !== "blank") return [name, stated];
        return [name, { ...stated, reference: `env:${unique([each.project.name, entry.key, name], taken)}` }];
      });
      return { ...entry, fields: new Map(named) };
    }),
  }));
}

function unique(parts: readonly string[], taken: Set<string>): string {
  const words = parts
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_");
  const name = /^\d/.test(words) ? `_${words}` : words;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}_${count}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}
