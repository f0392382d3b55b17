import { commonForm } from "../base/common-form.ts";
import { resourceName } from "../model/address.ts";
import { isListedByCatalogue } from "../model/kinds.ts";
import { isRemoval, turnsOff } from "../model/removal-changes.ts";
import type { Action, Place } from "../model/types.ts";
import { type ChangeGroup, type Groupable, groupsOf, linesText, lineText } from "./groups.ts";
import { namesCounted } from "./owner-counts.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

export type PlannedGroup = ChangeGroup<PlannedChange>;

/** The equal changes of a plan together, what a reviewer should see first before the rest. */
export function plannedGroups(changes: readonly PlannedChange[]): PlannedGroup[] {
  const groups = groupsOf(changes, groupable);
  return groups.sort((a, b) => urgencyOf(a.members[0]) - urgencyOf(b.members[0]));
}

function groupable(planned: PlannedChange): Groupable {
  const { project, change, action_reason: reason, notes = [], outcome } = planned;
  const { status = "", error = "", not_kept: notKept = [] } = outcome ?? {};
  const action = actionOf(planned);
  return {
    project,
    subject: subjectOf(planned),
    action,
    removes: isRemoval({ action }),
    before: change.before,
    after: change.after,
    sentences: [reason, ...notes, status, commonForm(error, project), ...notKept],
    source: lineOf(planned),
  };
}

/** The line to read for a change: the one that sets its value. */
export function lineOf({ source, set_at = source }: Pick<PlannedChange, "source" | "set_at">): Place {
  return set_at;
}

/** What a change is about, apart from its project: the key alone where a catalogue lists it, else `license/MIT`. */
export function subjectOf({ kind, key }: Pick<PlannedChange, "kind" | "key">): string {
  return isListedByCatalogue(kind) ? key : resourceName(kind, key);
}

const order: readonly Action[] = ["disable", "delete", "replace", "create", "update"];

/** Where a change stands among others: what loosens, deletions, lost notifications, the rest. */
export function urgencyOf(planned: PlannedChange): number {
  const action = actionOf(planned);
  if (planned.policy_effect === "loosened") return 0;
  if (turnsOff(visibleOf(planned))) return 1 + order.indexOf(action === "update" ? "disable" : action);
  return planned.lost_notifications || planned.moved_notifications ? 4 : 5 + order.indexOf(action);
}

const participles: Readonly<Record<Action, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  disable: "disabled",
  delete: "deleted",
};

/** A group in one line: `2,000 projects: license/MIT updated, loosened (policies/all.yaml:5)`. */
export function groupLine(group: PlannedGroup, brief?: string): string {
  const { members, projects, shared } = group;
  const [first] = members;
  const { policy_effect } = first;
  const what = [whatOf(shared.subject, actionOf(first), brief), ...(policy_effect ? [policy_effect] : [])].join(", ");
  return `${namesCounted(projects)}: ${what} (${placesText(group)})`;
}

/** The lines that set the values, and before them the line that declares all members, if that is another one. */
function placesText({ members, lines }: PlannedGroup): string {
  const set = linesText(lines);
  const declared = new Set(members.map(({ source }) => lineText(source)));
  const [only] = declared;
  return members[0].set_at && declared.size === 1 ? `${only}, set in ${set}` : set;
}

/** What the line of a group shows of its values stands for the word "updated". */
function whatOf(subject: string, action: Action, brief: string | undefined): string {
  const word = `${subject} ${participles[action]}`;
  if (brief === undefined) return word;
  return action === "update" ? `${subject} ${brief}` : `${word}, ${brief}`;
}
