import named from "../../../schemas/coming-from/colors.json" with { type: "json" };
import { isObject } from "../../base/json.ts";
import { policyKinds } from "../../model/kinds.ts";
import type { Kind, Problem } from "../../model/types.ts";
import { type ForeignChoice, type ForeignValue, notImported } from "./foreign.ts";

/** How the fields of another tool's section or resource become those of a kind (schemas/coming-from). */
export interface FieldTable {
  /** The section of policies. */
  readonly section: string;
  /** Fields with another name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Properties of the items of lists with another name, by the field of the list. */
  readonly items?: Readonly<Record<string, ItemNames>>;
  /** Fields that become an item of a list, if the list is declared too. */
  readonly joined?: Readonly<Record<string, { readonly list: string; readonly as: string }>>;
  /** What is removed from the start of values. */
  readonly trimmed?: Readonly<Record<string, string>>;
  /** Fields whose values may be names of colors. */
  readonly colors?: readonly string[];
  /** Fields that are left out, with the reason. */
  readonly ignored?: Readonly<Record<string, string>>;
  /** Fields that are no settings, such as IDs of the tool; not reported. */
  readonly own?: readonly string[];
}

/** The names of properties; null for those that are no settings. */
type ItemNames = Readonly<Record<string, string | null>>;

type Fields = ReadonlyMap<string, ForeignValue>;

/** The kind of a section of policies; undefined if policies have none. */
export function kindInSection(
  { catalogue, sections }: Pick<ForeignChoice, "catalogue" | "sections">,
  section: string,
): Kind | undefined {
  if (sections?.has(section) === false) return undefined;
  return policyKinds(catalogue).find((each) => each.section === section)?.kind;
}

/** The fields in the names of the kind, and why others are left out. */
export function renamedFields(
  table: FieldTable,
  title: string,
  given: Fields,
): { readonly fields: Fields; readonly problems: readonly Problem[] } {
  const fields = new Map<string, ForeignValue>();
  const problems: Problem[] = [];
  for (const [name, value] of given) {
    const why = table.ignored?.[name];
    const isSet = value.unknown !== undefined || (value.value !== null && value.value !== undefined);
    if (why !== undefined) {
      if (isSet) problems.push(notImported(value.place(), `${name} of ${title} is left out: ${why}`));
    } else if (!table.own?.includes(name)) {
      const trimmed = withoutStart(table.colors?.includes(name) ? digitsOf(value) : value, table.trimmed?.[name]);
      fields.set(table.fields?.[name] ?? name, withRenamedItems(trimmed, table.items?.[name]));
    }
  }
  for (const [name, { list, as }] of Object.entries(table.joined ?? {})) join(fields, name, list, as);
  return { fields, problems };
}

const colors = new Map<string, string>(Object.entries(named.colors));

function digitsOf(stated: ForeignValue): ForeignValue {
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

/** Without what is not set: tools write 0 and empty texts for it in items that have one of several forms. */
function renamedItem(item: object, names: ItemNames): object {
  const isSet = ([name, value]: [string, unknown]) =>
    value !== null && value !== undefined && value !== "" && !(value === 0 && name.endsWith("_id"));
  const pairs = Object.entries(item).filter(isSet);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => {
      const own = Object.hasOwn(names, name) ? names[name] : name;
      return typeof own === "string" ? [[own, value]] : [];
    }),
  );
}

/** The API takes either a level or a list; the tools take both. */
function join(fields: Map<string, ForeignValue>, name: string, list: string, as: string): void {
  const [level, others] = [fields.get(name), fields.get(list)];
  if (!level || !others || [level, others].some(({ unknown }) => unknown !== undefined)) return;
  if (!Array.isArray(others.value) || others.value.length === 0) return;
  fields.delete(name);
  if (!others.value.some((item) => isObject(item) && item[as] === level.value))
    fields.set(list, { ...others, value: [{ [as]: level.value }, ...others.value] });
}
