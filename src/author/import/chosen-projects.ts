import { exit, UserError } from "../../base/exit.ts";
import { didYouMean } from "../../base/nearest.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { selectorOf } from "../../manifest/selector.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { importedKinds, inventoriedKinds, outOfRelease, outOfTier, type PolicyKind } from "../../model/kinds.ts";
import { bareName, type Owner, ownerOfName, owners } from "../../model/owner.ts";
import type { Kind, Platform, Problem, Project } from "../../model/types.ts";
import { readOwners } from "../../run/live/owner-list.ts";

export interface Choice {
  /** IDs and full paths; those of groups end in a slash. */
  readonly names: readonly string[];
  readonly all: boolean;
  /** True if `all` and `groups` also select archived projects and those scheduled for deletion. */
  readonly archived?: boolean;
  /** Globs over full paths: without wildcards, all projects below the group; ending in a slash, groups. */
  readonly groups: readonly string[];
}

export interface ChosenProjects {
  readonly projects: readonly Project[];
  /** All projects and groups on the server, if listed, without skipped archived ones. */
  readonly listing: readonly Project[];
  readonly archived: number;
  readonly problems: readonly Problem[];
}

/** The owners that a choice can select. */
export function ownersIn(choice: Choice): readonly Owner[] {
  return owners.filter((owner) => {
    const { names, all, groups } = limitChoice(choice, owner);
    return all || names.length + groups.length > 0;
  });
}

/** Finds the selected projects and groups; `listed` requires the list in any case. @throws CallFailed. */
export async function chooseProjects(
  reader: Reader,
  choice: Choice,
  listed: boolean,
): Promise<ReadonlyMap<Owner, ChosenProjects>> {
  const chosen = new Map<Owner, ChosenProjects>();
  for (const owner of ownersIn(choice)) {
    const part = limitChoice(choice, owner);
    const isListed = listed || part.all || part.groups.length > 0;
    const needsList = isListed || part.names.some((name) => selectorOf(name, owner).form === "id");
    const listing = needsList ? await readOwners(reader, owner) : [];
    chosen.set(owner, selectProjects(part, owner, listing));
  }
  return chosen;
}

/** The part of a choice for projects, or for groups. */
function limitChoice({ names, all, groups, ...rest }: Choice, owner: Owner): Choice {
  return {
    ...rest,
    names: names.filter((name) => ownerOfName(name) === owner),
    all: all && owner === "project",
    groups: groups.filter((glob) => ownerOfGlob(glob) === owner),
  };
}

/** As in addresses, a glob that ends in a slash matches groups. Without wildcards it names the group above projects. */
function ownerOfGlob(glob: string): Owner {
  return selectorOf(bareName(glob)).form === "glob" ? ownerOfName(glob) : "project";
}

/** The selected projects, sorted by name. Paths that are not listed are kept. */
function selectProjects(choice: Choice, owner: Owner, listed: readonly Project[]): ChosenProjects {
  const problems: Problem[] = [];
  const isNamed = (project: Project) => choice.names.some((name) => findNamed(name, owner, listed) === project);
  const listing = listed.filter((project) => choice.archived || !project.archived || isNamed(project));
  const found = choice.all ? [...listing] : [];
  for (const glob of choice.groups) {
    const selector = selectorOf(bareName(glob), owner);
    const below = `${bareName(glob).toLowerCase()}/`;
    const isMember = (path: string) =>
      selector.form === "glob" ? selector.matches(path) : path.toLowerCase().startsWith(below);
    const members = listing.filter(({ name, path = name }) => isMember(path));
    if (members.length === 0)
      problems.push(missing(`${glob} matches no ${owner}${didYouMean(glob, listFolders(listing))}`));
    found.push(...members);
  }
  for (const name of choice.names) {
    const project = findNamed(name, owner, listing);
    if (project) found.push(project);
    else problems.push(missing(`there is no ${owner} with the ID ${bareName(name)}`));
  }
  const once = new Map(found.map((project) => [project.name.toLowerCase(), project]));
  const projects = [...once.values()].toSorted((a, b) => compareTexts(a.name, b.name));
  return { projects, listing, archived: listed.length - listing.length, problems };
}

function findNamed(name: string, owner: Owner, listing: readonly Project[]): Project | undefined {
  const selector = selectorOf(name, owner);
  if (selector.form === "id") return listing.find(({ id }) => id === selector.id);
  return listing.find((project) => project.name.toLowerCase() === name.toLowerCase()) ?? { name, path: name };
}

function listFolders(listing: readonly Project[]): readonly string[] {
  const parts = listing.map(({ name }) => name.split("/"));
  return parts.flatMap((words) => words.map((_, index) => words.slice(0, index + 1).join("/")));
}

function missing(message: string): Problem {
  return { severity: "error", rule: "no-project", message };
}

/**
 * The kinds of these sections, by default the non-optional ones. @throws UserError for a section that policies or the
 * platform do not have.
 */
export function kindsToImport(
  sections: readonly string[] | undefined,
  owners: readonly Owner[],
  catalogue: Catalogue,
  platform: Platform,
): ReadonlySet<Kind> {
  const names = sections?.flatMap((each) => each.split(",")).filter((name) => name !== "");
  const kinds = names
    ? names.flatMap((name) => findKinds(name, owners, catalogue, platform))
    : owners.flatMap((owner) => defaultKinds(owner, catalogue, platform));
  return new Set(kinds.map(({ kind }) => kind));
}

/** The kinds of a section that the platform has. @throws UserError if it has none of them. */
function findKinds(name: string, owners: readonly Owner[], catalogue: Catalogue, platform: Platform) {
  const known = owners.flatMap((owner) => inventoriedKinds(catalogue, owner));
  if (name === "all") return known;
  const named = known.filter(({ section }) => section === name);
  const whyNot = (row: PolicyKind) => outOfRelease(catalogue, row, platform) ?? outOfTier(catalogue, row, platform);
  const available = named.filter((row) => whyNot(row) === undefined);
  if (available.length > 0) return available;
  if (named[0]) throw new UserError(`--kinds: ${whyNot(named[0])}`, exit.usage);
  const words = [...new Set(known.map(({ section }) => section))];
  const [only] = owners.length === 1 ? owners : [];
  const whose = only === "group" ? "policies of groups" : "policies";
  const hint = didYouMean(name, words) || `; there are ${words.join(", ")}`;
  throw new UserError(`--kinds: ${whose} have no ${name}${hint}`, exit.usage);
}

function defaultKinds(owner: Owner, catalogue: Catalogue, platform: Platform): readonly PolicyKind[] {
  const rows = importedKinds(catalogue, owner);
  const [first, ...others] = rows;
  const why = first && others.length === 0 ? outOfRelease(catalogue, first, platform) : undefined;
  const elsewhere = owner === "group" ? "; for the projects of a group: --group GROUP, without the slash" : "";
  if (why) throw new UserError(`${why}. Name other kinds of ${owner}s with --kinds, or all${elsewhere}`, exit.usage);
  return rows;
}
