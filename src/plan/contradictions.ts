import { canonical, isObject } from "../base/json.ts";
import { addressOf } from "../model/address.ts";
import { segmentsIn } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { fullPathOf } from "../model/identity.ts";
import type { KindRow } from "../model/kind-row.ts";
import { kindOf } from "../model/kinds.ts";
import { kindIn } from "../model/owner.ts";
import { policyEffectOf } from "../model/policy-effect.ts";
import { isRemoval, turnsOff } from "../model/removal-changes.ts";
import type { Change, DesiredProject, Fields, Live, Outcome, Project } from "../model/types.ts";
import { pick } from "./diff/changes.ts";
import { withoutMemory } from "./diff/reasons.ts";
import { plannedChange } from "./make-plan.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** Why changes of a saved plan cannot follow from the manifests, by their addresses. */
export type Contradictions = ReadonlyMap<string, string>;

/**
 * Why a planned change is not the one that would be sent now, in a sentence; undefined where every part of it that
 * people read is the same, but for what a ledger alone can know. What people sign is what is sent.
 */
export function differenceFrom(planned: PlannedChange, change: Change, catalogue: Catalogue): string | undefined {
  const names = Object.keys(change.declared);
  const now = plannedChange(change, catalogue);
  const part = differingPart(shownOf(planned, names), shownOf(now, names)) ?? differingCause(planned, now);
  return part === undefined ? undefined : `the plan's ${part} would be different now`;
}

/** A ledger that knows as much as the one of the plan knows the same cause; plans of older versions have none. */
function differingCause(planned: PlannedChange, now: PlannedChange): string | undefined {
  if (planned.action_reason !== now.action_reason || planned.cause === undefined) return undefined;
  return planned.cause === now.cause ? undefined : "cause";
}

/** Why a project is not the one that a change was planned for, in a sentence; undefined where it is, as far as the plan says. */
export function otherProject(planned: PlannedChange, project: Project): string | undefined {
  const { project: name, project_id: id, project_path: path } = planned;
  const fullPath = fullPathOf(project);
  if (id !== undefined && id !== project.id) {
    return `the plan was made for project ${name} with ID ${id}, and it now has ${project.id ?? "an unknown ID"}`;
  }
  if (path === undefined || path === fullPath) return undefined;
  return `the plan was made for project ${name} at ${path}, and it is now at ${fullPath ?? "an unknown path"}`;
}

/** What would be sent without being compared and is shown nowhere in the plan; `listed` is what the plan says of it. */
export function unlistedIn(
  { change: { after } }: PlannedChange,
  listed: readonly string[] = [],
  unverified: readonly string[] = [],
): string | undefined {
  const name = unverified.find((each) => !listed.includes(each) && !(each in (after ?? {})));
  return name && `${name} cannot be compared and would be sent, which the plan does not show`;
}

/** What people read of a change. What is sent again because of a ledger is left out, for it was held against the manifests. */
function shownOf(planned: PlannedChange, declared: readonly string[]): object {
  const { live, notes, change, resend } = planned;
  const { before, after } = change;
  const compared = before && after ? pick(after, Object.keys(before)) : after;
  const isVisible = Object.keys(before ?? {}).length > 0;
  return {
    ...statedOf(planned),
    ...(isVisible && { resend }),
    ...{ live, notes, action_reason: withoutMemory(planned.action_reason, declared) },
    change: { actions: change.actions, before, after: compared },
  };
}

/**
 * Why no manifest can lead to a planned change, whatever is live; undefined where one can. What the change says of live
 * values is believed here, and compared when its project is read again.
 */
export function contradictionIn(
  planned: PlannedChange,
  desired: DesiredProject,
  catalogue: Catalogue,
): string | undefined {
  const change = declaredChange(planned, desired, catalogue);
  return typeof change === "string" ? change : statedDifference(planned, change, catalogue);
}

/** The same of a change that is known; what it says of live values is left out. */
export function statedDifference(planned: PlannedChange, change: Change, catalogue: Catalogue): string | undefined {
  const part = differingPart(statedOf(planned), statedOf(plannedChange(change, catalogue)));
  return part === undefined ? undefined : `the plan's ${part} does not match the manifests`;
}

/** What manifests alone decide of a change, once its action and the names of what differs are known. */
function statedOf({ address, project, kind, key, change, policy_reason: reason, source, call }: PlannedChange): object {
  return { address, project, kind, key, change, policy_reason: reason, source, call };
}

/** The change that manifests lead to where live is what a planned change says; or why they lead to none. */
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
  const after = isPresent ? declaredPart(declared, planned) : removed.after;
  const policyEffect = policyEffectOf({ kind, before: change.before, after }, catalogue);
  return {
    ...{ kind, key, action, reason, cause, origin, declared, after },
    address: addressOf(desired.project.name, kind, key),
    project: desired.project.name,
    before: change.before,
    live: claimedLive(row, planned),
    liveDigest: planned.live?.digest,
    ...(policyEffect && { policyEffect }),
  };
}

/** What is declared of the parameters that a change names; one that is turned off may not be declared. */
function declaredPart(declared: Fields, { change: { actions, before, after } }: PlannedChange): Fields {
  if (actions[0] === "create") return declared;
  return pick(
    declared,
    Object.keys(after ?? {}).filter((name) => name in declared || name in (before ?? {})),
  );
}

/** What is live, as a planned change says it. */
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
  const found = { kind, key, fields: change.before ?? {}, active: true, row };
  return { ...found, ...(id !== undefined && { id: Number(id) }) };
}

/** The first part that differs, as a path such as `change.after.recipients`; undefined where none does. */
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

/** Why a planned change is stale now that its project was read again; undefined where it would have the same effect. */
export function changedSincePlan(planned: PlannedChange, now: Change): string | undefined {
  const action = actionOf(planned);
  const visible = visibleOf(planned);
  if (action !== now.action) return `the planned action is ${action}, but now it would be ${now.action}`;
  if (turnsOff(now) && !turnsOff(visible)) return "it would now be turned off, which the plan does not show";
  if (now.policyEffect === "loosened" && visible.policyEffect !== "loosened") {
    return "it would now loosen the policy, which the plan does not show";
  }
  const { updated_at, digest } = planned.live ?? {};
  return liveValuesChanged({ digest, updatedAt: updated_at ?? undefined }, { digest: now.liveDigest, live: now.live });
}

interface LiveState {
  readonly digest: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Why live values are not those that a plan was made from; undefined where they are. */
function liveValuesChanged(
  planned: LiveState,
  now: Pick<LiveState, "digest"> & { readonly live: Pick<Live, "updatedAt"> | undefined },
): string | undefined {
  if (planned.digest !== now.digest) return "the live values changed since the plan was made";
  return planned.updatedAt === now.live?.updatedAt ? undefined : "updated_at changed since the plan was made";
}
