import { grouped } from "../../base/grouped.ts";
import { compareTexts, takeName } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf, policyKind, sectionNameOf } from "../../model/kinds.ts";
import { type Owner, ownerName, ownerOfName } from "../../model/owner.ts";
import { isSingleton, type ResourceKind } from "../../model/resource-kind.ts";
import type { Kind, Project } from "../../model/types.ts";
import { draftOf, fileOf, selectorFor } from "./names.ts";
import {
  choosePlacement,
  countNamed,
  type Folder,
  type FolderStats,
  foldersOf,
  isSelectedBy,
  type Occurrence,
  type Selected,
  selectMembers,
} from "./placement.ts";
import { type Draft, type ImportedEntry, type ImportedProject, policyFileText } from "./policy.ts";
import { type FactName, withTemplates } from "./templates.ts";

/**
 * As `draftsOf`, with shared settings extracted: each entry is declared for a folder if at least half of its projects,
 * and two, have exactly that entry, except for their own path. More specific folders and projects override. Projects
 * without the entry are excluded. Singletons are shared field by field. `listing`: every project of the server, so that
 * no policy matches a project that was not imported.
 */
export function factorShared(
  found: readonly ImportedProject[],
  listing: readonly Project[],
  catalogue: Catalogue,
): readonly Draft[] {
  const imported = found.map((each) => splitByField(each, catalogue));
  const fleet = createFleet(imported, listing);
  const declared = grouped(
    imported.flatMap(({ project, entries }) => entries.map((original) => ({ project, original }))),
    ({ original }) => {
      const [field = ""] = singletonFile(catalogue, original.kind) ? original.fields.keys() : [];
      return `${identityOf(catalogue, original)} ${field}`;
    },
  );
  const placed = [...declared.values()].map((alike) => {
    const each = withCommonForms(alike, catalogue);
    return { each, ...choosePlacement(each, fleet) };
  });
  const groups = new Map<string, Group>();
  for (const { each, shared } of placed) {
    const declaring = new Set(each.map(({ project }) => project));
    for (const { folder, occurrences } of shared) {
      const members = occurrences.map(({ project }) => project);
      const selected = selectMembers(folder, members, (one) => !declaring.has(one), fleet.above);
      const { globs, listed, except } = selected;
      const key = JSON.stringify([globs, [listed, except].map((projects) => projects.map(({ name }) => name))]);
      const group = groups.get(key) ?? { key, folder, ...selected, shared: [] };
      group.shared.push(occurrences);
      groups.set(key, group);
    }
  }
  const own = placed.flatMap((each) => each.own);
  const declaring = new Set(own.map(({ project }) => project));
  const worthy = [...groups.values()].filter((group) => savesLines(group, declaring));
  const refused = [...groups.values()].filter((group) => !worthy.includes(group));
  return draftsOfFleet({
    imported,
    catalogue,
    above: fleet.above,
    groups: worthy,
    withDefaults: defaultsBeside(worthy, fleet.above, catalogue),
    own: grouped([...own, ...refused.flatMap(({ shared }) => shared.flat())], ({ project }) => project),
  });
}

/** The declarations of one policy, all for the same projects: for each, its equal occurrences. */
interface Group extends Selected {
  /** Equal for the same projects. */
  readonly key: string;
  readonly folder: Folder;
  readonly shared: (readonly [Occurrence, ...Occurrence[]])[];
}

/** Lines of a policy apart from its entries. */
const frame = 6;

/**
 * True for a policy for whole folders, which also applies to future projects, and for one that is shorter than the
 * entries of its projects. `declaring`: projects that have a policy of their own anyway.
 */
function savesLines(group: Group, declaring: ReadonlySet<Project>): boolean {
  const named = countNamed(group);
  const members = new Set(group.shared.flat().map(({ project }) => project));
  const frames = [...members].filter((project) => !declaring.has(project)).length;
  const apart = group.shared.flat().reduce((sum, { lines }) => sum + lines, frames * frame);
  return named === 0 || group.shared.reduce((sum, [first]) => sum + first.lines, frame + named) < apart;
}

type WithDefaults = (entry: ImportedEntry, projects: readonly Project[]) => ImportedEntry;

/**
 * Spells out the defaults of an entry for fields that a wider policy of its projects declares: the entry replaces that
 * of the wider policy, and a field that it omitted would not be compared.
 */
function defaultsBeside(groups: readonly Group[], above: FolderStats["above"], catalogue: Catalogue): WithDefaults {
  const declared = grouped(
    groups.flatMap((group) => group.shared.map(([{ entry }]) => ({ group, entry }))),
    ({ entry }) => identityOf(catalogue, entry),
  );
  return (entry, projects) => {
    const { kind, fields, defaults = fields } = entry;
    if (defaults.size === 0 || singletonFile(catalogue, kind)) return entry;
    const wider = (declared.get(identityOf(catalogue, entry)) ?? []).filter(({ group }) =>
      projects.some((project) => isSelectedBy(project, group, above)),
    );
    const names = new Set(wider.flatMap((each) => [...each.entry.fields.keys()]));
    const missing = [...defaults].filter(([name]) => names.has(name) && !fields.has(name));
    return missing.length === 0 ? entry : { ...entry, fields: new Map([...fields, ...missing]) };
  };
}

function createFleet(imported: readonly ImportedProject[], listing: readonly Project[]): FolderStats {
  const own = new Map(imported.map(({ project }) => [project.name.toLowerCase(), project]));
  const folders = foldersOf([...own.values(), ...listing.filter(({ name }) => !own.has(name.toLowerCase()))]);
  const above = (project: Project) => folders.get(project) ?? [];
  const counts = grouped([...own.values()].flatMap(above), (folder) => folder);
  return { above, imported: (folder) => counts.get(folder)?.length ?? 0 };
}

const variantFacts: readonly (readonly FactName[])[] = [
  ["path"],
  ["path", "name"],
  ["path", "id"],
  ["path", "name", "id"],
];

/** Interpolates the name and the ID of projects where that gives more of them the same entry. */
function withCommonForms(
  declared: readonly Pick<Occurrence, "project" | "original">[],
  catalogue: Catalogue,
): readonly Occurrence[] {
  const variants = declared.map(({ project, original }) => {
    const { kind, fields, remarks } = original;
    const hasOneValue = policyKind(catalogue, kind)?.only !== undefined || singletonFile(catalogue, kind) !== undefined;
    const lines = 1 + remarks.length + (hasOneValue ? 0 : fields.size);
    return variantFacts.map((facts): Occurrence => {
      const entry = withTemplates(original, project, facts);
      return { project, form: JSON.stringify([[...entry.fields], entry.remarks]), entry, original, lines };
    });
  });
  const forms = variants.flatMap((each) => [...new Set(each.map(({ form }) => form))]);
  const counts = grouped(forms, (form) => form);
  const count = ({ form }: Occurrence) => counts.get(form)?.length ?? 0;
  return variants.map((each) => each.reduce((best, other) => (count(other) > count(best) ? other : best)));
}

interface FleetSettings {
  readonly imported: readonly ImportedProject[];
  readonly above: FolderStats["above"];
  readonly groups: readonly Group[];
  readonly own: ReadonlyMap<Project, readonly Occurrence[]>;
  readonly withDefaults: WithDefaults;
  readonly catalogue: Catalogue;
}

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
  const drafts = content.imported.flatMap((each) => {
    const chain = content.above(each.project);
    const folder = chain.at(-1);
    const own = content.own.get(each.project) ?? [];
    const written = own.map(({ original }) => content.withDefaults(original, [each.project]));
    const draft = draftOf({ ...each, entries: joinSingletons(written, content.catalogue) });
    if (!folder || draft.entries.length + draft.remarks.length === 0) return [];
    // Remarks alone go to the nearest shared policy.
    const nearest = chain.findLast((above) => indexByFolder.has(above)) ?? folder;
    return [{ folder, draft, policyIndex: draft.entries.length > 0 ? undefined : indexByFolder.get(nearest) }];
  });
  const remarked = grouped(drafts, ({ policyIndex }) => policyIndex);
  const reported = shared.map(({ folder, draft }, index) => {
    return { folder, draft: { ...draft, remarks: joinRemarks(remarked.get(index) ?? []) } };
  });
  const own = drafts.filter(({ policyIndex }) => policyIndex === undefined);
  return groupByFile(reported, own, content.catalogue);
}

/** Groups equal remarks of several projects. */
function joinRemarks(placed: readonly Placed[]): readonly string[] {
  const remarks = placed.flatMap(({ draft: { name, remarks } }) => remarks.map((remark) => ({ name, remark })));
  return [...grouped(remarks, ({ remark }) => remark)].map(([remark, [first, ...others]]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${first.name}${more}: ${remark}`;
  });
}

function sharedDrafts({ imported, groups, catalogue, withDefaults }: FleetSettings): readonly Placed[] {
  const taken = new Set(imported.map(({ project }) => project.name.toLowerCase()));
  const owner = ownerOfName(imported[0]?.project.name ?? "");
  return groups.toSorted(byFolder).map((group) => {
    const { folder, globs, listed, except, shared } = group;
    const entries = shared.map((equal) => {
      const members = equal.map(({ project }) => project);
      return withDefaults(equal[0].entry, members);
    });
    const content = joinSingletons(entries, catalogue);
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

function describeContent(entries: readonly ImportedEntry[], catalogue: Catalogue): string {
  const [first, ...others] = entries;
  if (first?.key && others.length === 0) return first.key;
  const [section = "", second, ...more] = new Set(entries.map(({ kind }) => sectionNameOf(catalogue, kind)));
  if (second === undefined) return section;
  return more.length > 0 ? `${section}-and-more` : `${section}-and-${second}`;
}

/** The first policy for a whole folder has the folder's name; others append what is in them. */
function chooseName({ folder: { path }, globs, listed }: Group, owner: Owner, word: string, taken: Set<string>) {
  const folder = path === "" ? "shared" : path;
  const plain = owner === "group" ? `${folder}-groups` : folder;
  const isPlain = word === "" || (globs.length === 1 && listed.length === 0 && !taken.has(plain.toLowerCase()));
  return takeName(isPlain ? plain : `${plain}-${word.replace(/[^\w.-]+/g, "-")}`, taken);
}

/** Sorts the widest first, and whole folders before parts of them. */
function byFolder(a: Group, b: Group): number {
  return compareTexts(a.folder.path, b.folder.path) || countNamed(a) - countNamed(b) || compareTexts(a.key, b.key);
}

/** Lines of the longest file that is still easy to read. */
const longestFile = 200;

function groupByFile(shared: readonly Placed[], own: readonly Placed[], catalogue: Catalogue): readonly Draft[] {
  return [...grouped([...shared, ...own], ({ folder }) => folder)]
    .toSorted(([a], [b]) => compareTexts(a.path, b.path))
    .flatMap(([folder, placed]) => {
      const drafts = placed.map(({ draft }) => draft);
      const isTogether = folder.path !== "" && drafts.length > 1 && isShort(drafts, catalogue);
      const file = fileOf({ name: folder.path });
      return isTogether ? drafts.map((draft) => ({ ...draft, file })) : drafts;
    });
}

function isShort(drafts: readonly Draft[], catalogue: Catalogue): boolean {
  let lines = 0;
  return drafts.every((draft) => {
    lines += policyFileText([draft], "", catalogue).split("\n").length;
    return lines <= longestFile;
  });
}

/** Uses one spelling of each file name, for case-insensitive file systems. */
export function inOneSpelling(drafts: readonly Draft[]): readonly Draft[] {
  const first = new Map(drafts.toReversed().map(({ file }) => [file.toLowerCase(), file]));
  return drafts.map((draft) => ({ ...draft, file: first.get(draft.file.toLowerCase()) ?? draft.file }));
}

/** The file of a kind if it is a singleton. */
function singletonFile(catalogue: Catalogue, kind: Kind): ResourceKind | undefined {
  const { file } = kindOf(catalogue, kind);
  return file && isSingleton(file) ? file : undefined;
}

/** Splits each singleton into an entry per field, shared separately; its remarks become those of the project. */
function splitByField(imported: ImportedProject, catalogue: Catalogue): ImportedProject {
  const remarks = [...imported.remarks];
  const entries = imported.entries.flatMap((entry) => {
    const file = singletonFile(catalogue, entry.kind);
    if (!file) return entry;
    remarks.push(...entry.remarks.map((remark) => `${file.singular}: ${remark}`));
    return [...entry.fields].map((field) => ({ ...entry, fields: new Map([field]), remarks: [] }));
  });
  return { ...imported, entries, remarks };
}

/** Joins the fields of each singleton into one entry. */
function joinSingletons(entries: readonly ImportedEntry[], catalogue: Catalogue): readonly ImportedEntry[] {
  return [...grouped(entries, (entry) => identityOf(catalogue, entry)).values()].flatMap((parts) => {
    const [first] = parts;
    if (!singletonFile(catalogue, first.kind)) return parts;
    return { ...first, fields: new Map(parts.flatMap((part) => [...part.fields])) };
  });
}
