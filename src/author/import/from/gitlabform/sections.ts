import table from "../../../../../schemas/coming-from/gitlabform.json" with { type: "json" };
import { isObject, type JsonObject } from "../../../../base/json.ts";
import type { Owner } from "../../../../model/owner.ts";
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
const flags: ReadonlySet<string> = new Set([
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

/** Whether a value is null, or an empty mapping. */
export function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

/** The value of a key of a mapping, or of an index of a list. */
export function stepInto(at: unknown, part: string): unknown {
  return isObject(at) || Array.isArray(at) ? (at as JsonObject)[part] : undefined;
}

/** Further booleans of YAML 1.1. */
export const truths: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["on", true],
  ["no", false],
  ["off", false],
]);

/** A word of YAML 1.1 as the boolean that it is there. Other keys need the type of their field for it. */
function flagOf(key: string, value: unknown): unknown {
  return typeof value === "string" && flags.has(key) ? (truths.get(value.toLowerCase()) ?? value) : value;
}

/** Limits of a configuration with aliases expanded. */
const mostValues = 200_000;
const mostLevels = 50;

/**
 * Resolves merge keys: own keys win, then the first of several mappings.
 * @throws RangeError where aliases make it huge or recursive.
 */
export function flattened(value: unknown, isYaml11: boolean): unknown {
  let count = 0;
  const read = isYaml11 ? flagOf : (_key: string, each: unknown) => each;
  const copy = (each: unknown, depth: number): unknown => {
    if (++count > mostValues) throw new RangeError(`aliases make this more than ${mostValues} values`);
    if (depth > mostLevels) throw new RangeError("aliases make this part of itself");
    if (Array.isArray(each)) return each.map((item) => copy(item, depth + 1));
    return isObject(each) ? members(each, depth) : each;
  };
  const members = (object: JsonObject, depth: number): JsonObject => {
    const { "<<": brought, ...own } = object;
    const sources = (Array.isArray(brought) ? brought : [brought]).filter(isObject);
    const inherited = sources.toReversed().map((source) => copy(source, depth + 1));
    const copied = Object.entries(own).map(([key, each]) => [key, read(key, copy(each, depth + 1))] as const);
    // Not by assignment: `__proto__` is a key like any other here.
    return Object.fromEntries([...inherited.filter(isObject).flatMap(Object.entries), ...copied]);
  };
  return copy(value, 0);
}
