import named from "../../../../schemas/coming-from/colors.json" with { type: "json" };
import { canonical, isObject } from "../../../base/json.ts";
import { policyKinds } from "../../../model/kinds.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Kind, Problem } from "../../../model/types.ts";
import { type ForeignChoice, type ForeignValue, notImported } from "./foreign.ts";

/** Maps the fields of another tool's section or resource to those of a kind (schemas/coming-from). */
export interface FieldTable {
  /** The section of policies. */
  readonly section: string;
  /** The owner of the policies; default: projects. */
  readonly of?: Owner;
  /** Fields with another name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Properties of the items of lists with another name, by the field of the list. */
  readonly items?: Readonly<Record<string, ItemNames>>;
  /** Fields that become an item of a list, if the list is declared too. */
  readonly joined?: Readonly<Record<string, { readonly list: string; readonly as: string }>>;
  /** A prefix to remove from values. */
  readonly trimmed?: Readonly<Record<string, string>>;
  /** Lists that are one text with commas. */
  readonly commas?: readonly string[];
  /** Mappings in which every mapping of this one property is the property itself. */
  readonly unwrapped?: Readonly<Record<string, string>>;
  /** Older booleans with their access level. */
  readonly levels?: Readonly<Record<string, string>>;
  /** Older booleans with the field of opposite meaning. */
  readonly opposites?: Readonly<Record<string, string>>;
  /** Fields whose values may be names of colors. */
  readonly colors?: readonly string[];
  /** Patterns of values that the tool itself replaces, with the reason why they are left out. */
  readonly replaced?: Readonly<Record<string, { readonly pattern: string; readonly why: string }>>;
  /** Omitted fields, with the reason. */
  readonly ignored?: Readonly<Record<string, string>>;
  /** Fields that are not settings, such as IDs of the tool; not reported. */
  readonly own?: readonly string[];
}

/** The new names of properties; null if they are not settings. */
type ItemNames = Readonly<Record<string, string | null>>;

type Fields = ReadonlyMap<string, ForeignValue>;

/** The kind of a section of policies; undefined if there is no such section. */
export function kindInSection(
  { catalogue }: Pick<ForeignChoice, "catalogue">,
  { section, of }: Pick<FieldTable, "section" | "of">,
): Kind | undefined {
  return policyKinds(catalogue, of).find((each) => each.section === section)?.kind;
}

/** Fields in the names of a kind. */
interface RenamedFields {
  readonly fields: Fields;
  /** The names of the fields for messages. */
  readonly named: readonly string[];
  readonly problems: readonly Problem[];
  /** Older names whose values differ from those of the current names, which take precedence. */
  readonly overruled: ReadonlyMap<string, string>;
}

/** The fields in the names of the kind, and the reasons why others are left out. */
export function renamedFields(table: FieldTable, title: string, given: Fields): RenamedFields {
  const fields = new Map<string, ForeignValue>();
  const problems: Problem[] = [];
  const named: string[] = [];
  const overruled = new Map<string, string>();
  for (const [written, stated] of given) {
    const { name, value } = modern(table, written, stated);
    const own = ownOf(table.fields, name) ?? name;
    const winning = own === written ? undefined : given.get(own);
    if (winning && canonical(winning.value) !== canonical(value.value)) {
      if (!isSameLevel(table, written, [winning, value])) overruled.set(written, own);
      continue;
    }
    const why = ownOf(table.ignored, name) ?? explainReplaced(table, name, value);
    const isSet = value.unknown !== undefined || (value.value !== null && value.value !== undefined);
    if (why !== undefined && isSet) {
      named.push(written);
      problems.push(notImported(value.place(), `${name} of ${title} is left out: ${why}`));
    } else if (why === undefined && !table.own?.includes(name)) {
      const from = [...(fields.get(own)?.from ?? []), ...(value.from ?? [])];
      fields.set(own, { ...convert(table, name, value), from });
    }
  }
  for (const [name, { list, as }] of Object.entries(table.joined ?? {})) join(fields, name, list, as);
  return { fields, named, problems, overruled };
}

/** A value of a table by a name from a file, which may be `toString`. */
function ownOf<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** True if an older boolean has the same meaning as each level: not `disabled`. */
function isSameLevel({ levels = {} }: FieldTable, name: string, stated: readonly ForeignValue[]): boolean {
  const [one, other] = stated.map(({ value }) => value === "disabled");
  return Object.hasOwn(levels, name) && stated.every(({ unknown }) => unknown === undefined) && one === other;
}

function explainReplaced({ replaced }: FieldTable, name: string, { value }: ForeignValue): string | undefined {
  const rule = ownOf(replaced, name);
  return rule && typeof value === "string" && new RegExp(rule.pattern).test(value) ? rule.why : undefined;
}

/** Renames an older boolean to its current field; a current field takes precedence. */
function modern({ levels, opposites }: FieldTable, name: string, value: ForeignValue) {
  const truth = value.truth ?? value.value;
  const isKnown = value.unknown === undefined && typeof truth === "boolean";
  const [level, opposite] = [ownOf(levels, name), ownOf(opposites, name)];
  if (!isKnown || (level ?? opposite) === undefined) return { name: level ?? opposite ?? name, value };
  if (opposite !== undefined) return { name: opposite, value: { ...value, value: !truth, truth: !truth } };
  return { name: level ?? name, value: { ...value, truth: undefined, value: truth ? "enabled" : "disabled" } };
}

/** Converts a value to the form of the kind. */
function convert(table: FieldTable, name: string, stated: ForeignValue): ForeignValue {
  const { colors, commas, unwrapped, trimmed, items } = table;
  const typed =
    isIdName(name) && stated.unknown === undefined ? { ...stated, value: withNumbers(stated.value) } : stated;
  const plain = colors?.includes(name) ? toDigits(typed) : commas?.includes(name) ? joinedText(typed) : typed;
  const own = ownOf(unwrapped, name);
  const bare = own === undefined ? plain : { ...plain, value: withoutWraps(plain.value, own) };
  return withRenamedItems(withoutStart(bare, ownOf(trimmed, name)), ownOf(items, name));
}

/** Fields of IDs, for which the tools also take digits: as a text they would be the name of a user or a group. */
function isIdName(name: string): boolean {
  return /_ids?$/.test(name);
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function joinedText(stated: ForeignValue): ForeignValue {
  return Array.isArray(stated.value) ? { ...stated, value: stated.value.join(",") } : stated;
}

function withoutWraps(value: unknown, own: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutWraps(each, own));
  if (!isObject(value)) return value;
  const pairs = Object.entries(value);
  const [[name, inner] = []] = pairs;
  if (pairs.length === 1 && name === own) return inner;
  return Object.fromEntries(pairs.map(([key, each]) => [key, withoutWraps(each, own)]));
}

const colors = new Map<string, string>(Object.entries(named.colors));

function toDigits(stated: ForeignValue): ForeignValue {
  const digits = typeof stated.value === "string" ? colors.get(stated.value.toLowerCase()) : undefined;
  return digits === undefined ? stated : { ...stated, value: digits };
}

function withoutStart(stated: ForeignValue, start: string | undefined): ForeignValue {
  if (start === undefined || typeof stated.value !== "string" || !stated.value.startsWith(start)) return stated;
  return { ...stated, value: stated.value.slice(start.length) };
}

function withRenamedItems(stated: ForeignValue, names: ItemNames | undefined): ForeignValue {
  if (!names || stated.unknown !== undefined) return stated;
  if (isObject(stated.value)) return { ...stated, value: renamedItem(stated.value, names) };
  if (!Array.isArray(stated.value)) return stated;
  return { ...stated, value: stated.value.map((item) => (isObject(item) ? renamedItem(item, names) : item)) };
}

function renamedItem(item: object, names: ItemNames): object {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => {
      const own = renameProperty(names, item, name);
      return own === undefined ? [] : [[own, isIdName(name) ? withNumbers(value) : value]];
    }),
  );
}

/**
 * The new name of a property; undefined if it is not a setting, or the item also has the property under the new name.
 */
function renameProperty(names: ItemNames, item: object, written: string): string | undefined {
  const own = Object.hasOwn(names, written) ? names[written] : written;
  const isTwice = typeof own === "string" && own !== written && Object.hasOwn(item, own);
  return isTwice ? undefined : (own ?? undefined);
}

/** Nested properties that are not imported: empty ones, those that are not settings, and those with another name. */
export function lostIn(table: FieldTable, field: string, value: unknown): readonly (readonly string[])[] {
  const names = ownOf(table.items, field) ?? {};
  if (Array.isArray(value))
    return value.flatMap((item, index) => lostIn(table, field, item).map((path) => [String(index), ...path]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]): (readonly string[])[] => {
    if (each === null || renameProperty(names, value, name) === undefined) return [[name]];
    return lostIn({ ...table, items: {} }, field, each).map((path) => [name, ...path]);
  });
}

/** Joins a level and a list into one field: the API takes either, the tools take both. */
function join(fields: Map<string, ForeignValue>, name: string, list: string, as: string): void {
  const [level, others] = [fields.get(name), fields.get(list)];
  if (!level || !others || [level, others].some(({ unknown }) => unknown !== undefined)) return;
  if (!Array.isArray(others.value) || others.value.length === 0) return;
  fields.delete(name);
  const from = [...(level.from ?? []), ...(others.from ?? [])];
  if (!others.value.some((item) => isObject(item) && item[as] === level.value))
    fields.set(list, { ...others, from, value: [{ [as]: level.value }, ...others.value] });
  else fields.set(list, { ...others, from });
}
