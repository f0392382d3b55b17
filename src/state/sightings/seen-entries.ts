import { memoized } from "../../base/memoize.ts";
import { identityOf } from "../../model/kinds.ts";
import type { Desired, Fields, Place } from "../../model/types.ts";
import { cutText, truncateFields } from "./cut.ts";
import type { ProjectObservation } from "./looked-at.ts";
import type { ProjectSnapshot, SeenEntry } from "./sighting.ts";

/** Places of entries, so far as they are worth a parse: those of so many files. */
const mostFiles = 250;

/** Tells where an entry stands; undefined where nobody should wait for it. */
export type Placing = (desired: Desired) => Place | undefined;

/** The places of one look: the same ones for the same manifests. */
export function placing(): Placing {
  const files = new Set<string>();
  return ({ origin }) => {
    const { file = "" } = origin;
    if (files.size >= mostFiles && !files.has(file)) return undefined;
    files.add(file);
    return origin.place();
  };
}

/** Tells what policies say of a project; what the look was not about, as it was known before. */
export type Entries = (before: ProjectSnapshot | undefined, looked: ProjectObservation) => readonly SeenEntry[];

/** The entries of one look at a commit. */
export function entriesAt(commit: string | null, places: Placing): Entries {
  const fresh = memoized((desired: Desired): SeenEntry => {
    const { kind, key, origin } = desired;
    const place = places(desired);
    const { policy = "", file = place?.file ?? "", until, reason } = origin;
    const where = { policy, file, ...(place && { line: place.line, column: place.column }), commit };
    const why = { ...(until && { until }), ...(reason && { reason: cutText(reason) }) };
    return { kind, key, fields: wantedOf(desired), ...where, ...why };
  });
  return (before, { desired, changes, includes }) => {
    if (!before) return (desired ?? []).filter(({ kind, key }) => includes(`${kind}/${key}`)).map(fresh);
    if (!changes || !desired) return before.entries;
    const known = new Map(before.entries.map((entry) => [identityOf(entry), entry]));
    return desired.flatMap((each) => {
      const earlier = known.get(identityOf(each));
      if (!includes(`${each.kind}/${each.key}`)) return earlier ?? [];
      return earlier && isWhereItWas(earlier, fresh(each)) ? earlier : fresh(each);
    });
  };
}

/** The declared fields, long values cut; null for what must be off. */
function wantedOf({ presence, fields }: Desired): Fields | null {
  return presence === "absent" ? null : truncateFields(fields);
}

/** An entry that stands where it stood is known from the commit that was looked at then. */
function isWhereItWas({ commit: _, ...before }: SeenEntry, { commit: __, ...now }: SeenEntry): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
