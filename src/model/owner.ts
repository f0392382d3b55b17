import type { Kind, Project } from "./types.ts";

/**
 * An owner of resources: a project, a group or the instance. The name of a group in addresses is its full path or its ID
 * with a slash at the end: `payments/`; that of the instance is `instance`, which is no full path of a project. So the
 * name alone identifies the owner, and IDs of projects and groups never collide.
 */
export type Owner = (typeof owners)[number];

/** The order of reads and reports. */
export const owners = ["project", "group", "instance"] as const;

export type NamedOwner = Exclude<Owner, "instance">;

export function ownerRecord<Each>(of: (owner: Owner) => Each): Readonly<Record<Owner, Each>> {
  return { project: of("project"), group: of("group"), instance: of("instance") };
}

export const instanceName = "instance";

export function ownerOfName(name: string): Owner {
  if (name.endsWith("/")) return "group";
  return name.length === instanceName.length && name.toLowerCase() === instanceName ? "instance" : "project";
}

export function ownedBy<Named extends Pick<Project, "name">>(owner: Owner, all: readonly Named[]): readonly Named[] {
  return all.filter(({ name }) => ownerOfName(name) === owner);
}

/** A full path or an ID as a name: with a slash at the end for a group. */
export function ownerName(owner: Owner, written: string): string {
  return owner === "group" && !written.endsWith("/") ? `${written}/` : written;
}

/** The full path or the ID for calls of the API, without the slash. */
export function bareName(name: string): string {
  return name.endsWith("/") ? name.slice(0, -1) : name;
}

/** For messages: `project payments/api`, `group payments`, `the instance`. */
export function describeOwner(name: string): string {
  const owner = ownerOfName(name);
  return owner === "instance" ? "the instance" : `${owner} ${bareName(name)}`;
}

/** For messages: `projects`, `groups`, `the instance`. */
export function pluralOwner(owner: Owner): string {
  return owner === "instance" ? "the instance" : `${owner}s`;
}

/** Kinds of projects have no prefix. */
const prefixes = { project: "", group: "group:", instance: "instance:" } as const satisfies Record<Owner, string>;

export function kindOfWord(owner: Owner, word: string): Kind {
  return `${prefixes[owner]}${word}`;
}

export function kindIn({ project, kind }: { readonly project: string; readonly kind: string }): Kind {
  return kindOfWord(ownerOfName(project), kind);
}

export function kindWord(kind: Kind): string {
  return kind.slice(prefixes[ownerOfKind(kind)].length);
}

export function ownerOfKind(kind: Kind): Owner {
  if (kind.startsWith(prefixes.group)) return "group";
  return kind.startsWith(prefixes.instance) ? "instance" : "project";
}

/** True for an ID, not a path. Servers interpret digits alone as an ID. */
export function isId(text: string): boolean {
  return /^\d+$/.test(text);
}

/**
 * The ID in a text of digits. NaN, which matches no project, above the largest safe integer, because rounding would select
 * another project; {@link idFault} reports it.
 */
export function idIn(digits: string): number {
  return isExact(digits) ? Number(digits) : Number.NaN;
}

/** Completes "expected …" for an invalid ID; undefined for a valid one, or for a text that is not an ID. */
export function idFault(written: string | number): string | undefined {
  const text = String(written);
  const isNumber = typeof written === "number" || isId(text);
  return isNumber && !isExact(text)
    ? `a project ID from 1 to ${Number.MAX_SAFE_INTEGER}, without leading zeros`
    : undefined;
}

function isExact(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}
