import { inParallel } from "../../base/concurrency.ts";
import { didYouMean } from "../../base/nearest.ts";
import { byName } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import type { Policy } from "../../manifest/policies.ts";
import {
  conditionProblems,
  hasRowsFor,
  idleGlobs,
  isWide,
  knownProjects,
  listedOf,
  namedProjects,
  needsLookup,
  type Projects,
  partlyKnown,
  projectsOf,
} from "../../manifest/projects.ts";
import { isCovered, isMatch, isSelected } from "../../manifest/selection.ts";
import { identified, projectFinder, projectNamed, unresolvedReferences } from "../../model/identity.ts";
import { kindOf } from "../../model/kinds.ts";
import { bareName, describeOwner, type Owner, ownedBy, ownerName, ownerOfName, owners } from "../../model/owner.ts";
import { sendsOwner } from "../../model/resource-kind.ts";
import type { Kind, Place, Problem, Project } from "../../model/types.ts";
import { hasDesiredChange, type RevisionSide, touchedPolicies } from "../../plan/revision/revision.ts";
import { ownRowFields } from "./kind-rows.ts";
import { lookUpProject, lookUpProjects, readFirstPage, readOwners } from "./owner-list.ts";

export interface ProjectScope {
  readonly policies: readonly Policy[];
  /** Globs and addresses of users, which may refer to a project by another name than policies. */
  readonly referencedGlobs: readonly string[];
  /** True if every project needs its ID and full path, because rules see both. */
  readonly needsNames: boolean;
  /** True if any policy has a condition, an expired one or one of other owners too: conditions read the rows of lists. */
  readonly needsRows: boolean;
  /** True for projects selected by `--target`, `--exclude` and `--shard`. */
  readonly includes: (project: Project) => boolean;
  /** Limits the run to projects whose desired state differs from an earlier revision. */
  readonly since?: Since;
  /** Limits the run to these projects, by their names in addresses. */
  readonly only?: readonly string[];
  /** Exactly these projects, already looked up. */
  readonly found?: readonly Project[];
  readonly workers: number;
}

export interface Since {
  readonly before: RevisionSide;
  readonly after: RevisionSide;
  /** The list, if recent enough to be reused. */
  readonly recent: readonly Project[] | undefined;
  /** The list at any age, for counts only. */
  readonly listed: readonly Project[] | undefined;
}

export interface FoundProjects extends Projects {
  /** All projects that the token can see, if this run listed them. */
  readonly listing?: readonly Project[] | undefined;
  /** With a revision: number of projects that policies select in all, if known. */
  readonly of?: number | undefined;
}

/**
 * The projects that policies select, with the IDs and paths that policies and users' globs need. @throws CallFailed.
 */
export async function findProjects(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  if (scope.found) return { projects: scope.found, problems: [] };
  const result = await selectByOwner(reader, scope);
  const { policies, needsNames, referencedGlobs, workers } = scope;
  const sends = (kind: Kind) => sendsOwner(kindOf(reader.catalogue, kind).file);
  const creating = policies.filter(({ kinds }) => [...kinds].some(sends));
  if (result.listing && !needsNames && creating.length === 0) return result;
  const isNamed = (project: Project) => needsNames || (creating.length > 0 && isCovered(creating, project));
  const isLacking = (project: Project) =>
    ((project.id === undefined || project.path === undefined) && isNamed(project)) ||
    unresolvedReferences(referencedGlobs, [project]).length > 0;
  const kept = ownRowFields(reader.catalogue, policies);
  return { ...result, projects: await nameProjects(reader, result.projects, isLacking, workers, kept) };
}

/** Selects projects and groups separately: IDs, globs and lists of one do not apply to the other. */
async function selectByOwner(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  const isAboutAny = ({ policies, only = [], since }: ProjectScope) =>
    policies.length + only.length + (since?.before.policies.length ?? 0) > 0;
  const parts = owners.map((owner) => limitToOwner(scope, owner)).filter(isAboutAny);
  if (parts.length < 2) return selectForOwner(reader, parts[0] ?? scope);
  const result = await inParallel(parts, 1, (part) => selectForOwner(reader, part));
  const listings = result.flatMap(({ listing }) => (listing ? [listing] : []));
  const of = result.reduce((sum, each) => sum + (each.of ?? Number.NaN), 0);
  return {
    projects: result.flatMap(({ projects }) => projects).toSorted(byName),
    problems: result.flatMap(({ problems }) => problems),
    archived: result.flatMap(({ archived = [] }) => archived),
    ...(listings.length > 0 && { listing: listings.flat() }),
    ...(!Number.isNaN(of) && { of }),
  };
}

function limitToOwner({ policies, only, since, ...scope }: ProjectScope, owner: Owner): ProjectScope {
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

async function selectForOwner(reader: Reader, scope: ProjectScope): Promise<FoundProjects> {
  const { policies, only, since, needsRows, workers } = scope;
  if (only) return { projects: await lookUpNamed(reader, only.map(projectNamed), policies, workers), problems: [] };
  if (since) return selectChanged(reader, scope, since);
  if (policies.some(isWide)) {
    const kept = ownRowFields(reader.catalogue, policies);
    const listing = dropUnusedRows(needsRows, await readOwners(reader, policies[0]?.of, kept));
    return { ...projectsOf(policies, listing), listing };
  }
  if (!needsLookup(policies)) return projectsOf(policies, undefined);
  const ids = policies.flatMap(({ except }) => except.flatMap((line) => (line.form === "id" ? [line.written] : [])));
  const named = [...namedProjects(policies), ...ids.map(projectNamed)];
  return projectsOf(policies, await lookUpNamed(reader, named, policies, workers));
}

/** Without their rows if no condition reads them: those of 100,000 projects take 50 MB. */
function dropUnusedRows(needsRows: boolean, listing: readonly Project[]): readonly Project[] {
  return needsRows ? listing : listing.map(({ row: _, ...project }) => project);
}

/** Named projects without duplicates, with ID and path where policies need both. */
async function lookUpNamed(
  reader: Reader,
  named: readonly Project[],
  policies: readonly Policy[],
  workers: number,
): Promise<readonly Project[]> {
  const lacking = partlyKnown(policies, named);
  const find = projectFinder(await lookUpProjects(reader, lacking, workers, ownRowFields(reader.catalogue, policies)));
  const projects = named.map((project) => find(project.name) ?? project);
  return [...new Map(projects.map((project) => [project.name.toLowerCase(), project])).values()];
}

/**
 * Selects the projects whose desired state changed. If no changed policy has a wildcard, only named projects can
 * differ, so the fleet need not be listed.
 */
async function selectChanged(reader: Reader, scope: ProjectScope, since: Since): Promise<FoundProjects> {
  const { policies, includes, needsRows, workers } = scope;
  const { before, after } = since;
  const both = [...before.policies, ...after.policies];
  const recent = since.recent && hasRowsFor(both, since.recent) ? since.recent : undefined;
  const touched = touchedPolicies(before, after);
  const current = touched.filter((policy) => after.policies.includes(policy));
  const kept = ownRowFields(reader.catalogue, after.policies);
  const isListing = touched.some(isWide) && !recent;
  const listing = isListing ? dropUnusedRows(needsRows, await readOwners(reader, touched[0]?.of, kept)) : undefined;
  const fleet = touched.some(isWide) ? (listing ?? recent) : undefined;
  const candidates = fleet
    ? knownProjects(both, fleet)
    : await lookUpNamed(reader, namedProjects(touched), both, workers);
  const projects = candidates.filter(
    (each) => isSelected(after.policies, each) && hasDesiredChange(before, after, each),
  );
  const listed = fleet ?? since.listed;
  const isKnown = listed || !policies.some(isWide);
  const all = isKnown && knownProjects(policies, listed).filter((each) => isSelected(policies, each) && includes(each));
  return {
    projects: projects.toSorted(byName),
    problems: [...conditionProblems(after.policies, candidates), ...(fleet ? idleGlobs(current, fleet) : [])],
    of: all ? all.length : undefined,
    ...(listing && { listing }),
  };
}

/**
 * True if a project is archived and no policy includes archived ones, which explains refused requests; asks the server
 * unless its row was read. @throws CallFailed if it ends the run.
 */
export async function isLeftAlone(reader: Reader, project: Project, policies: readonly Policy[]): Promise<boolean> {
  if (isSelected(policies, { ...project, archived: true })) return false;
  if (project.archived !== undefined) return project.archived;
  const result = await lookUpProject(reader, project).catch(instead<readonly Project[]>([]));
  return result !== "unknown route" && result.some(({ archived }) => archived);
}

/**
 * Adds the server's current ID and full path to projects for which `isLacking` is true; they stay unknown if the server
 * does not return them. The names in addresses stay those of the policies, because the ledger and saved plans contain
 * them. `kept`: the fields of their rows that kinds read. @throws CallFailed.
 */
async function nameProjects(
  reader: Reader,
  projects: readonly Project[],
  isLacking: (project: Project) => boolean,
  workers: number,
  kept: readonly string[] = [],
): Promise<readonly Project[]> {
  const lacking = projects.filter(isLacking);
  return lacking.length === 0 ? projects : identified(projects, await lookUpProjects(reader, lacking, workers, kept));
}

/** Like {@link nameProjects}, but a failure leaves the names unknown. @throws CallFailed if it ends the run. */
export function nameIfPossible(...call: Parameters<typeof nameProjects>): Promise<readonly Project[]> {
  const [, projects] = call;
  return nameProjects(...call).catch(instead(projects));
}

function instead<Result>(result: Result): (error: unknown) => Result {
  return (error) => {
    if (error instanceof CallFailed && !error.endsRun) return result;
    throw error;
  };
}

/** A project whose name the server does not know, and its message. */
export interface Missing {
  readonly project: Project;
  readonly message: string;
  /** Its ID, if the server says that it has another path now. */
  readonly movedTo?: string | undefined;
}

/**
 * Problems of missing projects at the selector that names them, with the nearest path in the server's list; a warning for
 * those that the plan creates.
 */
export function missingProblems(
  missing: readonly Missing[],
  policies: readonly Policy[],
  listing: readonly Project[],
  created: ReadonlySet<string>,
): readonly Problem[] {
  return missing.map(({ project, message, movedTo }) => {
    const place = selectorPlace(policies, project);
    const at = { ...(place && { place }), project: project.name };
    if (created.has(project.name.toLowerCase())) {
      const later = `${describeOwner(project.name)} does not exist yet: this plan creates it, and its policies apply from the next run on`;
      return { severity: "warning", rule: "unreadable", message: later, ...at };
    }
    const alike = ownedBy(ownerOfName(project.name), listing);
    const paths = alike.flatMap(({ path }) => (path === undefined ? [] : [bareName(path)]));
    const now = movedTo === undefined ? undefined : alike.find(({ id }) => id === Number(movedTo));
    const meant = project.path === undefined || movedTo !== undefined ? "" : suggestInstead(project.path, paths);
    const said = `${describeOwner(project.name)} was not found: ${message}${meant}${now ? `: ${bareName(now.name)}` : ""}`;
    return { severity: "error", rule: "unreadable", message: said, ...at };
  });
}

function suggestInstead(path: string, paths: readonly string[]): string {
  const name = bareName(path);
  const isWithin = (each: string) => each.toLowerCase().startsWith(`${name.toLowerCase()}/`);
  return ownerOfName(path) === "project" && paths.some(isWithin)
    ? `; it is a group: ${name}/** selects its projects, and groups in place of projects the group itself`
    : didYouMean(name, paths);
}

function selectorPlace(policies: readonly Policy[], project: Project): Place | undefined {
  for (const { document, selects, projects } of policies) {
    const index = projects.findIndex((selector) => selector.form !== "glob" && isMatch(selector, project));
    if (index >= 0) return document.place([selects, index]);
  }
  return undefined;
}

/** Candidates for missing projects: their new paths, and the first page of all projects. */
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
  const first = await inParallel(unlisted, 1, (owner) => readFirstPage(reader, owner));
  return [...(listing ?? []), ...first.flat(), ...(await lookUpProjects(reader, moved, 1))];
}
