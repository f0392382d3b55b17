import equal from "fast-deep-equal";
import { daysBetween } from "../base/day.ts";
import { grouped } from "../base/grouped.ts";
import { firstFew } from "../base/text-format.ts";
import { owners } from "../model/owner.ts";
import type { DesiredProject, Origin, Problem, Project } from "../model/types.ts";
import type { Policy } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { listedOf, needsLookup, projectsOf } from "./projects.ts";
import type { PlanRule } from "./rules.ts";
import { isSelected, type Layer, matchingLayers } from "./selection.ts";

export const expiryNotice = 14;

export function isExpired({ until }: { readonly until?: string }, today: string): boolean {
  return until !== undefined && until < today;
}

export function expiryProblems(policies: readonly Policy[], rules: readonly PlanRule[], today: string): Problem[] {
  const excepting = rules.filter(({ except }) => except.length > 0);
  return [
    ...policies.flatMap((policy) => {
      const name = policy.name === "" ? "this policy" : `policy ${policy.name}`;
      return warnExpiry(policy, today, {
        soon: (until) => `${name} expires: ${until} is the last day on which it counts; extend until, or remove it`,
        over: (until) => `${name} expired and no longer counts: its last day was ${until}; extend until, or remove it`,
      });
    }),
    ...excepting.flatMap((rule) => {
      const name = `the exceptions of ${rule.name === "" ? "this rule" : `rule ${rule.name}`}`;
      return warnExpiry(rule, today, {
        soon: (until) => `${name} expire: ${until} is their last day; after it the rule holds there too`,
        over: (until) => `${name} expired: their last day was ${until}, and the rule holds there too`,
      });
    }),
  ];
}

function warnExpiry(
  { until, document }: Pick<Policy, "until" | "document">,
  today: string,
  words: Readonly<Record<"soon" | "over", (until: string) => string>>,
): readonly Problem[] {
  const days = until === undefined ? Number.POSITIVE_INFINITY : daysBetween(today, until);
  if (until === undefined || days > expiryNotice) return [];
  const message = words[days < 0 ? "over" : "soon"](until);
  return [problemAt("expiry", message, { document, path: ["until"], of: "key" })];
}

/** Projects that only expired policies select. They are neither read nor changed, because omission never deletes. */
export function noLongerSelected(
  allPolicies: readonly Policy[],
  allExpired: readonly Policy[],
  wholeListing: readonly Project[] | undefined,
  includes: (project: Project) => boolean,
): readonly Problem[] {
  return owners.flatMap((owner) => {
    const [policies, expired] = [allPolicies, allExpired].map((all) => all.filter(({ of }) => of === owner));
    const listing = listedOf(owner, wholeListing);
    if (!policies || !expired?.length || (!listing && needsLookup([...policies, ...expired]))) return [];
    const left = projectsOf(expired, listing).projects.filter((each) => includes(each) && !isSelected(policies, each));
    return [...grouped(left, (project) => matchingLayers(expired, project)[0]?.policy)].map(([policy, projects]) => {
      const names = firstFew(projects.map(({ name }) => name));
      const message = `since policy ${policy.name} expired, no policy selects ${names}; what it declared stays on the server`;
      return problemAt("expiry", message, { document: policy.document, path: ["until"], of: "key" });
    });
  });
}

/** The resources that changed when these layers expired, and the location of the `until` that ended each. */
export function endedIn(
  before: DesiredProject,
  now: DesiredProject,
  ended: readonly Layer[],
): ReadonlyMap<string, Origin> {
  const current = new Map(now.resources.map((resource) => [resource.identity, resource]));
  const changed = before.resources.filter(({ identity, presence, fields }) => {
    const other = current.get(identity);
    return presence !== other?.presence || !equal(fields, other.fields);
  });
  const policies = ended.map(({ policy }) => policy);
  const ends = changed.map(({ identity }): [string, Origin] => {
    const declaring = policies.find(({ entries }) => entries.some((entry) => entry.desired.identity === identity));
    // If no expired policy declares the resource itself, a variable of one does.
    const document = (declaring ?? policies.find(({ vars }) => vars.length > 0) ?? policies[0])?.document;
    return [identity, { place: () => document?.place(["until"], "key") ?? { file: "", line: 1, column: 1 } }];
  });
  return new Map(ends);
}
