import { grouped, groupedAs } from "../base/grouped.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Project } from "../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";
import { withPathTemplates } from "./path-templates.ts";
import {
  choosePlacement,
  type Folder,
  type FolderStats,
  type Folders,
  foldersOf,
  type Occurrence,
  type Placement,
} from "./placement.ts";
import type { Draft } from "./policy.ts";
import { draftsOfFleet } from "./shared-drafts.ts";
import { type Group, groupsThatSaveLines, listsOf, sharedGroups } from "./shared-groups.ts";
import {
  declarationOf,
  type EntryVariant,
  formOf,
  hasOneValue,
  splitByField,
  type VariableValue,
  varied,
} from "./variables.ts";

/**
 * As `draftsOf`, with shared settings extracted: each entry is declared for a folder if at least half of its projects, and
 * two, have exactly that entry, except for their own path. More specific folders and projects override. Where entries
 * differ in one value it becomes a variable, if that is shorter. Projects without the entry are excluded. Of a resource that each
 * project has one of, each field is such an entry.
 *
 * `listing` is every project of the server, so that none is matched that was not imported. Takes time and memory linear in the number
 * of entries.
 */
export function factorShared(
  found: readonly ImportedProject[],
  listing: readonly Project[],
  catalogue: Catalogue,
): readonly Draft[] {
  const imported = found.map((each) => splitByField(each, catalogue));
  const fleet = fleetOf(imported, listing);
  const placements = grouped(
    imported.flatMap((each) => entriesOf(each, catalogue)),
    ({ content }) => declarationOf(catalogue, content.entry),
  );
  const placed = [...varying(placements, catalogue).values()].map((occurrences) => placedEntries(occurrences, fleet));
  const alone = placed.flatMap(({ placement }) => placement.own);
  const lists = listsOf(alone, ({ content }) => declarationOf(catalogue, content.entry), fleet.commonFolder);
  const { groups, own } = groupsThatSaveLines([...sharedGroups(placed, fleet.isNotImported), ...lists], alone);
  const variables = placedVariables(groups, fleet);
  return draftsOfFleet({
    imported,
    catalogue,
    folders: fleet.folders,
    entries: groups,
    variables: sharedGroups(variables, fleet.isNotImported),
    own: groupedAs(
      own,
      ({ project }) => project,
      ({ content }) => content.original,
    ),
    ownVariables: groupedAs(
      variables.flatMap(({ placement }) => placement.own),
      ({ project }) => project,
      ({ content }) => content,
    ),
  });
}

interface Fleet {
  readonly folders: Folders;
  /** Imported projects with anything to declare. */
  readonly declaring: ReadonlySet<Project>;
  /** The deepest common folder. */
  readonly commonFolder: (projects: readonly Project[]) => Folder;
  readonly isNotImported: (project: Project) => boolean;
  readonly stats: FolderStats;
  /** An unused variable is harmless for a project that has declarations. */
  readonly variableStats: FolderStats;
}

function fleetOf(imported: readonly ImportedProject[], listing: readonly Project[]): Fleet {
  const own = new Map(imported.map(({ project }) => [project.name.toLowerCase(), project]));
  const others = listing.filter(({ name }) => !own.has(name.toLowerCase()));
  const folders = foldersOf([...own.values(), ...others]);
  const counts = countsBelow(folders, own.values());
  const declaring = new Set(imported.filter(({ entries }) => entries.length > 0).map(({ project }) => project));
  const declaringCounts = countsBelow(folders, declaring);
  const stats: FolderStats = {
    above: (project) => folders.get(project) ?? [],
    unaffected: ({ projects }, declaring) => projects.length - declaring,
    imported: (folder) => counts.get(folder) ?? 0,
  };
  const unaffected: FolderStats["unaffected"] = (folder) => folder.projects.length - (declaringCounts.get(folder) ?? 0);
  const known = new Set(own.values());
  return {
    folders,
    declaring,
    commonFolder: commonFolderIn(folders),
    isNotImported: (project) => !known.has(project),
    stats,
    variableStats: { ...stats, unaffected },
  };
}

function commonFolderIn(folders: Folders): Fleet["commonFolder"] {
  return (projects) => {
    const [first = [], ...others] = projects.map((project) => folders.get(project) ?? []);
    const common = first.findLast((folder) => others.every((chain) => chain[folder.depth] === folder));
    return common ?? { path: "", depth: 0, projects: [] };
  };
}

function countsBelow(folders: Folders, counted: Iterable<Project>): ReadonlyMap<Folder, number> {
  const counts = new Map<Folder, number>();
  for (const project of counted) {
    for (const folder of folders.get(project) ?? []) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

function entriesOf({ project, entries }: ImportedProject, catalogue: Catalogue): readonly Occurrence<EntryVariant>[] {
  return entries.map((original) => {
    const entry = withPathTemplates(original, project);
    return { project, form: formOf(entry), content: { entry, original }, lines: linesOf(entry, catalogue) };
  });
}

function linesOf({ kind, fields, remarks }: ImportedEntry, catalogue: Catalogue): number {
  return 1 + remarks.length + (hasOneValue(catalogue, kind) ? 0 : fields.size);
}

type Occurrences<T> = readonly Occurrence<T>[];

/** Each with the same occurrences where what varies is a variable. */
function varying(placements: ReadonlyMap<string, Occurrences<EntryVariant>>, catalogue: Catalogue) {
  const entries = [...placements].map(
    ([identity, occurrences]) => [identity, occurrences.map(({ content }) => content.entry)] as const,
  );
  const vary = varied(new Map(entries), catalogue);
  const varies = (occurrence: Occurrence<EntryVariant>): Occurrence<EntryVariant> => {
    const other = vary(occurrence.content.entry);
    return other
      ? { ...occurrence, form: formOf(other.entry), content: { ...occurrence.content, ...other } }
      : occurrence;
  };
  return new Map(
    [...placements].map(([identity, occurrences]) => [
      identity,
      { plain: occurrences, varied: occurrences.map(varies) },
    ]),
  );
}

/** Uses variables if that takes fewer lines. */
function placedEntries(
  {
    plain,
    varied: withVariables,
  }: { readonly plain: Occurrences<EntryVariant>; readonly varied: Occurrences<EntryVariant> },
  { stats, variableStats }: Fleet,
) {
  const known = new Set(plain.map(({ project }) => project));
  const isUnaffected = (project: Project) => !known.has(project);
  const placement = choosePlacement(plain, stats);
  if (withVariables.every(({ content }) => !content.variable)) return { placement, isUnaffected };
  const other = choosePlacement(withVariables, stats);
  const variables = choosePlacement(variablesOf(other), variableStats);
  return { placement: other.lines + variables.lines < placement.lines ? other : placement, isUnaffected };
}

/** The variables that shared entries need. */
function variablesOf({ shared }: Placement<EntryVariant>): Occurrences<VariableValue> {
  return [...shared.values()].flat().flatMap(variableOf);
}

function variableOf({ project, content: { variable } }: Occurrence<EntryVariant>): Occurrences<VariableValue> {
  return variable ? [{ project, form: JSON.stringify(variable.value), content: variable, lines: 1 }] : [];
}

function placedVariables(groups: readonly Group<EntryVariant>[], { variableStats, declaring }: Fleet) {
  const occurrences = groups.flatMap(({ shared }) => shared.flatMap((each) => each.occurrences.flatMap(variableOf)));
  const byName = grouped(occurrences, ({ content }) => content.name);
  const isUnaffected = (project: Project) => !declaring.has(project);
  return [...byName.values()].map((each) => ({
    placement: choosePlacement(each, variableStats),
    isUnaffected,
  }));
}
