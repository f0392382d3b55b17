import table from "../../../../schemas/coming-from/gitlabform.json" with { type: "json" };
import type { Owner } from "../../../model/owner.ts";
import type { FieldTable } from "../field-table.ts";

/** A section of a configuration, and the kind of resource that it declares. */
export interface SectionTable extends FieldTable {
  /** The field that the keys of the section are, if its values do not contain it. */
  readonly key?: string;
  /** Whether the whole section is one resource. */
  readonly one?: true;
  /** Lists in which items may be marked: the marks that remove one, and that keep those that are there. */
  readonly marked?: Readonly<Record<string, { readonly removed: string; readonly kept: string }>>;
  /** Values of fields that mean removal; the fields themselves are no settings. */
  readonly absent?: Readonly<Record<string, unknown>>;
}

const sections = new Map<string, SectionTable>(Object.entries(table.sections as Record<string, SectionTable>));

/** The table of a section; undefined for integrations, and for sections that policies are not about. */
export function sectionTable(section: string): SectionTable | undefined {
  return sections.get(section);
}

/** The section, and its flag, that archive projects: gitlabform reads nothing else of those. */
export const archiving = table.archiving;

/** Keys that are true or false, wherever they stand. */
export const flags: ReadonlySet<string> = new Set([
  ...table.flags,
  ...Array.from(sections.values()).flatMap(({ absent = {}, marked = {} }) => [
    ...Object.keys(absent),
    ...Object.values(marked).flatMap(({ removed, kept }) => [removed, kept]),
  ]),
]);

/** The sections that become resources of kinds that are files. */
export const resourceSections: readonly string[] = [...sections.keys()];

/** Whether a section is about projects or about groups. */
export function ownerOfSection(section: string): Owner {
  return sections.get(section)?.of ?? "project";
}

/** Keys beside projects_and_groups that declare something. */
export const otherKeys: readonly string[] = table.others;

/** Names one resource of a section; the name is empty for a section that is one resource. */
export function idOf(section: string, name: string): string {
  return `${section}/${name}`;
}

/** The section and the name of {@link idOf}. */
export function sectionAndName(id: string): readonly [section: string, name: string] {
  const at = id.indexOf("/");
  return [id.slice(0, at), id.slice(at + 1)];
}
