import { firstFew } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import { kindIn } from "../../model/owner.ts";
import { type ChangeGroup, type Groupable, groupsOf, linesText } from "../../plan/groups.ts";
import { namesCounted } from "../../plan/owner-counts.ts";
import { subjectOf } from "../../plan/planned-groups.ts";
import { fieldNamesOf } from "../../plan/sides.ts";
import type { RevisionAction, RevisionChange } from "../../revision/compare-projects.ts";
import { fieldTexts } from "../field-text.ts";

/** Changes of several projects that are equal but for the project, and where they are stated. */
export type RevisionGroup = ChangeGroup<RevisionChange>;

const order: readonly RevisionAction[] = ["disable", "withdraw", "edit", "declare"];

/** Each change once for all projects that have it: what loosens first, then what turns off; larger groups first. */
export function revisionGroups(changes: readonly RevisionChange[]): readonly RevisionGroup[] {
  return groupsOf(changes, groupable).sort(byWeight);
}

function groupable(change: RevisionChange): Groupable {
  const { project, action, before, after, policy_effect = "", notes = [], source } = change;
  return {
    project,
    subject: subjectOf(change),
    action,
    removes: action === "disable" || action === "withdraw",
    before,
    after,
    sentences: [policy_effect, ...notes],
    source,
  };
}

function byWeight(a: RevisionGroup, b: RevisionGroup): number {
  const rank = ({ members: [{ policy_effect, action }] }: RevisionGroup) =>
    policy_effect === "loosened" ? -1 : order.indexOf(action);
  return rank(a) - rank(b) || b.projects.length - a.projects.length;
}

/** The project, or how many there are. */
export function projectsText(projects: readonly string[]): string {
  const [only = ""] = projects;
  return projects.length === 1 ? only : namesCounted(projects);
}

/** The first few of several projects; undefined if {@link projectsText} already names all of them. */
export function someOf(projects: readonly string[]): string | undefined {
  return projects.length > 1 ? firstFew(projects) : undefined;
}

const words: Readonly<Record<RevisionAction, string>> = {
  declare: "declared",
  edit: "edited",
  disable: "disabled",
  withdraw: "withdrawn",
};

/** `2,000 projects: license/MIT edited, loosened (policies/all.yaml:5)`, with what its row shows in place of "edited". */
export function lineOfGroup(group: RevisionGroup, catalogue: Catalogue, row?: string): string {
  return `${projectsText(group.projects)}: ${whatOf(group, catalogue, row)} (${linesText(group.lines)})`;
}

/** `irc-gateway disabled`, `license/MIT declared, loosened`. */
export function whatOf({ members: [change] }: RevisionGroup, catalogue: Catalogue, row = words[change.action]): string {
  const { key, policy_effect } = change;
  const name = key === "*" ? `exclusive ${sectionNameOf(catalogue, kindIn(change))}` : subjectOf(change);
  return `${name} ${row}${policy_effect ? `, ${policy_effect}` : ""}`;
}

/** What the row of a group shows of its values, and its other fields, each before and after; undefined where a side has none. */
export function valuesOf(group: RevisionGroup) {
  const { members, shared } = group;
  const rows = fieldRows(group);
  if (members[0].action !== "edit") return { rows };
  const { row, below } = fieldTexts(shared, "(not declared)");
  return { row, rows: rows.slice(rows.length - below.length) };
}

/** The fields that a group shows, each before and after; undefined where a side has none. */
export function fieldRows({ shared: { before, after } }: RevisionGroup) {
  return fieldNamesOf({ before, after }).map((name) => ({ name, before: before?.[name], after: after?.[name] }));
}
