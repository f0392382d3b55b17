import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import { grouped } from "../base/grouped.ts";
import { expectedWords, isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { compile, type SchemaCheck } from "../base/schema.ts";
import type { Catalogue } from "./catalogue.ts";
import { typesOf } from "./field-meaning.ts";
import { kindOf, policyKinds } from "./kinds.ts";
import { type Owner, owners } from "./owner.ts";
import { exactIntegers } from "./parameter-check.ts";
import { type FieldSchema, isSingleton, keyFieldsOf, type ResourceKind } from "./resource-kind.ts";

export const resourceCheck: (kind: ResourceKind) => SchemaCheck = memoized(
  (kind: ResourceKind) => compile(resourceSchema(kind)),
  new WeakMap(),
);

export const fieldCheck: (field: FieldSchema) => SchemaCheck = memoized(
  (field: FieldSchema) => compile(field),
  new WeakMap(),
);

export function resourceSchema({ fields }: ResourceKind): JsonObject {
  return transformSchema(rejectUnknown(fields), withWords);
}

function rejectUnknown(fields: FieldSchema): FieldSchema & JsonObject {
  if (!fields.additionalProperties) return { additionalProperties: false, ...fields };
  const { patternProperties }: JsonObject = { ...fields };
  const refused = { not: {}, "x-expected": "no field that decides the method of a request, or as whom it is sent" };
  return {
    ...fields,
    patternProperties: { ...(isObject(patternProperties) && patternProperties), [reservedName]: refused },
  };
}

/** Names as servers parse them in a form, where brackets have a meaning. */
const reservedName = "^[\\[\\]\\s]*(?:_method|sudo|private_token|access_token|job_token)(?:\\W|$)";

/** True for a parameter with which servers decide the method of a request, or as whom it is sent. */
export function isReservedName(parameter: string): boolean {
  return new RegExp(reservedName).test(parameter);
}

/** Transforms a schema and its subschemas, from the inside out. Conditions concern values, so they stay. */
function transformSchema(field: FieldSchema, by: (field: FieldSchema) => JsonObject): JsonObject {
  const { items, properties, additionalProperties: others } = field;
  const inside = Object.entries(properties ?? {}).map(([name, each]) => [name, transformSchema(each, by)]);
  return by({
    ...field,
    ...(items && { items: transformSchema(items, by) }),
    ...(properties && { properties: Object.fromEntries(inside) }),
    ...(isObject(others) && { additionalProperties: transformSchema(others, by) }),
  });
}

/**
 * Allows words of `x-words` in addition to values. Restricts integers to exact ones, since larger ones were rounded by
 * the parser.
 */
function withWords(field: FieldSchema): JsonObject {
  const { "x-words": words, enum: allowed, type } = field;
  if (!words) return [type].flat().includes("integer") ? { allOf: [exactly], ...field } : { ...field };
  const known = Object.keys(words);
  const named = Object.values(words).some((value) => typeof value === "number");
  const values = named ? [...known, ...(allowed ?? [])] : [...(allowed ?? []), ...known];
  if (allowed) return { ...field, type: [...new Set([...typesOf(field), "string"])], enum: values };
  const { "x-words": _, ...plain } = field;
  const expected = `one of ${known.join(", ")}, or ${expectedWords(type, undefined) ?? "another value"}`;
  return { "x-expected": expected, anyOf: [{ enum: known }, plain] };
}

const exactly = {
  ...exactIntegers,
  "x-expected": `an integer from ${exactIntegers.minimum} to ${exactIntegers.maximum}`,
};

/** The schema of a kind's section for editors, with secret references and interpolations. */
function editorSection(kind: ResourceKind): JsonObject {
  const { only, name, title = name, description = title } = kind;
  const keys = keyFieldsOf(kind);
  const required = (kind.fields.required ?? []).filter((each) => !keys.includes(each));
  const alone = transformSchema({ ...rejectUnknown(kind.fields), required }, toEditorField);
  if (isSingleton(kind)) return { ...alone, description };
  const resource = withInherit(alone);
  const field = only === undefined ? undefined : kind.fields.properties[only];
  const value = field ? { anyOf: [transformSchema(field, toEditorField), resource] } : resource;
  return {
    description,
    ...mappingByKey(kind),
    patternProperties: { [anyName]: value },
    ...(field?.enum && { defaultSnippets: [createSnippet(kind.singular, field.enum)] }),
    "x-order": "name",
  };
}

function createSnippet(singular: string, values: readonly unknown[]): JsonObject {
  const words = singular.replaceAll("_", " ");
  const body = { [`\${1:${words}}`]: `\${2|${values.join()}|}` };
  return { label: withArticle(words), description: `One ${words}.`, body };
}

/** Any non-empty name. */
const anyName = "^[\\s\\S]+$";

/** A resource of a section by key, which may inherit fields from other policies. */
export function withInherit<Schema extends object>(resource: Schema): Schema {
  const { properties, required, allOf = [], ...rest } = resource as JsonObject;
  const needs = { anyOf: [{ required }, { required: ["inherit"] }] };
  const all = [allOf, Array.isArray(required) && required.length > 0 ? needs : []].flat();
  const own = { inherit: inheritSchema, ...(properties as JsonObject) };
  return { ...rest, ...(all.length > 0 && { allOf: all }), properties: own } as Schema;
}

const inheritSchema = {
  description: "Fields that this entry lacks are those of the next policy in order of precedence.",
  const: true,
  "x-expected": "true",
};

function toEditorField(field: FieldSchema): JsonObject {
  const words = Object.entries(withWords(field)).filter(([word]) => !word.startsWith("x-") || word === "x-expected");
  const schema: JsonObject = Object.fromEntries(words);
  const { description, ...rest } = schema;
  const told = description === undefined ? {} : { description };
  const deprecated = field.deprecated ? { deprecationMessage: field.deprecationMessage ?? "deprecated" } : {};
  if (field.writeOnly && !field["x-returned"]) return { ...told, ...deprecated, anyOf: secret };
  if (field["x-returned"]) {
    const { writeOnly: _, ...literal } = rest;
    return { ...told, ...deprecated, anyOf: [literal, secret[1]] };
  }
  if (isObject(rest.properties) || typesOf(field).join() === "string") return schema;
  return { ...told, ...deprecated, anyOf: [rest, { $ref: "integrations.schema.json#/definitions/interpolation" }] };
}

const secret = ["plaintext", "reference"].map((name) => ({ $ref: `integrations.schema.json#/definitions/${name}` }));

/** A section of resources by key; each resource is validated on its own. */
function mappingByKey(kind: ResourceKind): JsonObject {
  const { only, singular } = kind;
  const words = singular.replaceAll("_", " ");
  const keys = keyFieldsOf(kind).map((name) => name.replaceAll("_", " "));
  const value = only === undefined ? undefined : kind.fields.properties[only]?.["x-expected"];
  const [key = ""] = keys;
  return {
    type: "object",
    additionalProperties: false,
    "x-expected": `a mapping from ${words} ${key.endsWith("s") ? key : `${key}s`} to ${value ?? "fields"}`,
    "x-key": `the ${keys.join("@")} of ${withArticle(words)}`,
  };
}

function withArticle(words: string): string {
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
}

function shapeOfSection(kind: ResourceKind): JsonObject {
  if (isSingleton(kind)) return { type: "object", "x-expected": "a mapping of fields" };
  const value = kind.only === undefined ? { type: "object", "x-expected": fieldsInWords(kind) } : {};
  return { ...mappingByKey(kind), patternProperties: { [anyName]: value } };
}

/** `a mapping of fields, such as { color: … }`. */
function fieldsInWords(kind: ResourceKind): string {
  const keys = keyFieldsOf(kind);
  const { required = [], properties } = kind.fields;
  const field = [...required, ...Object.keys(properties)].find((name) => !keys.includes(name));
  return field === undefined ? "a mapping of fields" : `a mapping of fields, such as { ${field}: … }`;
}

export type PolicySections = Readonly<Record<string, JsonObject>>;

/** The shapes of sections for policies of this owner; sections of the other owner are accepted without a check. */
export function sectionShapes(catalogue: Catalogue, owner: Owner): PolicySections {
  const others = filesOf(catalogue, owners).map(({ name }) => [name, {}] as const);
  const own = filesOf(catalogue, [owner]).map((file) => [file.name, shapeOfSection(file)] as const);
  const created = filesOf(catalogue, [owner], "create").map((file) => [file.name, shapeOfSection(file)] as const);
  return {
    ...Object.fromEntries([...others, ...own]),
    ...(created.length > 0 && { create: createSchema(Object.fromEntries(created)) }),
    ...referringKeys(catalogue, [owner]),
  };
}

/** All sections, for editors. One that projects and groups share accepts either. */
export function editorSections(catalogue: Catalogue): PolicySections {
  const sections = grouped(filesOf(catalogue, owners), ({ name }) => name);
  const schemas = [...sections].map(([name, files]) => {
    const [first = {}, ...others] = [...new Set(files)].map(editorSection);
    const description = [...new Set([first, ...others].map((each) => each.description))].join(" ");
    const either = { description, anyOf: [first, ...others], "x-order": first["x-order"] };
    return [name, others.length === 0 ? first : either] as const;
  });
  const created = filesOf(catalogue, owners, "create").map((file) => [file.name, editorSection(file)] as const);
  const create = createSchema(Object.fromEntries(created));
  return { ...Object.fromEntries(schemas), create, ...referringKeys(catalogue, owners) };
}

/** The kinds whose sections are generated from their files; manifest.schema.json has the others. */
function filesOf(catalogue: Catalogue, of: readonly Owner[], under?: "create"): readonly ResourceKind[] {
  const files = of.flatMap((owner) => policyKinds(catalogue, owner)).map(({ kind }) => kindOf(catalogue, kind).file);
  return files.filter((file) => file.keys === undefined && file.under === under);
}

function createSchema(properties: PolicySections): JsonObject {
  const { create } = manifest.definitions.Policy.properties;
  return { ...create, additionalProperties: false, properties, "x-key": "a kind that policies can create" };
}

function referringKeys(catalogue: Catalogue, of: readonly Owner[]): PolicySections {
  const removableOf = (some: readonly Owner[]) =>
    filesOf(catalogue, some).filter(({ calls }) => calls.delete !== undefined);
  const all = removableOf(owners);
  const rows = owners.flatMap((owner) => policyKinds(catalogue, owner));
  const listed = rows.filter(
    ({ off, section }) => off !== undefined || all.some((kind) => kind.name === section && !isSingleton(kind)),
  );
  const sections = [...new Set(listed.map(({ section }) => section))];
  const exclusive = {
    description: "Kinds whose live entries are disabled or deleted if no policy lists them.",
    type: "array",
    items: { type: "string", enum: sections, "x-expected": "a section whose resources can be deleted" },
    "x-expected": "a list of sections",
  };
  return { absent: absentSchema(removableOf(of)), exclusive };
}

function absentSchema(removable: readonly ResourceKind[]): JsonObject {
  const sections = removable.map((kind) => [kind.name, absentKeys(kind)]);
  return {
    description: "Resources that must not exist, by section.",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(sections),
    "x-expected": "a mapping from sections to lists of keys",
    "x-key": "a section whose resources can be deleted",
  };
}

function absentKeys(kind: ResourceKind): JsonObject {
  if (isSingleton(kind)) return { const: true, "x-expected": "true" };
  const words = keyFieldsOf(kind).join("@").replaceAll("_", " ");
  const expected = `the ${words} of ${withArticle(kind.singular.replaceAll("_", " "))}`;
  return {
    type: "array",
    items: { type: "string", minLength: 1, "x-expected": expected },
    "x-expected": `a list, each item ${expected}`,
  };
}
