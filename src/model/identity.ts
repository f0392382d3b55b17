import { addressMatcher, addressParts, pathMatcher } from "./address.ts";
import { bareName, idIn, isId, type Owner, ownerName, ownerOfName, ownerRecord } from "./owner.ts";
import type { Project } from "./types.ts";

/**
 * A project has two names, its ID and its full path (docs/running.md). The project part of an address, or of a glob over
 * addresses, is compared with both: digits alone are an ID, a glob that can match digits alone matches IDs too, and any
 * other one matches paths. Case-insensitive. Either name of a group has a slash at the end.
 */
type NameForm = "id" | "path";

export type AddressTest = (address: string, project: Project) => boolean;

/**
 * The forms of project or group names that a glob can match; empty if it matches all of them or none, so that no name
 * has to be known.
 */
function listForms(glob: string, owner: Owner): ReadonlySet<NameForm> {
  const whole = projectPart(glob);
  const forms = new Set<NameForm>();
  if (/^\**$/.test(whole) || owner === "instance" || !canMatchOwner(whole, owner)) return forms;
  const part = owner === "group" ? bareName(whole) : whole;
  if (/^[\d*?]*$|[[{\\]/.test(part)) forms.add("id");
  if (/\D/.test(part)) forms.add("path");
  return forms;
}

/** A glob that ends in a slash matches only groups, and one that ends in another character only projects. */
function canMatchOwner(part: string, owner: Owner): boolean {
  return /[*?\]}]$/.test(part) || ownerOfName(part) === owner;
}

export function addressTest(glob: string): AddressTest {
  const matches = addressMatcher(glob);
  const names = namesFor(glob);
  return (address, project) => names(project).some((name) => matches(renamed(address, name)));
}

/**
 * Like {@link addressTest}, but conservative: a project also matches if the form of name that the glob matches is unknown.
 */
export function cautiousAddressTest(glob: string): AddressTest {
  const matches = addressTest(glob);
  const matchesOfAny = addressMatcher(renamed(glob, "*"));
  const forms = ownerRecord((owner) => [...listForms(glob, owner)]);
  return (address, project) =>
    matches(address, project) ||
    (forms[ownerOfName(project.name)].some((form) => project[form] === undefined) && matchesOfAny(address));
}

export function projectTest(glob: string): (project: Project) => boolean {
  const matches = pathMatcher(projectPart(glob));
  const names = namesFor(glob);
  return (project) => names(project).some(matches);
}

/** The scope of these globs; without targets, everything that is not excluded. */
export function addressScope(targets: readonly string[] = [], excludes: readonly string[] = []) {
  const inTarget = targets.map(projectTest);
  const targeted = targets.map(addressTest);
  const excluded = excludes.map(addressTest);
  const outside = excludes.filter((glob) => !glob.includes(":")).map(projectTest);
  const isAll = targets.length === 0;
  return {
    isLimited: targets.length + excludes.length > 0,
    includes: (project: Project) => (isAll || inTarget.some((is) => is(project))) && !outside.some((is) => is(project)),
    covers: (address: string, project: Project) =>
      (isAll || targeted.some((is) => is(address, project))) && !excluded.some((is) => is(address, project)),
  };
}

/** The globs that match a form of name that is unknown for one of these projects. */
export function unresolvedReferences(globs: readonly string[], projects: readonly Project[]): readonly string[] {
  const unknown = namedForms.filter(([owner, form]) => {
    return projects.some((project) => project[form] === undefined && ownerOfName(project.name) === owner);
  });
  return globs.filter((glob) => unknown.some(([owner, form]) => listForms(glob, owner).has(form)));
}

const namedForms: readonly (readonly [Owner, NameForm])[] = [
  ["project", "id"],
  ["project", "path"],
  ["group", "id"],
  ["group", "path"],
];

/** Adds the missing IDs and paths from a listing. The name in addresses and its spelling do not change. */
export function identified(projects: readonly Project[], listing: readonly Project[]): readonly Project[] {
  const find = projectFinder(listing);
  return projects.map((project) => {
    const found = find(idNameOf(project) ?? String(project.path));
    return { ...found, ...project, ...(found?.path !== undefined && { fullPath: found.path }) };
  });
}

/** The full path, in the server's spelling if known; undefined if only the ID is known. */
export function fullPathOf({ fullPath, path }: Pick<Project, "fullPath" | "path">): string | undefined {
  return fullPath ?? path;
}

/** The ID as a name in addresses; undefined if it is not known. */
export function idNameOf({ name, id }: Pick<Project, "name" | "id">): string | undefined {
  return id === undefined ? undefined : ownerName(ownerOfName(name), String(id));
}

export function projectFinder(projects: readonly Project[]): (name: string) => Project | undefined {
  const byPath = new Map(projects.flatMap((each) => (each.path === undefined ? [] : [[lower(each.path), each]])));
  const byId = new Map(projects.flatMap((each) => (each.id === undefined ? [] : [[idNameOf(each), each]])));
  return (name) => (isId(bareName(name)) ? byId.get(name) : byPath.get(lower(name)));
}

export function projectNamed(name: string): Project {
  const written = bareName(name);
  return isId(written) ? { name, id: idIn(written) } : { name, path: name };
}

export function projectPart(address: string): string {
  return addressParts(address)[0];
}

export function renamed(address: string, name: string): string {
  return `${name}${address.slice(projectPart(address).length)}`;
}

/** The names to compare with a glob. Digits alone are an ID, never a path. */
function namesFor(glob: string): (project: Project) => readonly string[] {
  const part = projectPart(glob);
  if (isId(bareName(part))) return (project) => (idNameOf(project) === part ? [part] : []);
  return (project) => [...new Set([fullPathOf(project) ?? project.name, idNameOf(project) ?? project.name])];
}

const lower = (text: string) => text.toLowerCase();
