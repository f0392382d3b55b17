import { grouped, groupedAs } from "../../base/grouped.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Project } from "../../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";
import { withPathTemplates } from "./path-templates.ts";
import {
  choosePlacement,
  type Folder,
  type FolderStats,
  type Folders,
  foldersOf,
  type Occurrence,
} from "./placement.ts";
import type { Draft } from "./policy.ts";
import { draftsOfFleet } from "./shared-drafts.ts";
import { groupsThatSaveLines, listsOf, sharedGroups } from "./shared-groups.ts";
import { declarationOf, type EntryVariant, formOf, hasOneValue, splitByField } from "./singleton-fields.ts";

/**
 * As `draftsOf`, with shared settings extracted: each entry is declared for a folder if at least half of its projects, and
 * two, have exactly that entry, except for their own path. More specific folders and projects override. Projects without
 * the entry are excluded. Of a resource that each project has one of, each field is such an entry.
 *
 * `listing` is every project of the server, so that none is matched that was not imported. Takes time and memory linear in
 * the number of entries.
 */
export function factorShared(
  found: readonly ImportedProject[],
  listing: readonly Project[],
  catalogue: Catalogue,
): readonly Draft[] {
  const imported = found.map((each) => splitByField(each, catalogue));
  const fleet = fleetOf(imported, listing);
  const declarationIn = ({ content }: Occurrence<EntryVariant>) => declarationOf(catalogue, content.entry);
  const occurrences = grouped(
    imported.flatMap((each) => entriesOf(each, catalogue)),
    declarationIn,
  );
  const placed = [...occurrences.values()].map((each) => placeEntries(each, fleet));
  const alone = placed.flatMap(({ placement }) => placement.own);
  const lists = listsOf(alone, declarationIn, fleet.commonFolder);
  const { groups, own } = groupsThatSaveLines([...sharedGroups(placed, fleet.isNotImported), ...lists], alone);
  return draftsOfFleet({
    imported,
    catalogue,
    folders: fleet.folders,
    entries: groups,
    own: groupedAs(
      own,
      ({ project }) => project,
      ({ content }) => content.original,
    ),
  });
}

interface Fleet {
  readonly folders: Folders;
  /** The deepest common folder. */
  readonly commonFolder: (projects: readonly Project[]) => Folder;
  readonly isNotImported: (project: Project) => boolean;
  readonly stats: FolderStats;
}

function fleetOf(imported: readonly ImportedProject[], listing: readonly Project[]): Fleet {
  const own = new Map(imported.map(({ project }) => [project.name.toLowerCase(), project]));
  const others = listing.filter(({ name }) => !own.has(name.toLowerCase()));
  const folders = foldersOf([...own.values(), ...others]);
  const counts = countsBelow(folders, own.values());
  const known = new Set(own.values());
  return {
    folders,
    commonFolder: commonFolderIn(folders),
    isNotImported: (project) => !known.has(project),
    stats: { above: (project) => folders.get(project) ?? [], imported: (folder) => counts.get(folder) ?? 0 },
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

function placeEntries(occurrences: readonly Occurrence<EntryVariant>[], { stats }: Fleet) {
  const known = new Set(occurrences.map(({ project }) => project));
  return { placement: choosePlacement(occurrences, stats), isUnaffected: (project: Project) => !known.has(project) };
}
