import { canonical, isObject, objectOf } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { fullPathOf } from "../model/identity.ts";
import { describeOwner } from "../model/owner.ts";
import { turnsOff } from "../model/removal-changes.ts";
import type { Change, LookUpResults, Outcome, Project } from "../model/types.ts";
import { pick } from "./diff/changes.ts";
import { plannedChange } from "./make-plan.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** Explains how a planned change differs from the one that would be sent now; undefined if what people read is sent. */
export function differenceFrom(planned: PlannedChange, change: Change, catalogue: Catalogue): string | undefined {
  const part = differingPart(visibleParts(planned), visibleParts(plannedChange(change, catalogue)));
  return part === undefined ? undefined : `the plan's ${part} would be different now`;
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

/** The parts that are sent or reviewed; reasons, and values resent because of a ledger, may differ between jobs. */
function visibleParts({ address, source, call, live, notes, resend, ...planned }: PlannedChange): object {
  const { actions, before, after } = planned.change;
  const isVisible = Object.keys(before ?? {}).length > 0;
  const compared = before && after ? pick(after, Object.keys(before)) : after;
  return {
    ...{ address, source, call, live, notes, policy_reason: planned.policy_reason },
    ...(isVisible && { resend }),
    change: { actions, before, after: compared },
  };
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
  const { live } = planned;
  if (live?.digest !== now.liveDigest) return "the live values changed since the plan was made";
  return (live?.updated_at ?? undefined) === now.live?.updatedAt
    ? undefined
    : "updated_at changed since the plan was made";
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
export function knownResults(results: LookUpResults, begun: ReadonlySet<string>): LookUpResults {
  return objectOf(Object.keys(results), (parameter) => {
    const found = results[parameter] ?? {};
    return objectOf(Object.keys(found), (name) => (begun.has(String(found[name])) ? null : (found[name] ?? null)));
  });
}
