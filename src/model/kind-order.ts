import { memoized } from "../base/memoize.ts";
import type { Catalogue } from "./catalogue.ts";
import { ownerOfKind } from "./owner.ts";
import type { Kind } from "./types.ts";

/**
 * The order in which resources of a project are written: a kind comes after those that its file names in `after`,
 * because its resources refer to theirs. Other kinds share a position.
 */
export const kindOrder = memoized(({ kinds }: Catalogue): ReadonlyMap<Kind, number> => {
  const named = new Map(Array.from(kinds, ([kind, { policy }]) => [`${ownerOfKind(kind)} ${policy?.section}`, kind]));
  const placeOf = (kind: Kind, above: readonly Kind[]): number => {
    const before = (kinds.get(kind)?.file.after ?? []).flatMap(
      (name) => named.get(`${ownerOfKind(kind)} ${name}`) ?? [],
    );
    const others = before.filter((each) => each !== kind && !above.includes(each));
    return others.reduce((most, each) => Math.max(most, 1 + placeOf(each, [...above, kind])), 0);
  };
  return new Map(Array.from(kinds.keys(), (kind) => [kind, placeOf(kind, [])]));
}, new WeakMap());
