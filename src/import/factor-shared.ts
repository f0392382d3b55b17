import { grouped, groupedAs } from "../base/grouped.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { identityOf, policyKinds } from "../model/kinds.ts";
import type { Project } from "../model/types.ts";
import { type Folder, type Folders, foldersOf } from "./folders.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";
import { generalised } from "./path-templates.ts";
import { type FolderStats, type Occurrence, type Placement, place } from "./placement.ts";
import type { Draft } from "./policy.ts";
import { draftsOfFleet } from "./shared-drafts.ts";
import { type Group, listsOf, sharedGroups, worthwhile } from "./shared-groups.ts";
import { formOf, type SaidEntry, type SaidVariable, varied } from "./variables.ts";

/**
 * As `draftsOf`, with what projects share said once: entry by entry, for a folder of which at least half of the projects, and
 * two, have exactly that entry, their own path apart. Nearer folders win, and so does the project itself. Where entries
 * differ in one value it becomes a variable, if that is shorter. Projects that lack an entry are excepted.
 *
 * `listing` is all that the server has, so that no project is matched that was not imported. Takes time and memory by the number
 * of entries.
 */
export function factored(
  imported: readonly ImportedProject[],
  listing: readonly Project[],
  catalogue = catalogueOf(),
): readonly Draft[] {
  const fleet = fleetOf(imported, listing);
  const placements = grouped(imported.flatMap(entriesOf), ({ said }) => identityOf(said.entry));
  const placed = [...varying(placements).values()].map((sayings) => placedEntries(sayings, fleet));
  const alone = placed.flatMap(({ placement }) => placement.own);
  const lists = listsOf(alone, ({ said }) => identityOf(said.entry), fleet.commonFolder);
  const { groups, own } = worthwhile([...sharedGroups(placed, fleet.isForeign), ...lists], alone);
  const variables = placedVariables(groups, fleet);
  return draftsOfFleet({
    imported,
    catalogue,
    folders: fleet.folders,
    entries: groups,
    variables: sharedGroups(variables, fleet.isForeign),
    own: groupedAs(
      own,
      ({ project }) => project,
      ({ said }) => said.original,
    ),
    ownVariables: groupedAs(
      variables.flatMap(({ placement }) => placement.own),
      ({ project }) => project,
      ({ said }) => said,
    ),
  });
}

interface Fleet {
  readonly folders: Folders;
  /** Imported projects of which there is anything to say. */
  readonly speakers: ReadonlySet<Project>;
  /** The deepest that all are in. */
  readonly commonFolder: (projects: readonly Project[]) => Folder;
  /** Not imported. */
  readonly isForeign: (project: Project) => boolean;
  readonly census: FolderStats;
  /** A variable that nothing uses does no harm to a project of which something is said anyway. */
  readonly variableCensus: FolderStats;
}

function fleetOf(imported: readonly ImportedProject[], listing: readonly Project[]): Fleet {
  const own = new Map(imported.map(({ project }) => [project.name.toLowerCase(), project]));
  const others = listing.filter(({ name }) => !own.has(name.toLowerCase()));
  const folders = foldersOf([...own.values(), ...others]);
  const counts = countsBelow(folders, own.values());
  const speakers = new Set(imported.filter(({ entries }) => entries.length > 0).map(({ project }) => project));
  const speaking = countsBelow(folders, speakers);
  const census: FolderStats = {
    above: (project) => folders.get(project) ?? [],
    unaffected: ({ projects }, told) => projects.length - told,
    imported: (folder) => counts.get(folder) ?? 0,
  };
  const unaffected: FolderStats["unaffected"] = (folder) => folder.projects.length - (speaking.get(folder) ?? 0);
  const known = new Set(own.values());
  return {
    folders,
    speakers,
    commonFolder: commonFolderIn(folders),
    isForeign: (project) => !known.has(project),
    census,
    variableCensus: { ...census, unaffected },
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

function entriesOf({ project, entries }: ImportedProject): readonly Occurrence<SaidEntry>[] {
  return entries.map((original) => {
    const entry = generalised(original, project);
    return { project, form: formOf(entry), said: { entry, original }, lines: linesOf(entry) };
  });
}

function linesOf({ kind, fields, remarks }: ImportedEntry): number {
  const isWhole = policyKinds.some((row) => row.kind === kind && row.only !== undefined);
  return 1 + remarks.length + (isWhole ? 0 : fields.size);
}

type Sayings<Said> = readonly Occurrence<Said>[];

/** Each with the same sayings where what varies is a variable. */
function varying(placements: ReadonlyMap<string, Sayings<SaidEntry>>) {
  const entries = [...placements].map(
    ([identity, sayings]) => [identity, sayings.map(({ said }) => said.entry)] as const,
  );
  const vary = varied(new Map(entries));
  const varies = (saying: Occurrence<SaidEntry>): Occurrence<SaidEntry> => {
    const other = vary(saying.said.entry);
    return other ? { ...saying, form: formOf(other.entry), said: { ...saying.said, ...other } } : saying;
  };
  return new Map(
    [...placements].map(([identity, sayings]) => [identity, { plain: sayings, varied: sayings.map(varies) }]),
  );
}

/** With variables, where that takes fewer lines. */
function placedEntries(
  { plain, varied: withVariables }: { readonly plain: Sayings<SaidEntry>; readonly varied: Sayings<SaidEntry> },
  { census, variableCensus }: Fleet,
) {
  const known = new Set(plain.map(({ project }) => project));
  const isStranger = (project: Project) => !known.has(project);
  const placement = place(plain, census);
  if (withVariables.every(({ said }) => !said.variable)) return { placement, isStranger };
  const other = place(withVariables, census);
  const variables = place(variablesOf(other), variableCensus);
  return { placement: other.lines + variables.lines < placement.lines ? other : placement, isStranger };
}

/** The variables that shared entries need. */
function variablesOf({ shared }: Placement<SaidEntry>): Sayings<SaidVariable> {
  return [...shared.values()].flat().flatMap(variableOf);
}

function variableOf({ project, said: { variable } }: Occurrence<SaidEntry>): Sayings<SaidVariable> {
  return variable ? [{ project, form: JSON.stringify(variable.value), said: variable, lines: 1 }] : [];
}

function placedVariables(groups: readonly Group<SaidEntry>[], { variableCensus, speakers }: Fleet) {
  const sayings = groups.flatMap(({ shared }) => shared.flatMap((each) => each.sayings.flatMap(variableOf)));
  const byName = grouped(sayings, ({ said }) => said.name);
  const isStranger = (project: Project) => !speakers.has(project);
  return [...byName.values()].map((each) => ({
    placement: place(each, variableCensus),
    isStranger,
  }));
}
