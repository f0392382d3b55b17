import { inParallel } from "../../base/concurrency.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { didYouMean } from "../../base/nearest.ts";
import { byName } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import type { Policy } from "../../manifest/policies.ts";
import {
  conditionProblems,
  hasRowsFor,
  idleGlobs,
  knownProjects,
  listedOf,
  namedProjects,
  needsLookup,
  type Projects,
  partlyKnown,
  projectsOf,
  selectsByGlob,
} from "../../manifest/projects.ts";
import { isMatch, isSelected } from "../../manifest/selection.ts";
import { call } from "../../model/call.ts";
import { groupsWithPaths, projectsWithPaths } from "../../model/endpoints.ts";
import { identified, projectFinder, projectNamed, unresolvedReferences } from "../../model/identity.ts";
import {
  bareName,
  describeOwner,
  isGroup,
  type Owner,
  ownedBy,
  ownerName,
  ownerOfName,
  owners,
} from "../../model/owner.ts";
import { isArchived, readableRow } from "../../model/owner-row.ts";
import { isId } from "../../model/project-id.ts";
import type { Fields, Place, Problem, Project } from "../../model/types.ts";
import { hasDesiredChange, type RevisionSide, touchedPolicies } from "../../plan/revision/revision.ts";

/** Which projects a run is about. */
export interface ProjectScope {
  readonly policies: readonly Policy[];
  /** All globs and addresses by which a person may name a project otherwise than policies do. */
  readonly referencedGlobs: readonly string[];
  /** Every project is to be known by its ID and by its full path as the server says it: rules see both. */
  readonly needsNames: boolean;
  /** Projects that this run is about: those of its `--target` and `--shard`. */
  readonly includes: (project: Project) => boolean;
  /** Only those that differ from what a revision declares. */
  readonly since?: Since;
  /** Only these, by the names that addresses begin with. */
  readonly only?: readonly string[];
  /** Exactly these, which the caller has found already. */
  readonly found?: readonly Project[];
  readonly workers: number;
}

/** Two revisions of the manifests, and the fleet as it was listed before. */
export interface Since {
  readonly before: RevisionSide;
  readonly after: RevisionSide;
  /** Recent enough to be believed. */
  readonly recent: readonly Project[] | undefined;
  /** However old: only good to count. */
  readonly listed: readonly Project[] | undefined;
}

export interface FoundProjects extends Projects {
  /** All projects that the token can see, where they were listed now. */
  readonly listing?: readonly Project[] | undefined;
  /** For a run since a revision: how many projects policies select in all, where that is known. */
  readonly of?: number | undefined;
}

/** The projects that policies mean, looked up as far as policies, or what people say of projects, need it. @throws CallFailed. */
export async function findProjects(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  if (scope.found) return { projects: scope.found, problems: [] };
  const found = await selected(reader, scope);
  if (found.listing && !scope.needsNames) return found;
  return { ...found, projects: await recognised(reader, found.projects, scope) };
}

/** Projects and groups apart: IDs, globs and lists of the one mean nothing for the other. */
async function selected(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  const parts = owners.map((owner) => partOf(scope, owner)).filter(isAboutAny);
  const [first = scope, ...others] = parts;
  if (others.length === 0) return selectedPart(reader, first);
  const found = [await selectedPart(reader, first)];
  for (const part of others) found.push(await selectedPart(reader, part));
  const listings = found.flatMap(({ listing }) => (listing ? [listing] : []));
  const counts = found.map(({ of }) => of ?? Number.NaN);
  const of = counts.reduce((sum, count) => sum + count, 0);
  return {
    projects: found.flatMap(({ projects }) => projects).toSorted(byName),
    problems: found.flatMap(({ problems }) => problems),
    archived: found.flatMap(({ archived = [] }) => archived),
    ...(listings.length > 0 && { listing: listings.flat() }),
    ...(!Number.isNaN(of) && { of }),
  };
}

/** The part of a scope that is about projects, or about groups. */
function partOf({ policies, only, since, ...scope }: ProjectScope, owner: Owner): ProjectScope {
  const own = (all: readonly Policy[]) =>
    all.every(({ of }) => of === owner) ? all : all.filter(({ of }) => of === owner);
  const side = (each: RevisionSide): RevisionSide => ({ ...each, policies: own(each.policies) });
  return {
    ...scope,
    policies: own(policies),
    ...(only && { only: only.filter((name) => ownerOfName(name) === owner) }),
    ...(since && {
      since: {
        before: side(since.before),
        after: side(since.after),
        recent: listedOf(owner, since.recent),
        listed: listedOf(owner, since.listed),
      },
    }),
  };
}

function isAboutAny({ policies, only = [], since }: ProjectScope): boolean {
  return policies.length + only.length + (since?.before.policies.length ?? 0) > 0;
}

async function selectedPart(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  const { policies, only, since, workers } = scope;
  if (only) return { projects: await known(reader, only.map(projectNamed), policies, workers), problems: [] };
  if (since) return changed(reader, scope, since);
  if (selectsByGlob(policies)) {
    const listing = await readOwners(reader, policies[0]?.of);
    return { ...projectsOf(policies, listing), listing };
  }
  if (!needsLookup(policies)) return projectsOf(policies, undefined);
  const ids = policies.flatMap(({ except }) => except.flatMap((line) => (line.form === "id" ? [line.written] : [])));
  const named = [...namedProjects(policies), ...ids.map(projectNamed)];
  return projectsOf(policies, await known(reader, named, policies, workers));
}

/** The projects under both names as far as policies need both, each once. */
async function known(
  reader: Reader,
  named: readonly Project[],
  policies: readonly Policy[],
  workers: number,
): Promise<readonly Project[]> {
  const lacking = partlyKnown(policies, named);
  const find = projectFinder(await lookUpProjects(reader, lacking, workers));
  const projects = named.map((project) => find(project.name) ?? project);
  return [...new Map(projects.map((project) => [project.name.toLowerCase(), project])).values()];
}

/** Where no wildcard is another, only named projects can differ, and the fleet need not be listed. */
async function changed(reader: Reader, scope: ProjectScope, since: Since): Promise<FoundProjects> {
  const { before, after } = since;
  const both = [...before.policies, ...after.policies];
  const recent = since.recent && hasRowsFor(both, since.recent) ? since.recent : undefined;
  const touched = touchedPolicies(before, after);
  const listing = selectsByGlob(touched) && !recent ? await readOwners(reader, touched[0]?.of) : undefined;
  const fleet = selectsByGlob(touched) ? (listing ?? recent) : undefined;
  const candidates = fleet
    ? knownProjects(both, fleet)
    : await known(reader, namedProjects(touched), both, scope.workers);
  const projects = candidates.filter(
    (each) => isSelected(after.policies, each) && hasDesiredChange(before, after, each),
  );
  return {
    projects: projects.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    problems: [
      ...conditionProblems(after.policies, candidates),
      ...(fleet
        ? idleGlobs(
            touched.filter((policy) => after.policies.includes(policy)),
            fleet,
          )
        : []),
    ],
    of: countOf(scope, fleet ?? since.listed),
    ...(listing && { listing }),
  };
}

function countOf({ policies, includes }: ProjectScope, fleet: readonly Project[] | undefined): number | undefined {
  if (!fleet && selectsByGlob(policies)) return undefined;
  return knownProjects(policies, fleet).filter((each) => isSelected(policies, each) && includes(each)).length;
}

/** Addresses begin as policies name projects, whatever flags say: the ledger and saved plans know them by that. */
async function recognised(
  reader: Reader,
  projects: readonly Project[],
  { referencedGlobs, needsNames, workers }: ProjectScope,
): Promise<readonly Project[]> {
  const isPartlyKnown = ({ id, path }: Project) => id === undefined || path === undefined;
  const lacking = projects.filter(
    (project) => (needsNames && isPartlyKnown(project)) || unresolvedReferences(referencedGlobs, [project]).length > 0,
  );
  return lacking.length > 0 ? identified(projects, await lookUpProjects(reader, lacking, workers)) : projects;
}

/**
 * The least role of a member. Asked for no higher one, a server lists projects in which the role does not suffice too:
 * reading them says so, where leaving them out would look like a fleet in sync.
 */
const ofMembers: Fields = { min_access_level: "10" };

/**
 * All projects that the token can see, under their full paths: those of which its user is a member, where the server
 * tells them from the public projects of strangers; every one for an administrator, who need not be a member.
 * @throws CallFailed, also where a row has no path.
 */
export async function readProjects(reader: Reader): Promise<Project[]> {
  const rows = await listed(reader, ofMembers).catch(unfiltered(reader));
  return projectsIn((await seesAll(reader, rows)) ? await listed(reader) : rows);
}

/** Some of {@link readProjects}: one page of at most so many. @throws CallFailed. */
export async function readSomeProjects(reader: Reader, most: number): Promise<Project[]> {
  const page = async (parameters: Fields) => {
    const { body } = await reader.get(call("listProjects", {}, { per_page: String(most), ...parameters }));
    return projectsIn(body);
  };
  const own = await page(ofMembers).catch((error) => {
    if (error instanceof CallFailed && error.status === 400) return [];
    throw error;
  });
  return own.length > 0 ? own : page({});
}

/**
 * All projects, or all groups, that the token can see: of groups those of which its user is a member, subgroups too, and
 * every one for an administrator. @throws CallFailed.
 */
export async function readOwners(reader: Reader, owner: Owner = "project"): Promise<Project[]> {
  if (owner === "project") return readProjects(reader);
  return projectsIn(await reader.list({ ...call("listGroups", {}), answer: groupsWithPaths }), owner);
}

/**
 * The projects, or the groups, that the rows of a list tell of, under their full paths; under its ID, a group whose path is
 * digits alone, because servers take that for the ID of another.
 */
function projectsIn(rows: unknown, owner: Owner = "project"): Project[] {
  if (!Array.isArray(rows)) return [];
  return rows.filter(isObject).flatMap((row) => {
    const { id, [pathFields[owner]]: path } = row;
    if (typeof id !== "number" || typeof path !== "string") return [];
    const fullPath = ownerName(owner, path);
    const name = isId(path) ? ownerName(owner, String(id)) : fullPath;
    return [{ id, path: fullPath, name, archived: isArchived(row), row: readableRow(owner, row) }];
  });
}

const pathFields: Readonly<Record<Owner, string>> = { project: "path_with_namespace", group: "full_path" };

function listed(reader: Reader, parameters: Fields = {}): Promise<readonly unknown[]> {
  return reader.list({ ...call("listProjects", {}, parameters), answer: projectsWithPaths });
}

/** A server that refuses what it does not know is asked without it. */
function unfiltered(reader: Reader): (error: unknown) => Promise<readonly unknown[]> {
  return (error) => {
    if (error instanceof CallFailed && error.status === 400) return listed(reader);
    throw error;
  };
}

/**
 * Whether more would be listed without asking for members: servers show the storage of a project to administrators alone.
 * By the specification every user sees it, and the permissions of none.
 */
async function seesAll(reader: Reader, [row]: readonly unknown[]): Promise<boolean> {
  if (row) return isShown(row) && "permissions" in row;
  const { body } = await reader.get(call("listProjects", {}, { per_page: "1" }));
  return Array.isArray(body) && isShown(body[0]);
}

function isShown(row: unknown): row is JsonObject {
  return isObject(row) && "repository_storage" in row;
}

/** More projects than this are looked up in the list of all, which has as many in each of its pages. */
const mostSingles = 100;

/**
 * The ID and path of each of these projects, as far as the server has them: one GET each, or the list of all where
 * there are many of them or the server does not route that. @throws CallFailed where neither can be had.
 */
async function lookUpProjects(
  reader: Reader,
  projects: readonly Project[],
  workers: number,
): Promise<readonly Project[]> {
  const groups = projects.filter(isGroup);
  if (groups.length === 0 || groups.length === projects.length) return lookUpAlike(reader, projects, workers);
  const others = projects.filter((each) => !isGroup(each));
  return [...(await lookUpAlike(reader, others, workers)), ...(await lookUpAlike(reader, groups, workers))];
}

async function lookUpAlike(reader: Reader, projects: readonly Project[], workers: number): Promise<readonly Project[]> {
  const [first, ...others] = projects;
  if (!first) return [];
  const owner = ownerOfName(first.name);
  if (projects.length > mostSingles) return readOwners(reader, owner);
  const found = await lookUp(reader, first);
  if (found === "unknown route") return readOwners(reader, owner);
  const rest = await inParallel(others, workers, (each) => lookUp(reader, each));
  return [found, ...rest].flatMap((each) => (each === "unknown route" ? [] : each));
}

const singles = { project: "getProject", group: "getGroup" } as const;

async function lookUp(reader: Reader, { name }: Project): Promise<readonly Project[] | "unknown route"> {
  try {
    const owner = ownerOfName(name);
    const { body } = await reader.get(call(singles[owner], { id: name }));
    return projectsIn([body], owner);
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    if (error.unknownRoute || error.kind === "shape" || error.status === 405) return "unknown route";
    // Reading it says what is wrong with it.
    if (error.status === 404 || error.status === 403 || error.kind === "redirect") return [];
    throw error;
  }
}

/** True if the server says that a project whose row was not read is archived. @throws CallFailed where it ends the run. */
export async function isFoundArchived(reader: Reader, project: Project): Promise<boolean> {
  if (project.archived !== undefined) return project.archived;
  const found = await lookUp(reader, project).catch(noneFound);
  return found !== "unknown route" && found.some(({ archived }) => archived);
}

/** True if a project is archived, and no policy includes archived ones: the reason why requests for it are refused. */
export async function isLeftAlone(reader: Reader, project: Project, policies: readonly Policy[]): Promise<boolean> {
  return !isSelected(policies, { ...project, archived: true }) && isFoundArchived(reader, project);
}

/**
 * Projects with the ID and the full path that the server says now; those that `isLacking` holds for are looked up. Where
 * the server does not say them, they stay unknown. @throws CallFailed where it ends the run.
 */
export async function nameProjects(
  reader: Reader,
  projects: readonly Project[],
  isLacking: (project: Project) => boolean,
  workers: number,
): Promise<readonly Project[]> {
  const lacking = projects.filter(isLacking);
  if (lacking.length === 0) return projects;
  return identified(projects, await lookUpProjects(reader, lacking, workers).catch(noneFound));
}

function noneFound(error: unknown): readonly Project[] {
  if (error instanceof CallFailed && !error.endsRun) return [];
  throw error;
}

/** A project that the server does not know by its name, and what it said. */
export interface Missing {
  readonly project: Project;
  readonly message: string;
  /** Its ID, where the server says that it has another path now. */
  readonly movedTo?: string | undefined;
}

/** Problems of such projects: at the selector that names them, with the nearest path that the server lists. */
export function missingProblems(
  missing: readonly Missing[],
  policies: readonly Policy[],
  listing: readonly Project[],
): readonly Problem[] {
  return missing.map(({ project, message, movedTo }) => {
    const place = selectorPlace(policies, project);
    const alike = ownedBy(ownerOfName(project.name), listing);
    const paths = alike.flatMap(({ path }) => (path === undefined ? [] : [bareName(path)]));
    const now = movedTo === undefined ? undefined : alike.find(({ id }) => id === Number(movedTo));
    const meant = project.path === undefined || movedTo !== undefined ? "" : didYouMean(bareName(project.path), paths);
    const said = `${describeOwner(project.name)} was not found: ${message}${meant}${now ? `: ${bareName(now.name)}` : ""}`;
    return { severity: "error", rule: "unreadable", message: said, ...(place && { place }), project: project.name };
  });
}

function selectorPlace(policies: readonly Policy[], project: Project): Place | undefined {
  for (const { document, selects, projects } of policies) {
    const index = projects.findIndex((selector) => selector.form !== "glob" && isMatch(selector, project));
    if (index >= 0) return document.place([selects, index]);
  }
  return undefined;
}

/** Where missing projects may be found: their new paths, and the first page of what the token can see. */
export async function findMovedProjects(
  reader: Reader,
  missing: readonly Missing[],
  listing: readonly Project[] | undefined,
): Promise<readonly Project[]> {
  const moved = missing.flatMap(({ project, movedTo }) => {
    return movedTo === undefined ? [] : [projectNamed(ownerName(ownerOfName(project.name), movedTo))];
  });
  const misspelt = missing.filter(({ project, movedTo }) => project.path && movedTo === undefined);
  const unlisted = owners.filter((owner) => {
    return !listedOf(owner, listing) && misspelt.some(({ project }) => ownerOfName(project.name) === owner);
  });
  const first = await inParallel(unlisted, 1, (owner) => firstPage(reader, owner));
  return [...(listing ?? []), ...first.flat(), ...(await lookUpProjects(reader, moved, 1))];
}

const lists = { project: "listProjects", group: "listGroups" } as const;

/** The first page of what the token can see, to find the nearest path in; nothing where it cannot be had. */
async function firstPage(reader: Reader, owner: Owner): Promise<readonly Project[]> {
  try {
    const { body } = await reader.get(call(lists[owner], {}, { per_page: "100" }));
    return projectsIn(body, owner);
  } catch (error) {
    if (error instanceof CallFailed) return [];
    throw error;
  }
}
