import { grouped } from "../../base/grouped.ts";
import { firstFew } from "../../base/text.ts";
import type { RevisionAction, RevisionChange } from "../../revision/compared.ts";

/** Changes of several projects that are equal but for the project. */
export interface RevisionGroup {
  readonly change: RevisionChange;
  readonly projects: readonly string[];
  /** Files beyond that of `change` that say the same. */
  readonly otherFiles: number;
}

const order: readonly RevisionAction[] = ["disable", "withdraw", "edit", "declare"];

/** Each change once for all projects that have it: what loosens first, then what turns off; larger groups first. */
export function revisionGroups(changes: readonly RevisionChange[]): readonly RevisionGroup[] {
  const groups = grouped(changes, ({ address: _, project: __, source: ___, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].flatMap(groupOf).sort(byWeight);
}

function groupOf(changes: readonly RevisionChange[]): readonly RevisionGroup[] {
  const [change] = changes;
  if (!change) return [];
  const files = new Set(changes.map(({ source }) => source.file));
  return [{ change, projects: changes.map(({ project }) => project), otherFiles: files.size - 1 }];
}

function byWeight(a: RevisionGroup, b: RevisionGroup): number {
  const rank = ({ change }: RevisionGroup) => (change.tendency === "loosened" ? -1 : order.indexOf(change.action));
  return rank(a) - rank(b) || b.projects.length - a.projects.length;
}

/** The project, or how many there are. */
export function projectsText(projects: readonly string[]): string {
  const [only = ""] = projects;
  return projects.length === 1 ? only : `${projects.length.toLocaleString("en")} projects`;
}

/** The first few of several; undefined where {@link projectsText} has said it all. */
export function someOf(projects: readonly string[]): string | undefined {
  return projects.length > 1 ? firstFew(projects) : undefined;
}

const words: Readonly<Record<RevisionAction, string>> = {
  declare: "declared",
  edit: "edited",
  disable: "disabled",
  withdraw: "withdrawn",
};

/** `irc-gateway disabled`, `license MIT declared, loosened`. */
export function whatOf({ kind, key, action, tendency }: RevisionChange): string {
  const name = key === "*" ? `exclusive ${kind}s` : kind === "integration" ? key : `${kind} ${key}`;
  return `${name} ${words[action]}${tendency ? `, ${tendency}` : ""}`;
}

/** `policies/all.yaml:5`, and how many more files say the same. */
export function placeOfGroup({ change: { source }, otherFiles }: RevisionGroup): string {
  const more =
    otherFiles > 0 ? ` and ${otherFiles.toLocaleString("en")} more ${otherFiles === 1 ? "file" : "files"}` : "";
  return `${source.file}:${source.line}${more}`;
}

/** The fields that a change shows, each before and after; undefined where a side has none. */
export function fieldRows({ before, after }: RevisionChange) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => ({ name, before: before?.[name], after: after?.[name] }));
}
