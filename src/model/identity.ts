import { matchesBeyond, matchesWithin } from "../base/glob-alphabet.ts";
import { addressMatcher, addressRules, projectMatcher } from "./address.ts";
import { idIn, isId } from "./project-id.ts";
import type { Project } from "./types.ts";

/**
 * A project has two names, its ID and its full path, and is one project under both (docs/running.md). What a person wrote
 * of it, in a glob over addresses or in an address, is held against each of them: a project part of digits alone is an
 * ID, a glob that can match digits alone speaks of IDs too, any other one of paths; case does not count.
 */
type NameForm = "id" | "path";

export type AddressTest = (address: string, project: Project) => boolean;

/** The forms of names that a glob speaks in; none where it means every project, so that no name has to be known. */
function formsOf(glob: string): ReadonlySet<NameForm> {
  const part = projectPart(glob);
  const forms = new Set<NameForm>();
  if (/^\**$/.test(part)) return forms;
  if (matchesWithin(part, addressRules, digits)) forms.add("id");
  if (matchesBeyond(part, addressRules, digits, othersIn(part))) forms.add("path");
  return forms;
}

const digits = "0123456789";

/** What a path may have beside digits; a bracket only stands for itself where a class is taken as it is written. */
function othersIn(part: string): string {
  return `abcdefghijklmnopqrstuvwxyz_.-/${part.replace(/[[\]\d]/g, "")}`;
}

/** A test for the addresses of a project, whichever of its names they are written with. */
export function addressTest(glob: string): AddressTest {
  const matches = addressMatcher(glob);
  const names = namesFor(glob);
  return (address, project) => names(project).some((name) => matches(renamed(address, name)));
}

/**
 * As {@link addressTest}, for what must not slip through: a project that is not known by the name that the glob speaks
 * in counts as meant by it.
 */
export function cautiousAddressTest(glob: string): AddressTest {
  const matches = addressTest(glob);
  const matchesOfAny = addressMatcher(renamed(glob, "*"));
  const forms = [...formsOf(glob)];
  return (address, project) =>
    matches(address, project) || (forms.some((form) => project[form] === undefined) && matchesOfAny(address));
}

/** Whether a glob over addresses can match anything of this project. */
export function projectTest(glob: string): (project: Project) => boolean {
  const matches = projectMatcher(glob);
  const names = namesFor(glob);
  return (project) => names(project).some(matches);
}

/** The globs that speak of projects in a form in which one of these is not known. */
export function unresolvedReferences(globs: readonly string[], projects: readonly Project[]): readonly string[] {
  const lacking = (["id", "path"] as const).filter((form) => projects.some((project) => project[form] === undefined));
  return globs.filter((glob) => lacking.some((form) => formsOf(glob).has(form)));
}

/** The projects with the names that the listing adds; the name that addresses begin with, and spelling, stay. */
export function identified(projects: readonly Project[], listing: readonly Project[]): readonly Project[] {
  const find = projectFinder(listing);
  return projects.map((project) => {
    const found = find(String(project.id ?? project.path));
    return { ...found, ...project, ...(found?.path !== undefined && { fullPath: found.path }) };
  });
}

/** Its full path in the server's spelling, as far as it is known; undefined where only the ID is. */
export function fullPathOf({ fullPath, path }: Pick<Project, "fullPath" | "path">): string | undefined {
  return fullPath ?? path;
}

/** Finds a project by either of its names. */
export function projectFinder(projects: readonly Project[]): (name: string) => Project | undefined {
  const byPath = new Map(projects.flatMap((each) => (each.path === undefined ? [] : [[lower(each.path), each]])));
  const byId = new Map(projects.flatMap((each) => (each.id === undefined ? [] : [[each.id, each]])));
  return (name) => (isId(name) ? byId.get(idIn(name)) : byPath.get(lower(name)));
}

/** A project of which no more is known than how an address begins. */
export function projectNamed(name: string): Project {
  return isId(name) ? { name, id: idIn(name) } : { name, path: name };
}

/** The part of an address, or of a glob over addresses, that names the project. */
export function projectPart(address: string): string {
  const colon = address.indexOf(":");
  return colon < 0 ? address : address.slice(0, colon);
}

/** The address with another project's name, or another name of its project. */
export function renamed(address: string, name: string): string {
  return `${name}${address.slice(projectPart(address).length)}`;
}

/** The names to hold against a glob: digits alone are an ID, and never a path that looks like one. */
function namesFor(glob: string): (project: Project) => readonly string[] {
  const part = projectPart(glob);
  if (isId(part)) return ({ id }) => (id === idIn(part) ? [part] : []);
  return ({ name, id, ...project }) => [...new Set([fullPathOf(project) ?? name, String(id ?? name)])];
}

const lower = (text: string) => text.toLowerCase();
