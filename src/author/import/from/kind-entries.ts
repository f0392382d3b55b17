import { expectedWords, isObject, type JsonObject, typeOf } from "../../../base/json.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { missingField } from "../../../manifest/field-availability.ts";
import type { Catalogue } from "../../../model/catalogue.ts";
import { propertyOf, typesOf, wireValue } from "../../../model/field-meaning.ts";
import { outOfRelease } from "../../../model/kind-availability.ts";
import { fieldCheck } from "../../../model/kind-schema.ts";
import { kindOf, sectionNameOf } from "../../../model/kinds.ts";
import { type FieldSchema, keyFieldsOf, keyTextOf, type ResourceKind } from "../../../model/resource-kind.ts";
import type { Kind, Plain, Platform, Problem, Scalar } from "../../../model/types.ts";
import { isList, isScalar, textsWithin } from "../../../model/values.ts";
import { hasSecretParts } from "../import-project.ts";
import { isPlainlyPublic } from "../plain-values.ts";
import type { Blank, ImportedItem, ImportedValue } from "../policy.ts";
import { hasCredentials, secretOf } from "./entries.ts";
import { type ForeignValue, notImported, type TranslatedEntry, unknownPart } from "./foreign.ts";

/** A resource as another tool's files declare it, in the fields of its kind. */
export interface ForeignResource {
  readonly kind: Kind;
  /** Its name in messages. */
  readonly title: string;
  /** True if it has to be absent; then only the fields of its key matter. */
  readonly isAbsent: boolean;
  readonly fields: ReadonlyMap<string, ForeignValue>;
  /** Fields of which one must remain if one is stated. */
  readonly needs?: readonly (readonly string[])[];
  readonly place: ForeignValue["place"];
}

interface Context {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  /** Equal secrets get one number. */
  readonly numberOf: (value: unknown) => number;
}

/** A resource as a policy declares it, or the problems that explain why it is left out. */
export function resourceEntry(foreign: ForeignResource, context: Context): TranslatedEntry {
  const { kind, title } = foreign;
  const { file } = kindOf(context.catalogue, kind);
  const fields = withCredentials(file, foreign.fields);
  const left = (why: string) => ({ problems: [notImported(foreign.place(), `${title} is left out: ${why}`)] });
  const section = sectionNameOf(context.catalogue, kind);
  const missing = outOfRelease(context.catalogue, { kind, section }, context.platform);
  if (!file || missing) return left(missing ?? "policies have no such kind");
  const read = [...fields].map(([name, value]) => readField(file, name, value, { title, fields }, context));
  const values = new Map(read.flatMap(({ field }) => (field ? [field] : [])));
  const problems = read.flatMap((each) => each.problems);
  const key = readKey(file, values);
  const named = read.flatMap((each) => each.named);
  if (key === undefined) return { problems: [...problems, ...left(describeKey(file)).problems] };
  if (foreign.isAbsent) return { absent: { kind, key }, named: listKeys(file, fields), problems: [] };
  const lost = foreign.needs?.find(
    (names) => names.some((name) => isStated(fields.get(name))) && !names.some((name) => values.has(name)),
  );
  if (lost) {
    const why = `without its ${lost.join(" or ")} it would be open to others`;
    return { problems: [...problems, ...left(why).problems] };
  }
  const lacking = (file.fields.required ?? []).filter((name) => !values.has(name));
  const impossible = lacking.find((name) => file.fields.properties[name]?.writeOnly !== true);
  if (impossible) return { problems: [...problems, ...left(`${impossible} is required, and not stated`).problems] };
  for (const name of lacking) values.set(name, secretOf({ value: undefined, place: foreign.place }, context.numberOf));
  for (const name of keyFieldsOf(file)) values.delete(name);
  const ordered = Object.keys(file.fields.properties).flatMap((name) => {
    const value = values.get(name);
    return value ? [[name, value] as const] : [];
  });
  return { entry: { kind, key, fields: new Map(ordered), remarks: [] }, place: foreign.place, named, problems };
}

function isStated(stated: ForeignValue | undefined): boolean {
  return stated !== undefined && (stated.unknown !== undefined || (stated.value ?? null) !== null);
}

/** Moves the user and the password of a URL to the fields that the kind has for them. */
function withCredentials(file: ResourceKind, given: ForeignResource["fields"]): ForeignResource["fields"] {
  const fields = new Map(given);
  for (const [name, { "x-credentials": names }] of Object.entries(file.fields.properties)) {
    const stated = fields.get(name);
    const url = stated && (stated.text ?? stated.value);
    const [, scheme, user = "", password = "", rest] =
      /^([a-z][\w+.-]*:\/\/)(?:([^/:@]*)(?::([^/@]*))?@)?(.*)$/is.exec(typeof url === "string" ? url : "") ?? [];
    if (!stated || !names || scheme === undefined || rest?.includes(unknownPart)) continue;
    const { unknown, text: _, ...own } = stated;
    fields.set(name, { ...own, value: `${scheme}${rest}` });
    const add = (part: string, value: string, secret: boolean) => {
      if (value === "" || fields.has(part)) return;
      const isUnknown = unknown !== undefined && value.includes(unknownPart);
      fields.set(part, { ...own, from: [], secret, value: decodeText(value), ...(isUnknown && { unknown }) });
    };
    add(names[0], user, false);
    add(names[1], password, true);
  }
  return fields;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The keys in the source for the fields of a resource's key. */
function listKeys(file: ResourceKind, fields: ForeignResource["fields"]): readonly string[] {
  return keyFieldsOf(file).flatMap((name) => fields.get(name)?.from ?? []);
}

function describeKey(file: ResourceKind): string {
  return `its ${keyFieldsOf(file).join(" or ")} is not known from these files, or a policy cannot have it as a key`;
}

/** The key; undefined if a field of it is unknown or not a single value. */
function readKey(file: ResourceKind, values: ReadonlyMap<string, ImportedValue>): string | undefined {
  const parts = keyFieldsOf(file).map(
    (name) => [name, readScalar(values.get(name)), file.fields.properties[name]] as const,
  );
  if (parts.some(([, value, field]) => value === undefined && field?.default === undefined)) return undefined;
  const stated = parts.filter(([, value]) => value !== undefined);
  const text = keyTextOf(file, Object.fromEntries(stated));
  return keyFieldsOf(file).length > 0 && text.trim() !== text ? undefined : text;
}

function readScalar(value: ImportedValue | undefined): Scalar | undefined {
  const stated = value?.form === "value" && isScalar(value.value) ? value.value : undefined;
  return stated === null || stated === "" ? undefined : stated;
}

interface ReadField {
  readonly field?: readonly [name: string, value: ImportedValue];
  /** The keys that set it; empty if nothing does. */
  readonly named: readonly string[];
  readonly problems: readonly Problem[];
}

function readField(
  file: ResourceKind,
  name: string,
  foreign: ForeignValue,
  { title, fields }: Pick<ForeignResource, "title" | "fields">,
  { numberOf, platform }: Context,
): ReadField {
  const { properties } = file.fields;
  const named = foreign.from ?? [];
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const left = (why: string): ReadField => ({
    named,
    problems: [notImported(foreign.place(), `${name} of ${title} is left out: ${why}`)],
  });
  if (!field) {
    const has = file.name.endsWith("s") ? "have" : "has";
    return left(`${file.name} ${has} no such field${didYouMean(name, Object.keys(properties))}`);
  }
  if (isUnset(field, foreign)) return { named: [], problems: [] };
  const missing = missingField(file, name, foreign.value, platform);
  if (missing !== undefined) return left(missing);
  if (field.writeOnly === true) {
    const value = isPublic(field, foreign, fields) ? foreign.value : undefined;
    return {
      field: [name, value === undefined ? secretOf(foreign, numberOf) : { form: "value", value: String(value) }],
      named,
      problems: [],
    };
  }
  if (hasSecretParts(field)) {
    const items = readItems(field, foreign, numberOf);
    return typeof items === "string" ? left(items) : { field: [name, { form: "items", items }], named, problems: [] };
  }
  if (foreign.secret === true) return left("it holds a secret");
  if (foreign.unknown !== undefined) return left(`${foreign.unknown} is not known from these files`);
  const value = valueInField(field, foreign.value, foreign.truth);
  const got =
    Array.isArray(foreign.value) && typesOf(field).includes("array")
      ? `a list with ${typeOf(foreign.value.find((item) => valueInField(field.items ?? {}, item) === undefined))}`
      : typeOf(foreign.value);
  const why = value === undefined ? `expected ${describeExpected(field)}, got ${got}` : findFault(field, value);
  if (value === undefined || why !== undefined) return left(`${why}${foreign.hint ?? ""}`);
  return { field: [name, { form: "value", value }], named, problems: [] };
}

/** The items of a list that have secrets, or the reason why they cannot be declared. */
function readItems(
  { items: { properties = {}, required = [] } = {} }: FieldSchema,
  { value, blocks, place, unknown }: ForeignValue,
  numberOf: Context["numberOf"],
): readonly ImportedItem[] | string {
  const own = Array.isArray(value) ? value : [];
  const listed = blocks ?? own.filter(isObject).map((item) => toForeignItem(item, place));
  if (unknown !== undefined && !blocks) return `${unknown} is not known from these files`;
  if (listed.length === 0 || (!blocks && own.length > listed.length)) return "expected a list of mappings";
  const items: Record<string, Plain | Blank>[] = [];
  for (const given of listed) {
    const item: Record<string, Plain | Blank> = {};
    for (const [part, stated] of given) {
      const field = Object.hasOwn(properties, part) ? properties[part] : undefined;
      if (!field) return `its items have no ${part}${didYouMean(part, Object.keys(properties))}`;
      const read = isUnset(field, stated) ? null : readPart(field, stated, given, numberOf);
      if (read === undefined)
        return `${part} of an item is not ${describeExpected(field)}, or not known from these files`;
      if (read !== null) item[part] = read;
    }
    const lacking = required.find((part) => item[part] === undefined);
    if (lacking !== undefined) return `its items need ${lacking}`;
    items.push(item);
  }
  return items;
}

function toForeignItem(item: JsonObject, place: ForeignValue["place"]): ForeignResource["fields"] {
  return new Map(Object.entries(item).map(([part, value]) => [part, { value, place }]));
}

function readPart(
  field: FieldSchema,
  stated: ForeignValue,
  item: ForeignResource["fields"],
  numberOf: Context["numberOf"],
): Plain | Blank | undefined {
  if (field.writeOnly === true)
    return isPublic(field, stated, item) ? String(stated.value) : secretOf(stated, numberOf);
  if (stated.unknown !== undefined) return undefined;
  const value = valueInField(field, stated.value, stated.truth);
  return value === undefined || findFault(field, value) !== undefined ? undefined : value;
}

/** True for a value that servers return and that is plainly no credential, like the value of a variable. */
function isPublic(
  field: FieldSchema,
  { value, secret, unknown }: ForeignValue,
  fields: ForeignResource["fields"],
): boolean {
  const { "x-returned": isReturned, "x-secret-with": marks = [] } = field;
  const isSet = (name: string) => ![undefined, null, false].some((off) => off === fields.get(name)?.value);
  if (isReturned !== true || secret === true || unknown !== undefined || [...marks, "protected"].some(isSet))
    return false;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  return isPlainlyPublic(String(fields.get("key")?.value ?? ""), String(value));
}

/** True if a value sets nothing: null for a field that cannot be null, or Terraform's text for an unset one. */
function isUnset(field: FieldSchema, { value, unknown }: ForeignValue): boolean {
  return unknown === undefined && (value === undefined || (value === null && !typesOf(field).includes("null")));
}

/** Explains why a value cannot be declared, without repeating it. */
function findFault(field: FieldSchema, value: Plain): string | undefined {
  if (holdsSecret(field, value)) return "it holds secrets; declare it by hand, with references";
  if (textsWithin(value).some(hasCredentials)) return "it holds a secret";
  const faults = fieldCheck(field)(wireValue(field, value));
  const fault = faults.find(({ rule }) => rule === "unknown-key") ?? faults[0];
  if (!fault) return undefined;
  if (fault.path.length === 0) return `expected ${describeExpected(field)}`;
  return `its part ${fault.path.join(".")} is none that the API takes (${fault.rule})`;
}

function describeExpected(field: FieldSchema): string {
  const words = Object.entries(field["x-words"] ?? {}).filter(([, value]) => typeof value === "number");
  const allowed = [...words.map(([word]) => word), ...(field.enum ?? []).map(String)];
  if (field.pattern !== undefined) return `a string that matches ${field.pattern}`;
  if (field.items && typesOf(field).includes("array")) return `a list, each item ${describeExpected(field.items)}`;
  return expectedWords(typesOf(field), allowed.length > 0 ? allowed : undefined) || "a value of the API";
}

function holdsSecret(field: FieldSchema, value: Plain): boolean {
  if (isScalar(value)) return field.writeOnly === true && value !== null;
  if (isList(value)) return value.some((item) => holdsSecret(field.items ?? {}, item));
  return Object.entries(value).some(([name, each]) => holdsSecret(propertyOf(field, name) ?? {}, each));
}

/** Converts a value to the type and the words of its field; undefined if that is impossible. */
function valueInField(field: FieldSchema, value: unknown, truth?: boolean): Plain | undefined {
  const types = typesOf(field);
  if (Array.isArray(value)) return convertList(field, types, value);
  if (isObject(value)) return types.includes("object") ? convertMapping(field, value) : undefined;
  if (!isScalar(value)) return undefined;
  if (types.includes("array") && value === null) return [];
  if (types.length > 0 && types.every((type) => ["array", "null"].includes(type))) return undefined;
  return convertScalar(field, types, value, truth);
}

function convertList(field: FieldSchema, types: readonly string[], value: readonly unknown[]): Plain | undefined {
  if (types.includes("object") && value.length === 1) return valueInField(field, value[0]);
  if (!types.includes("array")) return undefined;
  const items = value.map((item) => withoutDefaults(field.items ?? {}, valueInField(field.items ?? {}, item)));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** In list items, a value at its default is omitted. */
function withoutDefaults({ properties = {} }: FieldSchema, item: Plain | undefined): Plain | undefined {
  if (item === undefined || isScalar(item) || isList(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name, each]) => properties[name]?.default !== each));
}

function convertMapping(field: FieldSchema, value: JsonObject): Plain | undefined {
  const pairs = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  const read = pairs.map(([name, each]) => [name, valueInField(propertyOf(field, name) ?? {}, each)] as const);
  if (read.some(([, each]) => each === undefined)) return undefined;
  return Object.fromEntries(read.map(([name, each]) => [name, each ?? null]));
}

function convertScalar(
  field: FieldSchema,
  types: readonly string[],
  value: Scalar,
  truth?: boolean,
): Scalar | undefined {
  const words = field["x-words"];
  if (words)
    return findWord(words, value) ?? (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
  if (types.length === 0) return value;
  if (types.includes("boolean") && truth !== undefined) return truth;
  if (
    typeof value === "string" &&
    types.includes("boolean") &&
    !types.includes("string") &&
    /^(?:true|false)$/i.test(value)
  )
    return value.toLowerCase() === "true";
  if (typeof value === "string" && types[0] === "integer" && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (typeof value !== "string" && value !== null && types.includes("string") && !takes(types, value))
    return String(value);
  return value;
}

function takes(types: readonly string[], value: Scalar): boolean {
  return types.includes(typeof value) || (typeof value === "number" && types.includes("integer"));
}

/** Tools also write levels as `No access`, `no_one` or `maintainers`. Other words stay. */
function findWord(words: Readonly<Record<string, Scalar>>, value: Scalar): string | undefined {
  if (typeof value !== "string") return undefined;
  const plain = value.trim().toLowerCase().replaceAll("_", " ");
  const candidates = [plain, synonyms.get(plain) ?? "", plain.replace(/s$/, "")];
  const word = Object.keys(words).find((each) => candidates.includes(each));
  const named = word === undefined ? undefined : words[word];
  return typeof named === "string" ? named : word;
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ["no access", "no one"],
  ["noone", "no one"],
  ["none", "no one"],
  ["master", "maintainer"],
  ["masters", "maintainer"],
]);
