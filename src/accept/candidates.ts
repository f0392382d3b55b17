import { exit, UserError } from "../base/exit.ts";
import { isGlob } from "../base/glob.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Difference } from "../diff/diff.ts";
import type { Selection } from "../live/select-projects.ts";
import { eachDesired } from "../manifest/desired-fleet.ts";
import type { Policy } from "../manifest/policies.ts";
import { projectsOf } from "../manifest/projects.ts";
import { addressOf } from "../model/address.ts";
import { addressTest, projectPart } from "../model/identity.ts";
import type { Project } from "../model/types.ts";

/** A resource that is declared or differs. */
interface Candidate {
  readonly address: string;
  readonly project: Project;
  readonly differs: boolean;
}

/** All of them, each once. */
export function candidatesIn(
  { fleet }: Pick<Selection, "fleet">,
  differences: readonly Difference[],
): readonly Candidate[] {
  const changes = differences.flatMap((difference) => difference.changes);
  const changed = new Set(changes.map(({ address }) => address));
  const projects = new Map(fleet.projects.map((project) => [project.name, project]));
  const declared = [...eachDesired(fleet)].flatMap(({ project, resources }) =>
    resources.map(({ kind, key }) => ({ address: addressOf(project.name, kind, key), project })),
  );
  const unlisted = changes.map(({ address, project: name }) => ({ address, project: projects.get(name) ?? { name } }));
  const found = new Map([...declared, ...unlisted].map((each) => [each.address, each]));
  return Array.from(found.values(), (each) => ({ ...each, differs: changed.has(each.address) }));
}

/** @throws UserError if a glob matches none of them, with a suggestion. */
export function checkAddresses(
  globs: readonly string[],
  candidates: readonly Candidate[],
  { fleet, listing }: Selection,
  policies: readonly Policy[],
): void {
  const lost = globs.find((glob) => candidatesMatching(glob, candidates).length === 0);
  if (lost === undefined) return;
  const projects = fleet.projects.length > 0 ? [] : projectsOf(policies, listing).projects;
  const addresses = candidates.map(({ address }) => address);
  throw unknownAddress(lost, addresses, projects);
}

function candidatesMatching(glob: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const matches = addressTest(glob);
  return candidates.filter(({ address, project }) => matches(address, project));
}

function unknownAddress(glob: string, addresses: readonly string[], projects: readonly Project[]): UserError {
  if (/^storage:/i.test(glob)) return new UserError(`${glob}: a storage move cannot be accepted`, exit.usage);
  if (projects.length === 0) {
    return new UserError(`no policy declares ${glob}, and no plan would change it${didYouMean(glob, addresses)}`);
  }
  const names = projects.map(({ name }) => name);
  return new UserError(`no policy selects ${projectPart(glob)}${didYouMean(projectPart(glob), names)}`);
}

/** Requested addresses that are in sync. Of the matches of a glob only those that differ are requested. */
export function inSyncAmong(globs: readonly string[], candidates: readonly Candidate[]): readonly string[] {
  const inSync = globs.flatMap((glob) => {
    const meant = candidatesMatching(glob, candidates);
    const same = meant.filter(({ differs }) => !differs);
    if (!isGlob(glob)) return same.map(({ address }) => address);
    return same.length > 0 && same.length === meant.length ? [glob] : [];
  });
  return [...new Set(inSync)];
}
