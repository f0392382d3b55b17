import { grouped, groupedAs } from "../../base/grouped.ts";
import { compareTexts, takeName } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import { type Owner, ownerName, ownerOfName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import { byOrder } from "./import-project.ts";
import { fileOf, selectorFor } from "./names.ts";
import {
  choosePlacement,
  type Folder,
  type FolderStats,
  type Folders,
  foldersOf,
  type Occurrence,
} from "./placement.ts";
import { type Draft, type ImportedEntry, type ImportedProject, policyText } from "./policy.ts";
import {
  countNamed,
  declarationOf,
  type EntryVariant,
  formOf,
  type Group,
  groupsThatSaveLines,
  hasOneValue,
  joinSingletons,
  listsOf,
  sharedGroups,
  splitByField,
} from "./shared-groups.ts";
import { type FactName, withTemplates } from "./templates.ts";

/**
 * As `draftsOf`, with shared settings extracted: each entry is declared for a folder if at least half of its projects,
 * and two, have exactly that entry, except for their own path. More specific folders and projects override. Projects
 * without the entry are excluded. Singletons are shared field by field. `listing`: every project of the server, so that
 * no policy matches a project that was not imported. Takes time and memory linear in the number of entries.
 */
export function factorShared(
  found: readonly ImportedProject[],
  listing: readonly Project[],
  catalogue: Catalogue,
): readonly Draft[] {
  const imported = found.map((each) => splitByField(each, catalogue));
  const fleet = createFleet(imported, listing);
  const declarationIn = ({ content }: Occurrence<EntryVariant>) => declarationOf(catalogue, content.entry);
  const occurrences = grouped(
    imported.flatMap((each) => listEntries(each, catalogue)),
    declarationIn,
  );
  const placed = [...occurrences.values()].map((each) => placeEntries(withCommonForms(each), fleet));
  const alone = placed.flatMap(({ placement }) => placement.own);
  const lists = listsOf(alone, declarationIn, fleet.commonFolder);
  const { groups, own } = groupsThatSaveLines(
    [...sharedGroups(placed, fleet.isNotImported, fleet.stats.above), ...lists],
    alone,
  );
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

function createFleet(imported: readonly ImportedProject[], listing: readonly Project[]): Fleet {
  const own = new Map(imported.map(({ project }) => [project.name.toLowerCase(), project]));
  const others = listing.filter(({ name }) => !own.has(name.toLowerCase()));
  const folders = foldersOf([...own.values(), ...others]);
  const counts = countsBelow(folders, own.values());
  const known = new Set(own.values());
  return {
    folders,
    commonFolder: findCommonFolder(folders),
    isNotImported: (project) => !known.has(project),
    stats: { above: (project) => folders.get(project) ?? [], imported: (folder) => counts.get(folder) ?? 0 },
  };
}

function findCommonFolder(folders: Folders): Fleet["commonFolder"] {
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

function listEntries({ project, entries }: ImportedProject, catalogue: Catalogue): readonly Occurrence<EntryVariant>[] {
  return entries.map((original) => {
    const entry = withTemplates(original, project);
    return { project, form: formOf(entry), content: { entry, original }, lines: countLines(entry, catalogue) };
  });
}

const variantFacts: readonly (readonly FactName[])[] = [
  ["path"],
  ["path", "name"],
  ["path", "id"],
  ["path", "name", "id"],
];

/** Interpolates the name and the ID of projects where that gives more of them the same entry. */
function withCommonForms(occurrences: readonly Occurrence<EntryVariant>[]): readonly Occurrence<EntryVariant>[] {
  const variants = occurrences.map((occurrence) => {
    const { project, content } = occurrence;
    return variantFacts.map((facts): Occurrence<EntryVariant> => {
      const entry = withTemplates(content.original, project, facts);
      return { ...occurrence, form: formOf(entry), content: { ...content, entry } };
    });
  });
  const forms = variants.flatMap((each) => [...new Set(each.map(({ form }) => form))]);
  const counts = new Map([...grouped(forms, (form) => form)].map(([form, { length }]) => [form, length]));
  const count = ({ form }: Occurrence<EntryVariant>) => counts.get(form) ?? 0;
  return variants.map((each) => each.reduce((best, other) => (count(other) > count(best) ? other : best)));
}

function countLines({ kind, fields, remarks }: ImportedEntry, catalogue: Catalogue): number {
  return 1 + remarks.length + (hasOneValue(catalogue, kind) ? 0 : fields.size);
}

function placeEntries(occurrences: readonly Occurrence<EntryVariant>[], { stats }: Fleet) {
  const known = new Set(occurrences.map(({ project }) => project));
  return { placement: choosePlacement(occurrences, stats), isUnaffected: (project: Project) => !known.has(project) };
}

/** The settings of all projects, and the place of their declarations. */
interface FleetSettings {
  readonly imported: readonly ImportedProject[];
  readonly folders: Folders;
  readonly entries: readonly Group<EntryVariant>[];
  readonly own: ReadonlyMap<Project, readonly ImportedEntry[]>;
  readonly catalogue: Catalogue;
}

/** A draft and the folder that it belongs to. */
interface Placed {
  readonly folder: Folder;
  readonly draft: Draft;
}

/**
 * Drafts for several projects, the widest first, and for single ones; drafts of one file are
 * adjacent. Policies of a folder's projects are in the file of the folder, unless that makes it too long.
 */
function draftsOfFleet(content: FleetSettings): readonly Draft[] {
  const shared = sharedDrafts(content);
  const indexByFolder = new Map(shared.map(({ folder }, index) => [folder, index]));
  const remarks = new Map<number, Remark[]>();
  const own = content.imported.flatMap((each): Placed[] => {
    const chain = content.folders.get(each.project) ?? [];
    const folder = chain.at(-1);
    const draft = ownDraft(each, content);
    if (!folder || draft.entries.length + draft.remarks.length === 0) return [];
    const policyIndex = indexByFolder.get(chain.findLast((above) => indexByFolder.has(above)) ?? folder);
    if (policyIndex === undefined || draft.entries.length > 0) return [{ folder, draft }];
    const existing = remarks.get(policyIndex) ?? [];
    existing.push(...draft.remarks.map((remark) => ({ remark, name: draft.name })));
    remarks.set(policyIndex, existing);
    return [];
  });
  const reported = shared.map((each, index): Placed => {
    return { ...each, draft: { ...each.draft, remarks: joinRemarks(remarks.get(index) ?? []) } };
  });
  return groupByFile(reported, own, content.catalogue);
}

interface Remark {
  readonly remark: string;
  readonly name: string;
}

/** Groups equal remarks of several projects. */
function joinRemarks(remarks: readonly Remark[]): readonly string[] {
  return [...grouped(remarks, ({ remark }) => remark)].map(([remark, [first, ...others]]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${first?.name}${more}: ${remark}`;
  });
}

function sharedDrafts({ imported, entries, catalogue }: FleetSettings): readonly Placed[] {
  const taken = new Set(imported.map(({ project }) => project.name.toLowerCase()));
  const owner = ownerOfName(imported[0]?.project.name ?? "");
  const groups = [...grouped(entries, ({ key }) => key).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, shared: [first, ...others].flatMap(({ shared }) => shared) }] : [],
  );
  return groups.toSorted(byFolder).map((group) => {
    const { folder, globs, listed, except } = group;
    const entriesOfAll = group.shared.map(({ first }) => first.content.entry);
    const content = joinSingletons(entriesOfAll, catalogue).toSorted(byOrder(catalogue));
    const draft: Draft = {
      file: folder.path === "" ? "shared.yaml" : fileOf({ name: folder.path }),
      name: chooseName(group, owner, describeContent(content, catalogue), taken),
      projects: [...globs.map((glob) => ownerName(owner, glob)), ...listed.map(selectorFor)],
      except: except.map(selectorFor),
      heading: [],
      entries: content,
      remarks: [],
    };
    return { folder, draft };
  });
}

/** The key of the only entry, or its first sections. */
function describeContent(entries: readonly ImportedEntry[], catalogue: Catalogue): string {
  const [first, ...others] = entries;
  if (first?.key && others.length === 0) return first.key;
  const [section = "", second, ...more] = new Set(entries.map(({ kind }) => sectionNameOf(catalogue, kind)));
  if (second === undefined) return section;
  return more.length > 0 ? `${section}-and-more` : `${section}-and-${second}`;
}

/** The first policy for a whole folder has the folder's name; others append what is in them. */
function chooseName(
  { folder: { path }, globs, listed }: Group<unknown>,
  owner: Owner,
  word: string,
  taken: Set<string>,
) {
  const folder = path === "" ? "shared" : path;
  const plain = owner === "group" ? `${folder}-groups` : folder;
  const isPlain = word === "" || (globs.length === 1 && listed.length === 0 && !taken.has(plain.toLowerCase()));
  return takeName(isPlain ? plain : `${plain}-${word.replace(/[^\w.-]+/g, "-")}`, taken);
}

/** Sorts the widest first, and whole folders before parts of them. */
function byFolder(a: Group<unknown>, b: Group<unknown>): number {
  return compareTexts(a.folder.path, b.folder.path) || countNamed(a) - countNamed(b) || compareTexts(a.key, b.key);
}

function ownDraft({ project, remarks }: ImportedProject, { own, catalogue }: FleetSettings): Draft {
  return {
    file: fileOf(project),
    name: project.name,
    projects: [selectorFor(project)],
    except: [],
    heading: [],
    entries: joinSingletons(own.get(project) ?? [], catalogue).toSorted(byOrder(catalogue)),
    remarks,
  };
}

/** Lines of the longest file that is still easy to read. */
const longestFile = 200;

function groupByFile(shared: readonly Placed[], own: readonly Placed[], catalogue: Catalogue): readonly Draft[] {
  const byFolder = new Map([...grouped(shared, ({ folder }) => folder)]);
  const ownByFolder = grouped(own, ({ folder }) => folder);
  const folders = new Set([...byFolder.keys(), ...ownByFolder.keys()]);
  return [...folders]
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .flatMap((folder) => {
      const above = (byFolder.get(folder) ?? []).map(({ draft }) => draft);
      const below = (ownByFolder.get(folder) ?? []).map(({ draft }) => draft);
      const isTogether =
        folder.path !== "" && above.length + below.length > 1 && isShort([...above, ...below], catalogue);
      const file = fileOf({ name: folder.path });
      return isTogether ? [...above, ...below].map((draft) => ({ ...draft, file })) : [...above, ...below];
    });
}

function isShort(drafts: readonly Draft[], catalogue: Catalogue): boolean {
  let lines = 0;
  return drafts.every((draft) => {
    lines += policyText(draft, "", catalogue).split("\n").length;
    return lines <= longestFile;
  });
}

/** Uses one spelling of each file name, for case-insensitive file systems. */
export function inOneSpelling(drafts: readonly Draft[]): readonly Draft[] {
  const first = new Map<string, string>();
  for (const { file } of drafts) if (!first.has(file.toLowerCase())) first.set(file.toLowerCase(), file);
  return drafts.map((draft) => ({ ...draft, file: first.get(draft.file.toLowerCase()) ?? draft.file }));
}
