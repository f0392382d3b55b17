import type { Kind, Project } from "./types.ts";

/**
 * What has resources: a project or a group. The name of a group, as in addresses, is its full path or its ID with a slash
 * at the end: `payments/`. So a name alone tells which of the two it is, and the IDs of projects and of groups never meet.
 */
export type Owner = (typeof owners)[number];

/** In the order in which they are read and reported. */
export const owners = ["project", "group"] as const;

/** Whether a name, a path or a glob is that of a group. */
export function ownerOfName(name: string): Owner {
  return name.endsWith("/") ? "group" : "project";
}

/** Whether a project is a group. */
export function isGroup({ name }: Pick<Project, "name">): boolean {
  return name.endsWith("/");
}

/** The projects, or the groups, of a list. */
export function ownedBy<Named extends Pick<Project, "name">>(owner: Owner, all: readonly Named[]): readonly Named[] {
  return all.filter(({ name }) => ownerOfName(name) === owner);
}

/** A full path or an ID as a name: with a slash at the end for a group. */
export function ownerName(owner: Owner, written: string): string {
  return owner === "group" && !written.endsWith("/") ? `${written}/` : written;
}

/** The full path or the ID in a name, as calls of the API have it. */
export function bareName(name: string): string {
  return name.endsWith("/") ? name.slice(0, -1) : name;
}

/** For messages: `project payments/api`, `group payments`. */
export function describeOwner(name: string): string {
  return `${ownerOfName(name)} ${bareName(name)}`;
}

const groupPrefix = "group:";

/** The kind that a word in an address of this owner stands for. */
export function kindOfWord(owner: Owner, word: string): Kind {
  return owner === "group" ? `${groupPrefix}${word}` : word;
}

/** The kind of a change of a plan or of a diff, which lists it by its word. */
export function kindIn({ project, kind }: { readonly project: string; readonly kind: string }): Kind {
  return kindOfWord(ownerOfName(project), kind);
}

/** The word of a kind in addresses, plans and messages. */
export function kindWord(kind: Kind): string {
  return kind.startsWith(groupPrefix) ? kind.slice(groupPrefix.length) : kind;
}

/** Whether projects or groups have resources of a kind. */
export function ownerOfKind(kind: Kind): Owner {
  return kind.startsWith(groupPrefix) ? "group" : "project";
}
