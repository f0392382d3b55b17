import { memoized } from "../../base/memoize.ts";
import { resourceName } from "../../model/address.ts";
import { kindWord } from "../../model/owner.ts";
import type { Desired } from "../../model/types.ts";
import type { Locate, ProjectObservation } from "./observation.ts";
import type { ProjectSnapshot, SeenEntry } from "./snapshot.ts";
import { truncateFields, truncateText } from "./truncate.ts";

/** Entries of at most this many files are located, since each file has to be parsed. */
const maxFiles = 250;

/** The locations of one run: the same for the same manifests. */
export function locator(): Locate {
  const files = new Set<string>();
  return ({ origin }) => {
    const { file = "" } = origin;
    if (files.size >= maxFiles && !files.has(file)) return undefined;
    files.add(file);
    return origin.place();
  };
}

/** The entries of a project after a run; those that the run did not target are taken from its earlier snapshot. */
export type EntriesAfter = (before: ProjectSnapshot | undefined, observed: ProjectObservation) => readonly SeenEntry[];

/** The entries of a run at a commit. */
export function entriesAt(commit: string | null, locate: Locate): EntriesAfter {
  const entryOf = memoized((desired: Desired): SeenEntry => {
    const { kind, key, origin, presence } = desired;
    const location = locate(desired);
    const { policy = "", file = location?.file ?? "", until, reason } = origin;
    return {
      kind: kindWord(kind),
      key,
      fields: presence === "absent" ? null : truncateFields(desired.fields),
      policy,
      file,
      ...(location && { line: location.line, column: location.column }),
      commit,
      ...(until && { until }),
      ...(reason && { reason: truncateText(reason) }),
    };
  }, new WeakMap());
  return (before, { desired: wanted, changes, includes }) => {
    if (before && (!changes || !wanted)) return before.entries;
    const desired = wanted?.resources() ?? [];
    if (!before) return desired.filter((each) => includes(nameOf(each))).map(entryOf);
    const known = new Map(before.entries.map((entry) => [nameOf(entry), entry]));
    return desired.flatMap((each) => {
      const earlier = known.get(nameOf(each));
      if (!includes(nameOf(each))) return earlier ?? [];
      return earlier && isUnchanged(earlier, entryOf(each)) ? earlier : entryOf(each);
    });
  };
}

function nameOf({ kind, key }: Pick<SeenEntry, "kind" | "key">): string {
  return resourceName(kind, key);
}

/** An unchanged entry keeps the commit at which it was first seen. */
function isUnchanged({ commit: _, ...before }: SeenEntry, { commit: __, ...now }: SeenEntry): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
