import { grouped } from "../base/grouped.ts";
import { firstFew } from "../base/text.ts";
import type { Problem, Project } from "../model/types.ts";
import type { Policy } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { needsLookup, projectsOf } from "./projects.ts";
import { matchingLayers } from "./selection.ts";

/** Projects of a run that only expired policies select: nothing of them is changed or read, since omission never deletes. */
export function noLongerSelected(
  policies: readonly Policy[],
  expired: readonly Policy[],
  listing: readonly Project[] | undefined,
  includes: (project: Project) => boolean,
): readonly Problem[] {
  if (expired.length === 0 || (!listing && needsLookup([...policies, ...expired]))) return [];
  const left = projectsOf(expired, listing).projects.filter(
    (each) => includes(each) && matchingLayers(policies, each).length === 0,
  );
  return [...grouped(left, (project) => matchingLayers(expired, project)[0]?.policy)].map(([policy, projects]) => {
    const names = firstFew(projects.map(({ name }) => name));
    const message = `since policy ${policy.name} expired, no policy selects ${names}; what it declared stays on the server`;
    return problemAt("expiry", message, { document: policy.document, path: ["until"], of: "key" });
  });
}
