import { isObject } from "../base/json.ts";
import type { Answer } from "../client/client.ts";
import { updatedAtOf } from "../live/redacted-resources.ts";
import { reportedFields } from "../live/resource-rows.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { compareField } from "../model/normalise.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, DesiredProject, Live } from "../model/types.ts";
import { referencesWithin } from "../model/values.ts";

/**
 * Whether reading can show that a change was applied. It cannot if the change affects only secrets, or sends values that
 * are live already.
 */
export function isVisible(change: Change): boolean {
  const { action } = change;
  return (action !== "update" && action !== "replace") || shownNames(change).length > 0;
}

/** The fields of an update that reading can show: those that differed, but for secrets. */
function shownNames({ before, declared }: Change): readonly string[] {
  return Object.keys(before ?? {}).filter((name) => referencesWithin(declared[name] ?? null).length === 0);
}

/** Whether live resources show that a change was applied. Only for one that {@link isVisible}. */
export function isApplied(catalogue: Catalogue, change: Change, live: readonly Live[]): boolean {
  return lostOf(catalogue, change, live).length === 0;
}

/** The parameters of a change that are not live, or all. Only for one that {@link isVisible}. */
export function lostOf(catalogue: Catalogue, change: Change, live: readonly Live[]): "all" | readonly string[] {
  const found = live.find((each) => isSubject(catalogue, change, each));
  if (isRemoval(change)) return found?.active ? "all" : [];
  if (!found || !(found.active || "active" in change.declared)) return "all";
  const names = change.action === "update" ? shownNames(change) : Object.keys(change.declared);
  return names.filter((name) => {
    const compared = compareField(catalogue, change, name, change.declared[name] ?? null, found.fields[name]);
    return change.action === "update" ? compared !== "same" : compared === "different";
  });
}

/** By ID if there is one, because keys may differ only in case; what was replaced has another one. */
function isSubject(catalogue: Catalogue, { kind, key, live, action }: Change, found: Live): boolean {
  if (found.kind !== kind) return false;
  if (live?.id !== undefined && action !== "replace") return found.id === live.id;
  return identityOf(catalogue, found) === identityOf(catalogue, { kind, key });
}

/** What the ledger needs of the response to a write. Unlike the response, it contains no secrets. */
export interface Seen {
  readonly updatedAt?: string | undefined;
  /** Declared parameters that are missing in the response. */
  readonly unreported: readonly string[];
}

export function writtenState(catalogue: Catalogue, { kind, key, declared }: Change, answer: Answer | undefined): Seen {
  const row = isObject(answer?.body) ? answer.body : {};
  const reported = reportedFields(catalogue, { kind, key, fields: declared }, row);
  return { updatedAt: updatedAtOf(row), unreported: Object.keys(declared).filter((name) => !(name in reported)) };
}

/** The resources of changes in one project, as a desired state to read. */
export function subjectsOf(catalogue: Catalogue, name: string, changes: readonly Change[]): DesiredProject {
  const resources = changes.map((change) => {
    const { kind, key, declared, origin } = change;
    const identity = identityOf(catalogue, change);
    return {
      kind,
      key,
      identity,
      fields: declared,
      origin,
      presence: isRemoval(change) ? "absent" : "present",
    } as const;
  });
  return { project: { name }, kinds: new Set(changes.map(({ kind }) => kind)), resources, exclusive: new Map() };
}
