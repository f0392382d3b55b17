import { memoized } from "../../base/memoize.ts";
import type { Kind } from "../../model/types.ts";
import type { Shards } from "../state.ts";
import { type EntryHead, type SeenShape, shapesIn } from "./difference-shapes.ts";
import { eachOf, type ShardRow } from "./shard.ts";
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

/**
 * Summaries of all projects of a shard; none if it is damaged. Equal texts and labels are shared, because a console keeps those
 * of a whole fleet. @throws UserError if it cannot be read.
 */
export async function readSummaries(shards: Pick<Shards, "pieces">, name: string): Promise<readonly ProjectSummary[]> {
  const heads: NumberedHead[] = [];
  const summaries: ProjectSummary[] = [];
  const [headOf, summaryOf] = [headsBy(), summariesBy(heads)];
  const isWhole = await eachOf(
    shards.pieces(name),
    (parse) => heads.push(headOf(parse())),
    (row) => summaries.push(summaryOf(row)),
  );
  return isWhole ? summaries : [];
}

function summariesBy(heads: readonly NumberedHead[]): (row: ShardRow) => ProjectSummary {
  const shapesOf = shapesIn(heads);
  const shared = memoized((each: string) => each);
  const known = new Map<string, Labels>();
  const labelsOf = (indexes: readonly number[]) => {
    const id = indexes.map((index) => heads[index]?.labels).join();
    const labels = known.get(id) ?? labelsIn(indexes.flatMap((index) => heads[index] ?? []));
    known.set(id, labels);
    return labels;
  };
  return (row) => {
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
  };
}

/** An entry, and the number of its labels. */
interface NumberedHead extends EntryHead {
  readonly labels: number;
}

/** What is kept of entries: equal ones are one object. */
function headsBy(): (entry: SeenEntry) => NumberedHead {
  const numbers = new Map<string, number>();
  const known = new Map<string, NumberedHead>();
  return ({ kind, key, policy, commit }) => {
    const name = `${kind}\0${key}\0${policy}`;
    const labels = numbers.get(name) ?? numbers.size;
    numbers.set(name, labels);
    const head = known.get(`${labels} ${commit}`) ?? { kind, key, policy, commit, labels };
    known.set(`${labels} ${commit}`, head);
    return head;
  };
}

function labelsIn(entries: readonly EntryHead[]): Labels {
  const keys: Partial<Record<Kind, Set<string>>> = {};
  for (const { kind, key } of entries) keys[kind] = (keys[kind] ?? new Set()).add(key);
  return { keys, policies: new Set(entries.map(({ policy }) => policy)) };
}
