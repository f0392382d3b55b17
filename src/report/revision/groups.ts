import { counted, firstFew } from "../../base/text-format.ts";
import { catalogueOf } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import { kindIn } from "../../model/owner.ts";
import { type ChangeGroup, type Groupable, groupsOf } from "../../plan/groups.ts";
import { subjectOf } from "../../plan/planned-groups.ts";
import type { RevisionAction, RevisionChange } from "../../revision/compare-projects.ts";

/** Changes of several projects that are equal but for the project, and where they are stated. */
export type RevisionGroup = ChangeGroup<RevisionChange>;

const order: readonly RevisionAction[] = ["disable", "withdraw", "edit", "declare"];

/** Each change once for all projects that have it: what loosens first, then what turns off; larger groups first. */
export function revisionGroups(changes: readonly RevisionChange[]): readonly RevisionGroup[] {
  return groupsOf(changes, groupable).sort(byWeight);
}

/** Wherever it is stated: a fleet may have a file for each project. */
function groupable(change: RevisionChange): Groupable {
  const { project, action, before, after, policy_effect = "", notes = [] } = change;
  return {
    project,
    subject: subjectOf(change),
    action,
    removes: action === "disable" || action === "withdraw",
    before,
    after,
    sentences: [policy_effect, ...notes],
    source: nowhere,
  };
}

const nowhere = { file: "", line: 0, column: 0 };

function byWeight(a: RevisionGroup, b: RevisionGroup): number {
  const rank = ({ members: [{ policy_effect, action }] }: RevisionGroup) =>
    policy_effect === "loosened" ? -1 : order.indexOf(action);
  return rank(a) - rank(b) || b.projects.length - a.projects.length;
}

/** The project, or how many there are. */
export function projectsText(projects: readonly string[]): string {
  const [only = ""] = projects;
  return projects.length === 1 ? only : counted(projects.length, "project");
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

/** `2,000 projects: license/MIT edited, loosened (policies/all.yaml:5)`. */
export function lineOfGroup(group: RevisionGroup): string {
  return `${projectsText(group.projects)}: ${whatOf(group)} (${placeOfGroup(group)})`;
}

/** `irc-gateway disabled`, `license/MIT declared, loosened`. */
export function whatOf({ members: [change] }: RevisionGroup): string {
  const { key, action, policy_effect } = change;
  const name = key === "*" ? `exclusive ${sectionNameOf(catalogueOf(), kindIn(change))}` : subjectOf(change);
  return `${name} ${words[action]}${policy_effect ? `, ${policy_effect}` : ""}`;
}

/** `policies/all.yaml:5`, and how many more files say the same. */
export function placeOfGroup({ members }: RevisionGroup): string {
  const [{ source }] = members;
  const others = new Set(members.map((each) => each.source.file)).size - 1;
  return `${source.file}:${source.line}${others > 0 ? ` and ${counted(others, "more file")}` : ""}`;
}

/** The fields that a group shows, each before and after; undefined where a side has none. */
export function fieldRows({ shared: { before, after } }: RevisionGroup) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => ({ name, before: before?.[name], after: after?.[name] }));
}
