import { takeName } from "../../base/free-name.ts";
import { grouped } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { type Owner, ownerName, ownerOfName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import { byOrder } from "./import-project.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";
import { fileOf } from "./names.ts";
import type { Folder, Folders } from "./placement.ts";
import { type Draft, policyText } from "./policy.ts";
import { selectorFor } from "./project-drafts.ts";
import type { Group } from "./shared-groups.ts";
import { type EntryVariant, joinedByField } from "./singleton-fields.ts";

/** The settings of all projects, and where each is declared. */
export interface FleetSettings {
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
export function draftsOfFleet(content: FleetSettings): readonly Draft[] {
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
    const kept = remarks.get(policyIndex) ?? [];
    kept.push(...draft.remarks.map((remark) => ({ remark, name: draft.name })));
    remarks.set(policyIndex, kept);
    return [];
  });
  const reported = shared.map((each, index): Placed => {
    return { ...each, draft: { ...each.draft, remarks: summed(remarks.get(index) ?? []) } };
  });
  return filed(reported, own, content.catalogue);
}

interface Remark {
  readonly remark: string;
  readonly name: string;
}

/** Groups equal remarks of several projects. */
function summed(remarks: readonly Remark[]): readonly string[] {
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
    const { folder, glob, named } = group;
    const listed = named.map(selectorFor);
    const entriesOfAll = group.shared.map(({ first }) => first.content.entry);
    const content = joinedByField(entriesOfAll, catalogue).toSorted(byOrder(catalogue));
    const draft: Draft = {
      file: folder.path === "" ? "shared.yaml" : fileOf({ name: folder.path }),
      name: nameFor(
        group,
        owner,
        content.map((entry) => entry.key),
        taken,
      ),
      projects: glob === undefined ? listed : [ownerName(owner, glob)],
      except: glob === undefined ? [] : listed,
      heading: [],
      entries: content,
      remarks: [],
    };
    return { folder, draft };
  });
}

/** The first policy for a whole folder has the folder's name; others append the key of their first entry. */
function nameFor(
  { folder: { path }, glob }: Group<unknown>,
  owner: Owner,
  keys: readonly string[],
  taken: Set<string>,
): string {
  const folder = path === "" ? "shared" : path;
  const plain = owner === "group" ? `${folder}-groups` : folder;
  const [word = ""] = keys;
  const isPlain = word === "" || (glob !== undefined && !taken.has(plain.toLowerCase()));
  return takeName(isPlain ? plain : `${plain}-${word.replace(/[^\w.-]+/g, "-")}`, taken);
}

/** Sorts the widest first, and whole folders before parts of them. */
function byFolder(a: Group<unknown>, b: Group<unknown>): number {
  return compareTexts(a.folder.path, b.folder.path) || a.named.length - b.named.length || compareTexts(a.key, b.key);
}

function ownDraft({ project, remarks }: ImportedProject, { own, catalogue }: FleetSettings): Draft {
  return {
    file: fileOf(project),
    name: project.name,
    projects: [selectorFor(project)],
    except: [],
    heading: [],
    entries: joinedByField(own.get(project) ?? [], catalogue).toSorted(byOrder(catalogue)),
    remarks,
  };
}

/** Lines of the longest file that is still easy to read. */
const longestFile = 200;

function filed(shared: readonly Placed[], own: readonly Placed[], catalogue: Catalogue): readonly Draft[] {
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
