import type { Catalogue } from "../model/catalogue.ts";
import { kinds } from "../model/kinds.ts";
import { compareField } from "../model/normalise.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Change, Live } from "../model/types.ts";

/**
 * Whether reading can show that a change was carried out: something that the server reports has to change by it. What
 * changes a secret alone, or sends again what is there already, leaves no trace.
 */
export function isVisible(change: Change): boolean {
  return change.action !== "update" || Object.keys(change.before ?? {}).length > 0;
}

/** Whether what is live now shows that a change was carried out. Only for one that {@link isVisible}. */
export function isApplied(catalogue: Catalogue, change: Change, live: readonly Live[]): boolean {
  return lostOf(catalogue, change, live).length === 0;
}

/** What of a change that {@link isVisible} is not live: all of it, or these parameters. */
export function lostOf(catalogue: Catalogue, change: Change, live: readonly Live[]): "all" | readonly string[] {
  const found = live.find((each) => isSubject(change, each));
  if (isRemoval(change)) return found?.active ? "all" : [];
  if (!found || !(found.active || "active" in change.declared)) return "all";
  const names = Object.keys((change.action === "update" ? change.before : undefined) ?? change.declared);
  return names.filter((name) => {
    const compared = compareField(catalogue, change, name, change.declared[name] ?? null, found.fields[name]);
    return change.action === "update" ? compared !== "same" : compared === "different";
  });
}

/** By the server's own number where there is one: of two that are equal but for case, one may stay. */
function isSubject({ kind, key, live }: Change, found: Live): boolean {
  if (found.kind !== kind) return false;
  if (live?.id !== undefined) return found.id === live.id;
  return kinds[kind].identity(found.key) === kinds[kind].identity(key);
}
