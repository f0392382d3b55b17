import { type ChangeGroup, type Groupable, groupsOf } from "../../../plan/groups.ts";
import type { PlannedChange } from "../../../plan/plan.ts";

/** A row of the list: a change, or the same change of several projects. */
export type ListedChange = ChangeGroup<PlannedChange>;

/** All of a plan's rows, worked out once: which of its changes are equal does not depend on what is looked for. */
export function listing(changes: readonly PlannedChange[]): (shown: readonly PlannedChange[]) => ListedChange[] {
  const groups = groupsOf(changes, groupable);
  const groupOf = new Map(groups.flatMap((group) => group.members.map((change) => [change, group] as const)));
  return (shown) => {
    const rows = Map.groupBy(shown, (change) => groupOf.get(change));
    return [...rows].flatMap(([group, [first, ...others]]) =>
      group && first ? [narrowed(group, [first, ...others])] : [],
    );
  };
}

/** A group as far as its members are looked for; one that is left alone says what it says itself. */
function narrowed(group: ListedChange, members: ListedChange["members"]): ListedChange {
  if (members.length === group.members.length) return group;
  const shared = members.length === 1 ? groupable(members[0]) : group.shared;
  return { members, projects: members.map(({ project }) => project), shared };
}

function groupable({
  project,
  kind,
  key,
  change,
  action_reason: reason,
  notes = [],
  source,
  outcome,
}: PlannedChange): Groupable {
  const { before, after, actions } = change;
  const [action] = actions;
  const said = [outcome?.status ?? "", outcome?.error ?? "", ...(outcome?.not_kept ?? [])];
  const removes = action === "disable" || action === "delete";
  const sentences = [reason, ...notes, ...said];
  return { project, subject: `${kind}/${key}`, action, removes, before, after, sentences, source };
}
