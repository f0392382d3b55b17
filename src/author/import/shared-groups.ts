import { grouped } from "../../base/grouped.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf, policyKind } from "../../model/kinds.ts";
import { isSingleton, type ResourceKind } from "../../model/resource-kind.ts";
import type { Kind, Project } from "../../model/types.ts";
import { type Folder, globBelow, type Occurrence, type Placement } from "./placement.ts";
import type { ImportedEntry, ImportedProject } from "./policy.ts";

/** A declaration for several projects. */
interface SharedOccurrence<T> {
  readonly first: Occurrence<T>;
  readonly occurrences: readonly Occurrence<T>[];
}

/** The declarations of one policy, all for the same projects. */
export interface Group<T> extends Selected {
  /** Equal for the same projects. */
  readonly key: string;
  readonly folder: Folder;
  readonly shared: SharedOccurrence<T>[];
}

/** The projects of a policy. */
interface Selected {
  /** Globs of whole folders. */
  readonly globs: readonly string[];
  readonly listed: readonly Project[];
  /** Projects that are excluded from the globs. */
  readonly except: readonly Project[];
}

/** The number of projects that a policy names. */
export function countNamed({ listed, except }: Selected): number {
  return listed.length + except.length;
}

/** Converts placements to policies, each for the folders, projects and exceptions that take the fewest lines. */
export function sharedGroups<T>(
  placements: readonly Grouping<T>[],
  isNotImported: (project: Project) => boolean,
  foldersAbove: (project: Project) => readonly Folder[],
): readonly Group<T>[] {
  const groups = new Map<string, Group<T>>();
  for (const { placement, isUnaffected } of placements) {
    for (const [folder, occurrences] of placement.shared) {
      const [first] = occurrences;
      if (!first) continue;
      const selected = selectProjects(folder, occurrences, { isUnaffected, isNotImported, foldersAbove });
      addGroup(groups, folder, selected, { first, occurrences });
    }
  }
  return [...groups.values()];
}

function addGroup<T>(
  groups: Map<string, Group<T>>,
  folder: Folder,
  selected: Selected,
  shared: SharedOccurrence<T>,
): void {
  const { globs, listed, except } = selected;
  const key = JSON.stringify([globs, [listed, except].map((each) => each.map(({ name }) => name))]);
  const group = groups.get(key) ?? { key, folder, ...selected, shared: [] };
  group.shared.push(shared);
  groups.set(key, group);
}

/** The declarations of one resource, and the projects that must not have it. */
export interface Grouping<T> {
  readonly placement: Placement<T>;
  readonly isUnaffected: (project: Project) => boolean;
}

/** The weight of an exception for a project that was not imported. */
const foreignWeight = 4;

interface Membership {
  readonly isUnaffected: (project: Project) => boolean;
  readonly isNotImported: (project: Project) => boolean;
  readonly foldersAbove: (project: Project) => readonly Folder[];
}

/** A folder whose projects are to be selected. */
interface Part {
  readonly folder: Folder;
  readonly children: Map<Folder, Part>;
  /** Members directly in the folder. */
  readonly members: Project[];
}

function selectProjects<T>(folder: Folder, occurrences: readonly Occurrence<T>[], membership: Membership): Selected {
  const root: Part = { folder, children: new Map(), members: [] };
  for (const { project } of occurrences) {
    let part = root;
    for (const below of membership.foldersAbove(project).slice(folder.depth + 1)) {
      const child = part.children.get(below) ?? { folder: below, children: new Map(), members: [] };
      part.children.set(below, child);
      part = child;
    }
    part.members.push(project);
  }
  return selectPart(root, membership).selected;
}

/** The cheapest selection of a folder's members: its glob with exceptions, or the selections of what is in it. */
function selectPart(
  { folder, children, members }: Part,
  membership: Membership,
): { readonly cost: number; readonly selected: Selected } {
  const glob = globBelow(folder);
  const except = folder.projects.filter(membership.isUnaffected);
  const weight = except.reduce((sum, project) => sum + (membership.isNotImported(project) ? foreignWeight : 1), 0);
  const whole = { cost: 1 + weight, selected: { globs: glob === undefined ? [] : [glob], listed: [], except } };
  if (glob !== undefined && weight === 0) return whole;
  const below = [...children.values()].map((child) => selectPart(child, membership));
  const cost = below.reduce((sum, each) => sum + each.cost, members.length);
  if (glob !== undefined && whole.cost <= cost) return whole;
  const all = below.map(({ selected }) => selected);
  return {
    cost,
    selected: {
      globs: all.flatMap(({ globs }) => globs),
      listed: [...members, ...all.flatMap(({ listed }) => listed)],
      except: all.flatMap((each) => each.except),
    },
  };
}

/** The longest list of projects that is easy to maintain by hand. */
const longestList = 20;

/** Groups of a few projects with equal declarations, in any folder. */
export function listsOf<T>(
  occurrences: readonly Occurrence<T>[],
  identityOfOccurrence: (occurrence: Occurrence<T>) => string,
  folderOf: (projects: readonly Project[]) => Folder,
): readonly Group<T>[] {
  const groups = new Map<string, Group<T>>();
  for (const equal of grouped(occurrences, (occurrence) =>
    JSON.stringify([identityOfOccurrence(occurrence), occurrence.form]),
  ).values()) {
    const [first] = equal;
    if (!first || equal.length < 2 || equal.length > longestList) continue;
    const listed = equal.map(({ project }) => project);
    addGroup(groups, folderOf(listed), { globs: [], listed, except: [] }, { first, occurrences: equal });
  }
  return [...groups.values()];
}

/** Lines of a policy apart from its entries. */
const frame = 6;

/**
 * Keeps only groups that save lines; projects of the others declare everything themselves. Only groups with exceptions or
 * lists are compared, because a policy for a whole folder also applies to future projects.
 */
export function groupsThatSaveLines<T>(
  groups: readonly Group<T>[],
  alone: readonly Occurrence<T>[],
): { readonly groups: readonly Group<T>[]; readonly own: readonly Occurrence<T>[] } {
  const weighed = groups.filter((group) => countNamed(group) > 0);
  const grouping = new Set(weighed.flatMap(listOccurrences));
  const declaring = new Set(alone.filter((occurrence) => !grouping.has(occurrence)).map(({ project }) => project));
  const counts = new Map<Project, number>();
  for (const { project } of grouping) counts.set(project, (counts.get(project) ?? 0) + 1);
  const own = new Set(alone);
  const refused = new Set(
    weighed.filter((group) => {
      const occurrences = listOccurrences(group);
      const frames = occurrences.map(({ project }) =>
        declaring.has(project) ? 0 : frame / (counts.get(project) ?? 1),
      );
      const separate = occurrences.reduce((sum, { lines }, index) => sum + lines + (frames[index] ?? 0), 0);
      const together = group.shared.reduce((sum, { first }) => sum + first.lines, frame + countNamed(group));
      const isRefused = together >= separate;
      for (const occurrence of occurrences) {
        if (isRefused) own.add(occurrence);
        else own.delete(occurrence);
        if (isRefused) declaring.add(occurrence.project);
      }
      return isRefused;
    }),
  );
  return { groups: groups.filter((group) => !refused.has(group)), own: [...own] };
}

function listOccurrences<T>({ shared }: Group<T>): readonly Occurrence<T>[] {
  return shared.flatMap(({ occurrences }) => occurrences);
}

/** An entry as it could be shared, and the original. */
export interface EntryVariant {
  readonly entry: ImportedEntry;
  readonly original: ImportedEntry;
}

/** Equal for entries that one policy can declare. */
export function formOf({ fields, remarks }: ImportedEntry): string {
  return JSON.stringify([[...fields], remarks]);
}

/** The file of a kind if it is a singleton. */
function singletonFile(catalogue: Catalogue, kind: Kind): ResourceKind | undefined {
  const { file } = kindOf(catalogue, kind);
  return file && isSingleton(file) ? file : undefined;
}

/** True if each field is an entry of its own, because policies layer fields separately. */
function isByField(catalogue: Catalogue, kind: Kind): boolean {
  return singletonFile(catalogue, kind) !== undefined;
}

/** True if each entry has one value, which takes one line of a policy. */
export function hasOneValue(catalogue: Catalogue, kind: Kind): boolean {
  return policyKind(catalogue, kind)?.only !== undefined || isByField(catalogue, kind);
}

/**
 * Splits each singleton into an entry per field, so that fields are shared separately; remarks on the singleton become
 * the project's.
 */
export function splitByField(imported: ImportedProject, catalogue: Catalogue): ImportedProject {
  const whole = imported.entries.filter(({ kind }) => isByField(catalogue, kind));
  if (whole.length === 0) return imported;
  return {
    ...imported,
    entries: imported.entries.flatMap((entry) =>
      isByField(catalogue, entry.kind)
        ? [...entry.fields].map((field) => ({ ...entry, fields: new Map([field]), remarks: [] }))
        : entry,
    ),
    remarks: [
      ...imported.remarks,
      ...whole.flatMap(({ kind, remarks }) =>
        remarks.map((remark) => `${singletonFile(catalogue, kind)?.singular}: ${remark}`),
      ),
    ],
  };
}

/** Equal for entries with the same declaration. */
export function declarationOf(catalogue: Catalogue, entry: ImportedEntry): string {
  const [field] = isByField(catalogue, entry.kind) ? entry.fields.keys() : [];
  return `${identityOf(catalogue, entry)} ${field ?? ""}`;
}

/** Joins the fields of each singleton into one entry, in the order of its file. */
export function joinSingletons(entries: readonly ImportedEntry[], catalogue: Catalogue): readonly ImportedEntry[] {
  return [...grouped(entries, (entry) => identityOf(catalogue, entry)).values()].flatMap((parts) => {
    const [first] = parts;
    const file = first && singletonFile(catalogue, first.kind);
    if (!first || !file) return parts;
    const order = Object.keys(file.fields.properties);
    const fields = parts.flatMap((part) => [...part.fields]);
    return { ...first, fields: new Map(fields.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))) };
  });
}
