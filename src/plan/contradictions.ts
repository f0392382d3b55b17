import { canonical, isObject, objectOf } from "../base/json.ts";
import { addressOf } from "../model/address.ts";
import { segmentsIn } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { defaultValue } from "../model/field-meaning.ts";
import { fullPathOf } from "../model/identity.ts";
import type { KindRow } from "../model/kind-row.ts";
import { kindOf } from "../model/kinds.ts";
import { describeOwner, kindIn } from "../model/owner.ts";
import { isRemoval, turnsOff } from "../model/removal-changes.ts";
import type { Change, DesiredProject, Fields, Live, LookUpResults, Outcome, Project } from "../model/types.ts";
import { pick } from "./diff/changes.ts";
import { withoutMemory } from "./diff/reasons.ts";
import { plannedChange } from "./make-plan.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** Reasons why changes of a saved plan cannot follow from the manifests, by address. */
export type Contradictions = ReadonlyMap<string, string>;

/**
 * Explains how a planned change differs from the one that would be sent now; undefined if all visible parts are equal,
 * except for facts that only a ledger knows. The signed change is the one that is sent.
 */
export function differenceFrom(planned: PlannedChange, change: Change, catalogue: Catalogue): string | undefined {
  const names = Object.keys(change.declared);
  const now = plannedChange(change, catalogue);
  const part = differingPart(visibleParts(planned, names), visibleParts(now, names)) ?? differingCause(planned, now);
  return part === undefined ? undefined : `the plan's ${part} would be different now`;
}

/** An equal ledger determines the same cause; plans of older versions have none. */
function differingCause(planned: PlannedChange, now: PlannedChange): string | undefined {
  if (planned.action_reason !== now.action_reason || planned.cause === undefined) return undefined;
  return planned.cause === now.cause ? undefined : "cause";
}

/** Explains why a project is not the one in the plan; undefined if it is, as far as the plan shows. */
export function otherProject(planned: PlannedChange, project: Project): string | undefined {
  const { project: name, project_id: id, project_path: path } = planned;
  const fullPath = fullPathOf(project);
  if (id !== undefined && id !== project.id) {
    return `the plan was made for ${describeOwner(name)} with ID ${id}, and it now has ${project.id ?? "an unknown ID"}`;
  }
  if (path === undefined || path === fullPath) return undefined;
  return `the plan was made for ${describeOwner(name)} at ${path}, and it is now at ${fullPath ?? "an unknown path"}`;
}

/** Values that would be sent without comparison and are not shown in the plan; `listed`: those that the plan lists. */
export function unlistedIn(
  { change: { after } }: PlannedChange,
  listed: readonly string[] = [],
  unverified: readonly string[] = [],
): string | undefined {
  const name = unverified.find((each) => !listed.includes(each) && !(each in (after ?? {})));
  return name && `${name} cannot be compared and would be sent, which the plan does not show`;
}

/** The visible parts of a change, without values resent because of a ledger, which were compared with the manifests. */
function visibleParts(planned: PlannedChange, declared: readonly string[]): object {
  const { live, notes, change, resend } = planned;
  const { before, after } = change;
  const compared = before && after ? pick(after, Object.keys(before)) : after;
  const isVisible = Object.keys(before ?? {}).length > 0;
  return {
    ...statedParts(planned),
    ...(isVisible && { resend }),
    ...{ live, notes, action_reason: withoutMemory(planned.action_reason, declared) },
    change: { actions: change.actions, before, after: compared },
  };
}

/**
 * Explains why the manifests cannot lead to a planned change with any live state; undefined if they can. Live values in
 * the change are trusted here, and compared when its project is read again.
 */
export function contradictionIn(
  planned: PlannedChange,
  desired: DesiredProject,
  catalogue: Catalogue,
): string | undefined {
  const change = declaredChange(planned, desired, catalogue);
  return typeof change === "string" ? change : statedDifference(planned, change, catalogue);
}

/** Like {@link contradictionOf} for a known change, without its live values. */
export function statedDifference(planned: PlannedChange, change: Change, catalogue: Catalogue): string | undefined {
  const part = differingPart(statedParts(planned), statedParts(plannedChange(change, catalogue)));
  return part === undefined ? undefined : `the plan's ${part} does not match the manifests`;
}

/** The parts of a change that manifests alone determine, given its action and the names of the different fields. */
function statedParts({
  address,
  project,
  kind,
  key,
  change,
  policy_reason: reason,
  source,
  call,
}: PlannedChange): object {
  return { address, project, kind, key, change, policy_reason: reason, source, call };
}

/** Derives the change from the manifests and the live values of the planned change, or explains why there is none. */
function declaredChange(planned: PlannedChange, desired: DesiredProject, catalogue: Catalogue): Change | string {
  const { key, change, action_reason: reason, cause = "drift" } = planned;
  const kind = kindIn(planned);
  const action = actionOf(planned);
  const resource = desired.resources.find((each) => each.kind === kind && each.key === key);
  const origin = resource?.origin ?? desired.exclusive.get(kind);
  if (!origin) return "no manifest declares it";
  if (action !== "create" && !planned.live) return "the plan does not say what was live";
  const row = kindOf(catalogue, kind);
  const { removal, removed } = row;
  const isPresent = resource?.presence === "present";
  if (isPresent ? isRemoval({ action }) : action !== removal) {
    return `the manifests want it ${isPresent ? "present" : "absent"}, and the plan says ${action}`;
  }
  const declared = resource?.fields ?? {};
  const after = isPresent ? declaredPart(row, declared, planned) : removed.after;
  return {
    ...{ kind, key, action, reason, cause, origin, declared, after },
    address: addressOf(desired.project.name, kind, key),
    project: desired.project.name,
    before: change.before,
    live: claimedLive(row, planned),
    liveDigest: planned.live?.digest,
  };
}

/** The declared values of the parameters in a change; a disabled resource may not be declared. */
function declaredPart({ file }: KindRow, declared: Fields, { change }: PlannedChange): Fields {
  const { actions, before, after } = change;
  if (actions[0] === "create") return declared;
  const names = Object.keys(after ?? {}).filter((name) => name in declared || name in (before ?? {}));
  const isReplaced = actions.length > 1;
  return objectOf(names, (name) => declared[name] ?? (isReplaced ? defaultValue(file, name) : null));
}

/** The live values according to a planned change. */
function claimedLive({ read, calls }: KindRow, planned: PlannedChange): Live | undefined {
  const { key, change, live, call } = planned;
  const kind = kindIn(planned);
  if (!live) return undefined;
  const action = actionOf(planned);
  const carrier = calls[action === "replace" ? "delete" : action];
  const segments = typeof carrier === "object" ? (segmentsIn(carrier, call.path) ?? {}) : {};
  const named = Object.entries(segments).filter(([name]) => name.startsWith("row."));
  const row = Object.fromEntries(named.map(([name, value]) => [name.slice(4), value]));
  const id = read?.numbered ? /^\d+$/.exec(row.id ?? "")?.[0] : undefined;
  const resource = { kind, key, fields: change.before ?? {}, active: true, row };
  return { ...resource, ...(id !== undefined && { id: Number(id) }) };
}

/** The path of the first difference, such as `change.after.recipients`; undefined without any. */
function differingPart(one: unknown, other: unknown, path: readonly string[] = []): string | undefined {
  if (canonical(one) === canonical(other)) return undefined;
  if (!isObject(one) || !isObject(other)) return path.join(".");
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  const parts = names.map((name) => differingPart(one[name], other[name], [...path, name]));
  return parts.find((part) => part !== undefined);
}

/** The outcome of a change that is not sent because the plan no longer matches its manifests or the server. */
export function staleOutcome(reason: string): Outcome {
  return { status: "stale", error: `${reason}; plan again` };
}

/** Explains why a planned change is stale after its project was read again; undefined if the effect is the same. */
export function changedSincePlan(planned: PlannedChange, now: Change): string | undefined {
  const action = actionOf(planned);
  const visible = visibleOf(planned);
  const found = otherResult(planned.looked_up, now.lookedUp);
  if (found !== undefined) return found;
  if (action !== now.action) return `the planned action is ${action}, but now it would be ${now.action}`;
  if (turnsOff(now) && !turnsOff(visible)) return "it would now be turned off, which the plan does not show";
  if (now.policyEffect === "loosened" && visible.policyEffect !== "loosened") {
    return "it would now loosen the policy, which the plan does not show";
  }
  const { updated_at, digest } = planned.live ?? {};
  return liveValuesChanged({ digest, updatedAt: updated_at ?? undefined }, { digest: now.liveDigest, live: now.live });
}

/** A sentence on the first look-up whose result differs from the plan's. */
function otherResult(planned: LookUpResults = {}, now: LookUpResults = {}): string | undefined {
  for (const [parameter, results] of Object.entries(now)) {
    for (const [name, found] of Object.entries(results)) {
      const before = planned[parameter]?.[name];
      if (before === found || before === null) continue;
      const was = before === undefined ? "not looked up" : before;
      return `${parameter} of ${JSON.stringify(name)} was ${was} when the plan was made, and it is ${found} now`;
    }
  }
  return undefined;
}

/** Look-up results, with null for addresses whose writes were begun: their values may be known by now. */
export function knownResults(
  results: LookUpResults | undefined,
  begun: ReadonlySet<string>,
): LookUpResults | undefined {
  return (
    results &&
    objectOf(Object.keys(results), (parameter) => {
      const found = results[parameter] ?? {};
      return objectOf(Object.keys(found), (name) => (begun.has(String(found[name])) ? null : (found[name] ?? null)));
    })
  );
}

interface LiveState {
  readonly digest: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Explains how live values differ from those of the plan; undefined if they do not. */
function liveValuesChanged(
  planned: LiveState,
  now: Pick<LiveState, "digest"> & { readonly live: Pick<Live, "updatedAt"> | undefined },
): string | undefined {
  if (planned.digest !== now.digest) return "the live values changed since the plan was made";
  return planned.updatedAt === now.live?.updatedAt ? undefined : "updated_at changed since the plan was made";
}
