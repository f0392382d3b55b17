import { byName } from "../base/text-format.ts";
import type { Reader } from "../client/client.ts";
import type { Policy } from "../manifest/policies.ts";
import {
  idleGlobs,
  knownProjects,
  listedOf,
  namedProjects,
  needsLookup,
  type Projects,
  partlyKnown,
  projectsOf,
  selectsByGlob,
} from "../manifest/projects.ts";
import { isSelected } from "../manifest/selection.ts";
import { identified, projectFinder, projectNamed, unresolvedReferences } from "../model/identity.ts";
import { type Owner, ownerOfName, owners } from "../model/owner.ts";
import type { Project } from "../model/types.ts";
import { hasDesiredChange, type RevisionSide, touchedPolicies } from "../revision/revision.ts";
import { lookUpProjects, readOwners } from "./list-projects.ts";

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
  const { before, after, recent } = since;
  const both = [...before.policies, ...after.policies];
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
    problems: fleet
      ? idleGlobs(
          touched.filter((policy) => after.policies.includes(policy)),
          fleet,
        )
      : [],
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
