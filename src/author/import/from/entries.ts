import { typeOf } from "../../../base/json.ts";
import { createRedactor, decodeUrl, type Redactor } from "../../../base/known-secrets.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { missingField } from "../../../manifest/field-availability.ts";
import { unavailable } from "../../../model/availability.ts";
import { type Catalogue, type Integration, isRequiredAt } from "../../../model/catalogue.ts";
import { typesOf } from "../../../model/field-meaning.ts";
import { kindOf, outOfRelease, sectionNameOf } from "../../../model/kinds.ts";
import { type FieldSchema, keyFieldsOf, keyTextOf, type ResourceKind } from "../../../model/resource-kind.ts";
import type { Kind, Platform, Problem, Scalar, Value } from "../../../model/types.ts";
import { isScalar } from "../../../model/values.ts";
import { replaceDeprecated } from "../import-integration.ts";
import { hasSecretParts } from "../import-project.ts";
import { blank } from "../policy.ts";
import {
  describeExpected,
  findFault,
  hasCredentials,
  isPublic,
  isUnset,
  type NumberOf,
  readItems,
  secretOf,
  valueInField,
} from "./field-values.ts";
import { type ForeignValue, notImported, type TranslatedEntry, unknownPart } from "./foreign.ts";

/** A resource as another tool's files declare it, in the fields of its kind. */
export interface ForeignResource {
  readonly kind: Kind;
  /** Its name in messages. */
  readonly title: string;
  /** The slug of an integration. */
  readonly slug?: string | undefined;
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
  /** The secrets of integrations: a text that contains one is a secret too. */
  readonly secrets: Redactor;
  readonly numberOf: NumberOf;
}

/** Translates resources of one source to entries, or to the problems that explain why they are left out. */
export function translatorFor(
  all: Iterable<ForeignResource>,
  { catalogue, platform }: Pick<Context, "catalogue" | "platform">,
): (foreign: ForeignResource) => TranslatedEntry {
  const numbers = new Map<string, number>();
  const numberOf = (value: unknown): number => {
    const key = JSON.stringify(value) ?? "";
    const existing = numbers.get(key) ?? numbers.size;
    numbers.set(key, existing);
    return existing;
  };
  const context = { catalogue, platform, secrets: collectSecrets(all, catalogue), numberOf };
  return (foreign) => {
    const subject = findSubject(foreign, context);
    return typeof subject === "string" ? leaveOut(foreign, subject) : resourceEntry(foreign, subject, context);
  };
}

function collectSecrets(all: Iterable<ForeignResource>, catalogue: Catalogue): Redactor {
  const secrets = createRedactor();
  for (const { slug, fields } of all) {
    if (slug === undefined) continue;
    const integration = findNamed(catalogue.integrations, catalogue, slug);
    for (const [name, { value, secret, unknown }] of fields) {
      const isSecret = secret || (integration && findNamed(integration.parameters, integration, name)?.secret);
      if (isSecret && unknown === undefined && typeof value === "string" && value !== "")
        secrets.learn(value, "[secret]");
    }
  }
  return secrets;
}

/** A member by its name in any dialect. */
function findNamed<Each>(
  members: ReadonlyMap<string, Each>,
  { foreignNames }: Pick<Catalogue, "foreignNames">,
  name: string,
): Each | undefined {
  return members.get(name) ?? members.get(foreignNames.get(name)?.name ?? "");
}

/** The kind of a resource, with the fields of the integration if it is one. */
interface Subject {
  readonly file: ResourceKind;
  readonly integration?: Integration;
}

/** Returns the reason if policies of this platform cannot declare the resource. */
function findSubject({ kind, slug }: ForeignResource, { catalogue, platform }: Context): Subject | string {
  const { file } = kindOf(catalogue, kind);
  const missing = outOfRelease(catalogue, { kind, section: sectionNameOf(catalogue, kind) }, platform);
  if (slug === undefined) return missing ?? { file };
  const { integrations, foreignNames } = catalogue;
  const integration = findNamed(integrations, catalogue, slug);
  if (!integration)
    return `it is not in the catalogue${didYouMean(slug, [...integrations.keys(), ...foreignNames.keys()])}`;
  const why = unavailable(integration, platform)?.message ?? missing;
  return why ?? { file: { ...file, singular: slug, fields: integration.fields }, integration };
}

function leaveOut({ title, place }: ForeignResource, why: string): TranslatedEntry {
  return { problems: [notImported(place(), `${title} is left out: ${why}`)] };
}

function resourceEntry(foreign: ForeignResource, subject: Subject, context: Context): TranslatedEntry {
  const { kind, title, place } = foreign;
  const { file, integration } = subject;
  if (integration && foreign.isAbsent) return { off: integration.slug, named: [], problems: [] };
  const fields = withCredentials(file, foreign.fields);
  const read = [...fields].map(([name, value]) => readField(subject, name, value, { title, fields }, context));
  const values = new Map(read.flatMap(({ field }) => (field ? [field] : [])));
  const problems = read.flatMap((each) => each.problems);
  const left = (why: string) => ({ problems: [...problems, ...leaveOut(foreign, why).problems] });
  const key = integration ? integration.slug : readKey(file, values);
  if (key === undefined) {
    const names = keyFieldsOf(file).join(" or ");
    return left(`its ${names} is not known from these files, or a policy cannot have it as a key`);
  }
  if (foreign.isAbsent)
    return {
      absent: { kind, key },
      named: keyFieldsOf(file).flatMap((name) => fields.get(name)?.from ?? []),
      problems: [],
    };
  const isStated = (name: string) => {
    const { unknown, value = null } = fields.get(name) ?? {};
    return unknown !== undefined || value !== null;
  };
  const lost = foreign.needs?.find((names) => names.some(isStated) && !names.some((name) => values.has(name)));
  if (lost) return left(`without its ${lost.join(" or ")} it would be open to others`);
  const { release } = context.platform;
  const required = integration
    ? [...integration.parameters.values()].filter((each) => isRequiredAt(each, release)).map(({ name }) => name)
    : (file.fields.required ?? []);
  const lacking = required.filter((name) => !values.has(name));
  const impossible = lacking.find((name) => !mayRefer(subject, file.fields.properties[name]));
  if (impossible) return left(`${impossible} is required, and not stated`);
  for (const name of lacking) {
    const isSecret = file.fields.properties[name]?.writeOnly === true;
    values.set(name, blank(isSecret ? "a secret" : "required, and not stated"));
  }
  if (integration?.parameters.has(on)) values.set(on, true);
  for (const name of integration ? [] : keyFieldsOf(file)) values.delete(name);
  const { values: current, remarks } = integration
    ? replaceDeprecated(integration.parameters, values, Object.fromEntries(values))
    : { values, remarks: [] };
  const ordered = Object.keys(file.fields.properties).flatMap((name) => {
    const value = current.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    entry: { kind, key, fields: new Map(ordered), remarks: [] },
    place,
    named: read.flatMap((each) => each.named),
    problems: [...problems, ...remarks.map((remark) => notImported(place(), remark))],
  };
}

/** True if a policy may declare a reference: for a secret, and for any text of an integration. */
function mayRefer({ integration }: Subject, field: FieldSchema = {}): boolean {
  return field.writeOnly === true || (integration !== undefined && typesOf(field).includes("string"));
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
      fields.set(part, { ...own, from: [], secret, value: decodeUrl(value), ...(isUnknown && { unknown }) });
    };
    add(names[0], user, false);
    add(names[1], password, true);
  }
  return fields;
}

/** The key; undefined if a field of it is unknown or not a single value. */
function readKey(file: ResourceKind, values: ReadonlyMap<string, Value>): string | undefined {
  const stated = new Map<string, Scalar>();
  for (const name of keyFieldsOf(file)) {
    const value = values.get(name) ?? "";
    if (isScalar(value) && value !== "") stated.set(name, value);
    else if (file.fields.properties[name]?.default === undefined) return undefined;
  }
  const text = keyTextOf(file, Object.fromEntries(stated));
  return keyFieldsOf(file).length > 0 && text.trim() !== text ? undefined : text;
}

interface ReadField {
  readonly field?: readonly [name: string, value: Value];
  /** The keys that set it; empty if nothing does. */
  readonly named: readonly string[];
  readonly problems: readonly Problem[];
}

/** Other tools' integrations are always active: servers activate what is configured. */
const on = "active";

function readField(
  subject: Subject,
  written: string,
  foreign: ForeignValue,
  resource: Pick<ForeignResource, "title" | "fields">,
  context: Context,
): ReadField {
  const { file, integration } = subject;
  const named = foreign.from ?? [];
  const left = (why: string, message = `${written} of ${resource.title} is left out: ${why}`): ReadField => ({
    named,
    problems: [notImported(foreign.place(), message)],
  });
  const name = integration ? (findNamed(integration.parameters, integration, written)?.name ?? written) : written;
  const { properties } = file.fields;
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (integration && written === on) return readActive(foreign, left);
  if (!field) return left(describeUnknown(subject, name));
  if (isUnset(field, foreign)) return { named: [], problems: [] };
  const missing = missingField(file, name, foreign.value, context.platform);
  if (missing !== undefined) return integration ? left(missing, missing) : left(missing);
  const read = readValue(subject, field, foreign, resource.fields, context);
  return typeof read === "string" ? left(read) : { field: [name, read.value], named, problems: [] };
}

function readActive(foreign: ForeignValue, left: (why: string) => ReadField): ReadField {
  const { unknown, value = null, from = [] } = foreign;
  if (unknown !== undefined || value === null) return { named: [], problems: [] };
  if (value === true) return { named: from, problems: [] };
  const off = "servers turn on what is configured; list it in disabled if it has to be off";
  return left(value === false ? off : "expected true or false");
}

function describeUnknown({ file, integration }: Subject, name: string): string {
  const foreignNames = integration?.foreignNames.keys() ?? [];
  const suggestion = didYouMean(name, [...Object.keys(file.fields.properties), ...foreignNames]);
  if (integration) return `it has no such parameter${suggestion}`;
  return `${file.name} ${file.name.endsWith("s") ? "have" : "has"} no such field${suggestion}`;
}

/** A value as a policy declares it, or the reason why it cannot. */
function readValue(
  subject: Subject,
  field: FieldSchema,
  foreign: ForeignValue,
  fields: ForeignResource["fields"],
  { numberOf, secrets }: Context,
): { readonly value: Value } | string {
  const mayHide = mayRefer(subject, field);
  if (field.writeOnly === true || (foreign.secret === true && mayHide)) {
    const isOpen = !subject.integration && isPublic(field, foreign, fields);
    return { value: isOpen ? String(foreign.value) : secretOf(foreign, numberOf) };
  }
  if (hasSecretParts(field)) {
    const items = readItems(field, foreign, numberOf);
    return typeof items === "string" ? items : { value: items };
  }
  if (foreign.secret === true) return "it holds a secret";
  if (foreign.unknown !== undefined) return `${foreign.unknown} is not known from these files`;
  const value = valueInField(field, foreign.value);
  if (mayHide && typeof value === "string" && (secrets.isIn(value) || hasCredentials(value)))
    return { value: blank("it holds a secret", numberOf(value)) };
  const inList = Array.isArray(foreign.value) && typesOf(field).includes("array") ? foreign.value : undefined;
  const wrong = inList?.find((item) => valueInField(field.items ?? {}, item) === undefined);
  const type = inList ? `a list with ${typeOf(wrong)}` : typeOf(foreign.value);
  const got = `, got ${type}${foreign.hint ?? ""}`;
  if (value === undefined) return `expected ${describeExpected(field)}${got}`;
  const fault = findFault(field, value);
  if (fault === undefined) return { value };
  return fault.startsWith("expected ") ? `${fault}${got}` : `${fault}${foreign.hint ?? ""}`;
}
