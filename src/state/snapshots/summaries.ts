import { memoized } from "../../base/memoize.ts";
import type { Kind } from "../../model/types.ts";
import { type SeenShape, shapesIn } from "./difference-shapes.ts";
import type { SnapshotShard } from "./shard.ts";
import type { ProjectSnapshot, SeenEntry } from "./snapshot.ts";

/** What a list of projects shows of one: all but its fields and differences. */
export interface ProjectSummary extends Pick<ProjectSnapshot, "project" | "syncStatus" | "since" | "seen" | "run"> {
  readonly differences: number;
  /** What differs, or why it could not be read. */
  readonly shapes: readonly SeenShape[];
  readonly labels: Labels;
}

/** The keys of a project's entries by kind, and their policies. */
interface Labels {
  readonly keys: Readonly<Partial<Record<Kind, ReadonlySet<string>>>>;
  readonly policies: ReadonlySet<string>;
}

/** Summaries of all projects of a shard. Equal texts and labels are shared, because a console keeps those of a whole fleet. */
export function summariesIn(shard: SnapshotShard): readonly ProjectSummary[] {
  const { entries, rows } = shard;
  const shapesOf = shapesIn(shard);
  const shared = memoized((text: string) => text);
  const numbers = new Map<string, number>();
  const labelIds = entries.map(({ kind, key, policy }) => {
    const label = `${kind}\0${key}\0${policy}`;
    numbers.set(label, numbers.get(label) ?? numbers.size);
    return numbers.get(label);
  });
  const known = new Map<string, Labels>();
  const labelsOf = (indexes: readonly number[]) => {
    const id = indexes.map((index) => labelIds[index]).join();
    const labels = known.get(id) ?? labelsIn(indexes.flatMap((index) => entries[index] ?? []));
    known.set(id, labels);
    return labels;
  };
  return rows.map((row) => {
    const [project, , , syncStatus, since, seen, run, , indexes, differences] = row;
    return {
      project,
      syncStatus,
      since: shared(since),
      seen: shared(seen),
      run: shared(run),
      differences: differences.length,
      shapes: shapesOf(row),
      labels: labelsOf(indexes),
    };
  });
}

function labelsIn(entries: readonly SeenEntry[]): Labels {
  const keys: Partial<Record<Kind, Set<string>>> = {};
  for (const { kind, key } of entries) keys[kind] = (keys[kind] ?? new Set()).add(key);
  return { keys, policies: new Set(entries.map(({ policy }) => policy)) };
}
