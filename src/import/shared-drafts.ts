import { grouped } from "../base/grouped.ts";
import { compareTexts } from "../base/text.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Project } from "../model/types.ts";
import type { Folder, Folders } from "./folders.ts";
import { byOrder } from "./import-project.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";
import { fileOf } from "./names.ts";
import { type Draft, policyText } from "./policy.ts";
import { selectorFor } from "./project-drafts.ts";
import type { Group } from "./shared-groups.ts";
import type { EntryVariant, VariableValue } from "./variables.ts";

/** All settings of a fleet, and where each is declared. */
export interface FleetSettings {
  readonly imported: readonly ImportedProject[];
  readonly folders: Folders;
  readonly entries: readonly Group<EntryVariant>[];
  readonly variables: readonly Group<VariableValue>[];
  readonly own: ReadonlyMap<Project, readonly ImportedEntry[]>;
  readonly ownVariables: ReadonlyMap<Project, readonly VariableValue[]>;
  readonly catalogue: Catalogue;
}

/** A draft and the folder with whose policies it belongs into a file. */
interface Placed {
  readonly folder: Folder;
  readonly draft: Draft;
}

/**
 * The drafts of policies for several projects, the widest first, and of those for one; drafts of one file stand
 * together. What a folder's projects declare themselves follows the policy of the folder, unless that makes a long file.
 */
export function draftsOfFleet(content: FleetSettings): readonly Draft[] {
  const shared = sharedDrafts(content);
  const homes = new Map(shared.map(({ folder }, index) => [folder, index]));
  const remarks = new Map<number, Remark[]>();
  const own = content.imported.flatMap((each): Placed[] => {
    const chain = content.folders.get(each.project) ?? [];
    const folder = chain.at(-1);
    const draft = ownDraft(each, content);
    if (!folder || draft.entries.length + (draft.variables?.length ?? 0) + draft.remarks.length === 0) return [];
    const home = homes.get(chain.findLast((above) => homes.has(above)) ?? folder);
    if (home === undefined || draft.entries.length + (draft.variables?.length ?? 0) > 0) return [{ folder, draft }];
    const kept = remarks.get(home) ?? [];
    kept.push(...draft.remarks.map((remark) => ({ remark, name: draft.name })));
    remarks.set(home, kept);
    return [];
  });
  const told = shared.map((each, index): Placed => {
    return { ...each, draft: { ...each.draft, remarks: summed(remarks.get(index) ?? []) } };
  });
  return inOneSpelling(filed(told, own));
}

interface Remark {
  readonly remark: string;
  readonly name: string;
}

/** Each sentence once, with the projects of which it is true. */
function summed(remarks: readonly Remark[]): readonly string[] {
  return [...grouped(remarks, ({ remark }) => remark)].map(([remark, [first, ...others]]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return `${first?.name}${more}: ${remark}`;
  });
}

function sharedDrafts({ imported, entries, variables, catalogue }: FleetSettings): readonly Placed[] {
  const taken = new Set(imported.map(({ project }) => project.name.toLowerCase()));
  const groups = grouped([...entries, ...variables], ({ key }) => key);
  const entriesBy = new Map(entries.map(({ key, shared }) => [key, shared]));
  const variablesBy = new Map(variables.map(({ key, shared }) => [key, shared]));
  const sorted = [...groups].flatMap(([key, [group]]) => (group ? [{ key, group }] : [])).toSorted(byFolder);
  return sorted.map(({ key, group }) => {
    const { folder, glob, named } = group;
    const listed = named.map(selectorFor);
    const content = (entriesBy.get(key) ?? []).map(({ first }) => first.content.entry).toSorted(byOrder(catalogue));
    const draft: Draft = {
      file: folder.path === "" ? "shared.yaml" : fileOf({ name: folder.path }),
      name: nameFor(
        group,
        content.map((entry) => entry.key),
        taken,
      ),
      projects: glob === undefined ? listed : [glob],
      except: glob === undefined ? [] : listed,
      variables: (variablesBy.get(key) ?? []).map(({ first }) => first.content).toSorted(byName),
      heading: [],
      entries: content,
      remarks: [],
    };
    return { folder, draft };
  });
}

/** The first policy for all of a folder has its name; others add the key of their first entry. */
function nameFor({ folder: { path }, glob }: Group<unknown>, keys: readonly string[], taken: Set<string>): string {
  const plain = path === "" ? "shared" : path;
  const [word = ""] = keys;
  if (word === "" || (glob !== undefined && !taken.has(plain.toLowerCase()))) return freeName(plain, taken);
  return freeName(`${plain}-${word.replace(/[^\w.-]+/g, "-")}`, taken);
}

/** The widest first; what is for all of a folder before what is for some of it. */
function byFolder(
  { group: a }: { readonly group: Group<unknown> },
  { group: b }: { readonly group: Group<unknown> },
): number {
  return compareTexts(a.folder.path, b.folder.path) || a.named.length - b.named.length || compareTexts(a.key, b.key);
}

function byName(a: VariableValue, b: VariableValue): number {
  return compareTexts(a.name, b.name);
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${wanted}-${count}`;
  taken.add(name.toLowerCase());
  return name;
}

function ownDraft({ project, remarks }: ImportedProject, { own, ownVariables, catalogue }: FleetSettings): Draft {
  return {
    file: fileOf(project),
    name: project.name,
    projects: [selectorFor(project)],
    except: [],
    variables: (ownVariables.get(project) ?? []).toSorted(byName),
    heading: [],
    entries: (own.get(project) ?? []).toSorted(byOrder(catalogue)),
    remarks,
  };
}

/** A file of more lines is hard to find one's way in. */
const longestFile = 200;

function filed(shared: readonly Placed[], own: readonly Placed[]): readonly Draft[] {
  const byFolder = new Map([...grouped(shared, ({ folder }) => folder)]);
  const ownByFolder = grouped(own, ({ folder }) => folder);
  const folders = new Set([...byFolder.keys(), ...ownByFolder.keys()]);
  return [...folders]
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .flatMap((folder) => {
      const above = (byFolder.get(folder) ?? []).map(({ draft }) => draft);
      const below = (ownByFolder.get(folder) ?? []).map(({ draft }) => draft);
      const isTogether = folder.path !== "" && above.length + below.length > 1 && isShort([...above, ...below]);
      const file = fileOf({ name: folder.path });
      return isTogether ? [...above, ...below].map((draft) => ({ ...draft, file })) : [...above, ...below];
    });
}

function isShort(drafts: readonly Draft[]): boolean {
  let lines = 0;
  return drafts.every((draft) => {
    lines += policyText(draft, "").split("\n").length;
    return lines <= longestFile;
  });
}

/** Where case does not count in the names of files, two would else be one. */
function inOneSpelling(drafts: readonly Draft[]): readonly Draft[] {
  const first = new Map<string, string>();
  for (const { file } of drafts) if (!first.has(file.toLowerCase())) first.set(file.toLowerCase(), file);
  return drafts.map((draft) => ({ ...draft, file: first.get(draft.file.toLowerCase()) ?? draft.file }));
}
