import { memoized } from "../../base/memoize.ts";
import type { Kind } from "../../model/types.ts";
import { entrySize, type SnapshotShard } from "./sheet.ts";
import { type ProjectSnapshot, syncStatuses } from "./sighting.ts";

/** What a list of projects needs of one: all but its fields and its differences. */
export interface ProjectSummary extends Pick<ProjectSnapshot, "project" | "standing" | "since" | "seen" | "run"> {
  readonly differences: number;
  readonly labels: Labels;
}

/** The keys of a project's entries by their kind, and the policies that say them. */
export interface Labels {
  readonly keys: Readonly<Partial<Record<Kind, ReadonlySet<string>>>>;
  readonly policies: ReadonlySet<string>;
}

/** The heads of all projects of a sheet. Those with the same labels share them. */
export function headsIn({ words, rows }: SnapshotShard): readonly ProjectSummary[] {
  const word = (index: number) => words[index] ?? "";
  const labelsOf = memoized((key: string) => labelsIn(key.split(",").map(Number), word));
  return rows.map(([project, , , standing, since, seen, run, , numbers, differences]) => {
    let key = "";
    for (let at = 0; at < numbers.length; at += entrySize)
      key += `${numbers[at]},${numbers[at + 1]},${numbers[at + 3]},`;
    const times = { since: word(since), seen: word(seen), run: word(run) };
    const stands = syncStatuses[standing] ?? "unreadable";
    return { project, standing: stands, ...times, differences: differences.length, labels: labelsOf(key) };
  });
}

function labelsIn(numbers: readonly number[], word: (index: number) => string): Labels {
  const keys: Partial<Record<Kind, Set<string>>> = {};
  const policies = new Set<string>();
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [kind = -1, key = -1, policy = -1] = numbers.slice(at, at + 3);
    keys[word(kind) as Kind] = (keys[word(kind) as Kind] ?? new Set()).add(word(key));
    policies.add(word(policy));
  }
  return { keys, policies };
}
