import type { Outcomes } from "../apply/apply.ts";
import { isSelected } from "../manifest/selection.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { projectNamed } from "../model/identity.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { DesiredProject, Outcome } from "../model/types.ts";
import { type Contradictions, contradictionIn } from "../plan/contradictions.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import type { Context } from "./context.ts";
import type { PreparedPlan } from "./prepared-plan.ts";

/** Those of a plan's projects: whoever can write its file can make its digest match. */
export function contradictionsOf(context: Context, plan: Plan, desired: readonly DesiredProject[]): Contradictions {
  const catalogue = catalogueOf(context.loaded.workspace.server.dialect);
  const projects = new Map(desired.map((each) => [each.project.name, each]));
  const found = plan.resource_changes
    .filter((planned) => !isMove(planned))
    .flatMap((planned) => {
      const project = projects.get(planned.project);
      const why = project ? contradictionIn(planned, project, catalogue) : unselected(planned, context);
      return why === undefined ? [] : [[planned.address, why] as const];
    });
  return new Map(found);
}

/** One that policies can select may have gone from the server since. */
function unselected({ project }: PlannedChange, { policies }: Context): string | undefined {
  return isSelected(policies, projectNamed(project)) ? undefined : `no policy selects ${project}`;
}

/** What is prepared of a plan, with nothing to send where any of it cannot follow from the manifests. */
export function heldToManifests(prepared: PreparedPlan, plan: Plan, contradictions: Contradictions): PreparedPlan {
  if (contradictions.size === 0) return prepared;
  const stale = outcomesOf(plan, contradictions);
  return { ...prepared, targets: [], moves: { steps: [] }, references: [], stale };
}

function outcomesOf({ resource_changes: changes }: Plan, contradictions: Contradictions): Outcomes {
  const [[first] = [""]] = contradictions;
  const others = `nothing of this plan is sent, because ${first} is not what the manifests say; plan again`;
  const outcomeOf = ({ address }: PlannedChange): Outcome => {
    const why = contradictions.get(address);
    return { status: "stale", error: why === undefined ? others : `${why}; plan again` };
  };
  return new Map(changes.map((planned) => [planned.address, outcomeOf(planned)]));
}
