import shared from "../../../../schemas/coming-from/shared.json" with { type: "json" };
import { canonical, isObject } from "../../../base/json.ts";
import { memoized } from "../../../base/memoize.ts";
import { policyKinds } from "../../../model/kinds.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Kind, Problem } from "../../../model/types.ts";
import { type ForeignChoice, type ForeignValue, isIdOf, notImported } from "./foreign.ts";

/** Another tool's section or resource, in the words of policies (schemas/coming-from). */
export interface FieldTable {
  /** The section of policies; omitted for one that has only sections within it. */
  readonly section?: string;
  /** The owner of the policies; default: projects. */
  readonly of?: Owner;
  /** Shared rules for its fields. */
  readonly like?: string;
  readonly fields?: Rules;
}

/** The rules of fields: a new name; null for a field that is not a setting; or how its value is written. */
type Rules = Readonly<Record<string, string | null | FieldRule>>;

interface FieldRule {
  readonly as?: string;
  /** The reason why it is left out. */
  readonly left?: string;
  /** An older boolean whose field is an access level now. */
  readonly level?: true;
  /** An older boolean of opposite meaning. */
  readonly not?: true;
  /** Other names of properties of its items; true: the shared ones. */
  readonly items?: true | ItemNames;
  /** The list that it is added to as an item, if the list is declared too; `item` is its property there. */
  readonly into?: string;
  readonly item?: string;
  /** A prefix to remove. */
  readonly trim?: string;
  /** A list that is one text with commas. */
  readonly commas?: true;
  /** For a mapping with only this property: it is replaced by the property's value. */
  readonly unwrap?: string;
  /** For a mapping that becomes a list of its values: the property that gets its keys. */
  readonly keyed?: string;
  /** Its values may be names of colors. */
  readonly color?: true;
  /** A pattern of values that the tool itself replaces, and the reason why they are left out. */
  readonly unless?: string;
  readonly why?: string;
  /** Marks on the items of a list: to remove an item, and to keep existing ones. */
  readonly marks?: Marks;
}

export interface Marks {
  readonly removed: string;
  readonly kept: string;
}

/** The new names of properties; null if they are not settings. */
type ItemNames = Readonly<Record<string, string | null>>;

type Fields = ReadonlyMap<string, ForeignValue>;

/** The kind of a section of policies. @throws RangeError for an unknown section, an internal error. */
export function kindInSection({ catalogue }: Pick<ForeignChoice, "catalogue">, { section, of }: FieldTable): Kind {
  const found = policyKinds(catalogue, of).find((each) => each.section === section);
  if (!found) throw new RangeError(`policies have no ${section}`);
  return found.kind;
}

const sharedRules = shared.fields as unknown as Readonly<Record<string, Rules>>;

/** All rules of a table, as mappings; null for fields that are not settings. */
export const rulesOf = memoized(
  ({ like, fields }: Pick<FieldTable, "like" | "fields">): Readonly<Record<string, FieldRule | null>> => {
    const rules = Object.entries({ ...(like && sharedRules[like]), ...fields });
    return Object.fromEntries(rules.map(([name, rule]) => [name, typeof rule === "string" ? { as: rule } : rule]));
  },
  new WeakMap(),
);

/** The rule of a field by a name from a file, which may be `toString`. */
function ruleOf(table: FieldTable, name: string): FieldRule | null {
  const rules = rulesOf(table);
  return Object.hasOwn(rules, name) ? (rules[name] ?? null) : {};
}

const sharedNeeds = shared.needs as Readonly<Record<string, readonly (readonly string[])[]>>;

/** Groups of fields. If a source sets one of a group, one must be imported: without it, more people would have access. */
export function neededFields({ like = "" }: FieldTable): readonly (readonly string[])[] {
  return sharedNeeds[like] ?? [];
}

/** The fields in the names of the kind, and the reasons why others are left out. */
export function renamedFields(table: FieldTable, title: string, given: Fields) {
  const fields = new Map<string, ForeignValue>();
  const problems: Problem[] = [];
  const named: string[] = [];
  // Older names whose values differ from those of the current names, which take precedence.
  const overruled = new Map<string, string>();
  for (const [written, stated] of given) {
    const rule = ruleOf(table, written);
    if (rule === null) continue;
    const value = modernize(rule, stated);
    const own = rule.as ?? written;
    const winning = own === written ? undefined : given.get(own);
    if (winning && canonical(winning.value) !== canonical(value.value)) {
      // An older boolean has the same meaning as each level that is not `disabled`.
      const areKnown = winning.unknown === undefined && value.unknown === undefined;
      const isSameLevel = rule.level && areKnown && (winning.value === "disabled") === (value.value === "disabled");
      if (!isSameLevel) overruled.set(written, own);
      continue;
    }
    const isReplaced = typeof value.value === "string" && new RegExp(rule.unless ?? "(?!)").test(value.value);
    const why = rule.left ?? (isReplaced ? rule.why : undefined);
    if (why === undefined) {
      const from = [...(fields.get(own)?.from ?? []), ...(value.from ?? [])];
      fields.set(own, { ...convert(rule, written, value), from });
    } else if (value.unknown !== undefined || (value.value !== null && value.value !== undefined)) {
      named.push(written);
      problems.push(notImported(value.place(), `${written} of ${title} is left out: ${why}`));
    }
  }
  for (const [name, rule] of Object.entries(rulesOf(table))) if (rule?.into) join(fields, name, rule);
  return { fields, named, problems, overruled };
}

/** Converts an older boolean to the value of its current field. */
function modernize({ level, not }: FieldRule, stated: ForeignValue): ForeignValue {
  const { unknown, value } = stated;
  if (unknown !== undefined || typeof value !== "boolean") return stated;
  if (not) return { ...stated, value: !value };
  return level ? { ...stated, value: value ? "enabled" : "disabled" } : stated;
}

/** Converts a value to the form of the kind. */
function convert(rule: FieldRule, name: string, stated: ForeignValue): ForeignValue {
  if (stated.unknown !== undefined) return stated;
  const { color, commas, unwrap, trim, items, keyed } = rule;
  let { value } = stated;
  if (isIdName(name)) value = withIds(value);
  if (color && typeof value === "string") value = colors.get(value.toLowerCase()) ?? value;
  if (commas && Array.isArray(value)) value = value.join(",");
  if (unwrap !== undefined) value = withoutWraps(value, unwrap);
  if (trim !== undefined && typeof value === "string" && value.startsWith(trim)) value = value.slice(trim.length);
  if (keyed !== undefined && isObject(value))
    value = Object.entries(value).map(([key, each]) => (isObject(each) ? { [keyed]: key, ...each } : each));
  if (items) value = withRenamedItems(value, itemNames(items));
  const id = findIdOf(value);
  return id === undefined ? { ...stated, value } : { ...stated, value, unknown: `the ID of ${id}` };
}

/** The name of a resource whose ID is part of a value that takes no name. */
function findIdOf(value: unknown): string | undefined {
  if (isIdOf(value)) return value.name;
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return parts.map(findIdOf).find((id) => id !== undefined);
}

const colors = new Map<string, string>(Object.entries(shared.colors));

/** Fields of IDs: the tools take digits too, which as a text would be the name of a user or a group. */
function isIdName(name: string): boolean {
  return /_ids?$/.test(name);
}

/** IDs as numbers; a reference to a resource of the same files by its name. */
export function withIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIds);
  if (isIdOf(value)) return value.name;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function withoutWraps(value: unknown, own: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutWraps(each, own));
  if (!isObject(value)) return value;
  const pairs = Object.entries(value);
  const [[name, inner] = []] = pairs;
  if (pairs.length === 1 && name === own) return inner;
  return Object.fromEntries(pairs.map(([key, each]) => [key, withoutWraps(each, own)]));
}

function itemNames(items: true | ItemNames): ItemNames {
  return items === true ? shared.items : items;
}

function withRenamedItems(value: unknown, names: ItemNames): unknown {
  if (Array.isArray(value)) return value.map((item) => withRenamedItems(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const own = renameProperty(names, value, name);
      return own === undefined ? [] : [[own, isIdName(name) ? withIds(each) : each]];
    }),
  );
}

/** The new name of a property; undefined if it is no setting, or the item also has the property under the new name. */
function renameProperty(names: ItemNames, item: object, written: string): string | undefined {
  const own = Object.hasOwn(names, written) ? names[written] : written;
  const isTwice = typeof own === "string" && own !== written && Object.hasOwn(item, own);
  return isTwice ? undefined : (own ?? undefined);
}

/** Nested properties that are not imported: empty ones, those that are not settings, and those with another name. */
export function lostIn(table: FieldTable, field: string, value: unknown): readonly (readonly string[])[] {
  return lostParts(itemNames(ruleOf(table, field)?.items ?? {}), value);
}

function lostParts(names: ItemNames, value: unknown): readonly (readonly string[])[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => lostParts(names, item).map((path) => [String(index), ...path]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]): (readonly string[])[] => {
    if (each === null || renameProperty(names, value, name) === undefined) return [[name]];
    return lostParts({}, each).map((path) => [name, ...path]);
  });
}

/** Joins a level and a list into one field: the API takes either, the tools take both. */
function join(fields: Map<string, ForeignValue>, name: string, { into = "", item = "" }: FieldRule): void {
  const [level, others] = [fields.get(name), fields.get(into)];
  if (!level || !others || [level, others].some(({ unknown }) => unknown !== undefined)) return;
  if (!Array.isArray(others.value) || others.value.length === 0) return;
  fields.delete(name);
  const from = [...(level.from ?? []), ...(others.from ?? [])];
  const isThere = others.value.some((each) => isObject(each) && each[item] === level.value);
  const value = isThere ? others.value : [{ [item]: level.value }, ...others.value];
  fields.set(into, { ...others, from, value });
}
