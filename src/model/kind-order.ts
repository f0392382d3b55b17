import { memoized } from "../base/memoize.ts";
import type { Catalogue } from "./catalogue.ts";
import { ownerOfKind } from "./owner.ts";
import type { Kind } from "./types.ts";

/**
 * The place of each kind in the order in which resources of a project are written: a kind comes after those that its file
 * names, because its resources refer to theirs. Kinds that name none, and those of one another, are not kept apart.
 */
export const kindOrder = memoized(({ kinds }: Catalogue): ReadonlyMap<Kind, number> => {
  const named = new Map(Array.from(kinds, ([kind, { policy }]) => [`${ownerOfKind(kind)} ${policy?.section}`, kind]));
  const placeOf = (kind: Kind, above: readonly Kind[]): number => {
    const before = (kinds.get(kind)?.file?.after ?? []).flatMap(
      (name) => named.get(`${ownerOfKind(kind)} ${name}`) ?? [],
    );
    const others = before.filter((each) => each !== kind && !above.includes(each));
    return others.reduce((most, each) => Math.max(most, 1 + placeOf(each, [...above, kind])), 0);
  };
  return new Map(Array.from(kinds.keys(), (kind) => [kind, placeOf(kind, [])]));
}, new WeakMap());
