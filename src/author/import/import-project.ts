import { grouped } from "../../base/grouped.ts";
import { isObject } from "../../base/json.ts";
import { compareTexts } from "../../base/text-format.ts";
import { unavailable } from "../../model/availability.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { comparable, mapScalars } from "../../model/field-meaning.ts";
import { catalogueEntry, identityOf, kindOf, type PolicyKind, policyKinds } from "../../model/kinds.ts";
import { lookUpTemplates } from "../../model/look-ups.ts";
import { ownerOfName } from "../../model/owner.ts";
import { excludedNames, type FieldSchema, keyFieldsOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Fields, Kind, Live, Plain, Platform, Project, Resource, Value } from "../../model/types.ts";
import { isAlike, isList, isReference } from "../../model/values.ts";
import { declarableDefault, type ImportedResource, importIntegration, isPossible } from "./import-integration.ts";
import { isPlainlyPublic, mapTexts, type ValueForm, withoutPasswords } from "./plain-values.ts";
import { blank, type FoundProject, type ImportedEntry, type ImportedProject } from "./policy.ts";

type Named = Pick<Resource, "kind" | "key">;

/** Explains why no policy can declare a resource on this platform; undefined if one can. */
export function whyUndeclarable({ kind, key }: Named, platform: Platform, catalogue: Catalogue): string | undefined {
  if (!kindOf(catalogue, kind).keys) return undefined;
  const known = catalogueEntry(catalogue, { kind, key });
  return known ? unavailable(known, platform)?.message : "it is not in the catalogue";
}

/** Everything that policies can declare for a project, with remarks on the rest. */
export function importProject(
  found: FoundProject,
  platform: Platform,
  catalogue: Catalogue,
  values?: ValueForm,
): ImportedProject {
  const live = found.live.toSorted((a, b) => compareTexts(a.key, b.key));
  const writing = {
    values,
    release: platform.release,
    named: (field: FieldSchema, value: Value) => withNames(field, value, found.named ?? [], catalogue),
  };
  const imported = policyKinds(catalogue, ownerOfName(found.project.name)).map((row) => {
    const own = live.filter(({ kind }) => kind === row.kind);
    return importKind(row, own, catalogue, writing);
  });
  const entries = imported.flatMap(({ entries }) => entries);
  const isWritable = ({ key }: Named) => withoutPasswords(key) === key;
  const remarks = [
    ...found.unread,
    ...found.others.map((other) => {
      const own = other.inherited ? "it is inherited from the group" : "the server lists it but does not show it";
      return `${other.key} is left out: ${whyUndeclarable(other, platform, catalogue) ?? own}`;
    }),
    ...imported.flatMap(({ remarks }) => remarks),
    ...entries
      .filter((entry) => !isWritable(entry))
      .map(({ kind, key }) => `${kind} ${key} is left out: its URL has a password`),
  ];
  return {
    project: found.project,
    entries: entries.filter(isWritable).map(dropPasswords),
    remarks: remarks.map(withoutPasswords),
  };
}

/** Drops passwords from the URLs of an entry: no manifest may contain one. */
function dropPasswords(entry: ImportedEntry): ImportedEntry {
  const changed: string[] = [];
  const fields = Array.from(entry.fields, ([name, field]) => {
    const value = mapTexts(field as Plain, withoutPasswords);
    if (!isAlike(value, field as Plain)) changed.push(name);
    return [name, value] as const;
  });
  const own = changed.map((name) => `${name}: written without the password in its URL, and so would apply write it`);
  return { ...entry, fields: new Map(fields), remarks: [...entry.remarks.map(withoutPasswords), ...own] };
}

/** How values are written. */
interface Writing {
  readonly values: ValueForm | undefined;
  readonly release: string;
  readonly named: (field: FieldSchema, value: Value) => Value;
}

/** Resources of a kind. Resources with the same identity are one in a policy, which is omitted if they differ. */
function importKind(
  { kind, only }: PolicyKind,
  live: readonly Live[],
  catalogue: Catalogue,
  writing: Writing,
): Pick<ImportedProject, "entries" | "remarks"> {
  const { file, keys } = kindOf(catalogue, kind);
  const importOne = (each: Live): ImportedResource | undefined => {
    const integration = keys?.get(each.key);
    if (integration) return importIntegration(integration, each, writing.release);
    return keys ? undefined : importResource(file, only, each, writing);
  };
  const namesakes = grouped(live, (each) => identityOf(catalogue, each)).values();
  const results = [...namesakes].flatMap((alike) => importNamesakes(alike, importOne) ?? []);
  const subject = keys ? "" : `${file.singular} `;
  return {
    entries: results.flatMap((result) => ("entry" in result ? result.entry : [])),
    remarks: results.flatMap((result) => ("left" in result ? `${subject}${result.left}` : [])),
  };
}

function importNamesakes(
  [first, ...others]: readonly Live[],
  importOne: (live: Live) => ImportedResource | undefined,
): ImportedResource | undefined {
  if (!first) return undefined;
  const result = importOne(first);
  if (others.length === 0 || !result || "left" in result) return result;
  const names = [...new Set([first, ...others].map(({ key }) => JSON.stringify(key)))];
  const isOneName = names.length === 1;
  const several = `the server has ${isOneName ? `${others.length + 1} of that name` : names.join(" and ")}`;
  const disagree = others.some(({ fields }) => !isAlike(fields as Plain, first.fields as Plain));
  if (disagree) return { left: `${first.key} is left out: ${several}, and they differ; keep one of them` };
  const remark = isOneName ? several : `${several}, which differ only in case`;
  return { entry: { ...result.entry, remarks: [...result.entry.remarks, remark] } };
}

/**
 * Declares a resource so that a plan shows no difference: every reported field that is set and neither at its default
 * nor at the usual value of new resources, and blanks for required secrets. Returns a sentence if no policy can
 * declare it; undefined for a singleton without anything to declare.
 */
function importResource(
  file: ResourceKind,
  only: string | undefined,
  live: Live,
  { values, named }: Writing,
): ImportedResource | undefined {
  const why = only === undefined ? undefined : explainUnfit(file, only, live);
  if (why !== undefined) return { left: `${JSON.stringify(live.key)} is left out: ${why}` };
  const fields = new Map<string, Value>();
  const defaults = new Map<string, Value>();
  const remarks: string[] = [];
  for (const [name, field] of listDeclarable(file, live)) {
    const value = live.fields[name];
    const isRequired = file.fields.required?.includes(name) === true;
    if (Array.isArray(value) && hasSecretParts(field)) {
      const items = value.map((item) => importItem(field, item, values));
      (items.length > 0 ? fields : defaults).set(name, items);
    } else if (typeof value === "string" && field.writeOnly === true && isLiteral(live, value, values))
      fields.set(name, value);
    else if (field.writeOnly === true && isRequired) fields.set(name, blank("a secret"));
    else if (field.writeOnly === true || field["x-listed"] === false) remarks.push(name);
    else if (value !== undefined && !isReference(value) && (isRequired || isWorthWriting(field, value)))
      fields.set(name, named(field, value));
    else if (value !== undefined && !isReference(value)) {
      const stated = declarableDefault(field, value);
      if (stated !== undefined) defaults.set(name, stated);
    } else if (isRequired) return { left: `${live.key} is left out: ${name} is required and not reported` };
  }
  if (live.key === "" && fields.size === 0) return undefined;
  const unknown = remarks.length > 0 ? [`not reported, may be set: ${remarks.join(", ")}`] : [];
  return { entry: { kind: live.kind, key: live.key, fields, defaults, remarks: unknown } };
}

/** Explains why a policy cannot have a resource as a key with one value. */
function explainUnfit({ fields: { properties } }: ResourceKind, only: string, live: Live): string | undefined {
  if (!/^\S(?:.*\S)?$/u.test(live.key)) return "a policy cannot contain its name";
  const { [only]: field = {} } = properties;
  const { "x-expected": expected = "another value" } = field;
  return isPossible(field, live.fields[only]) ? undefined : `expected ${expected}, the server has another value`;
}

/** True if a value that the row does not mark as secret is written as it is. */
function isLiteral({ key, fields }: Pick<Live, "key" | "fields">, value: string, values?: ValueForm): boolean {
  if (values !== undefined) return values === "literal";
  return fields.protected !== true && isPlainlyPublic(key, value);
}

/** True for a list whose items have secrets. */
export function hasSecretParts({ items: { properties = {} } = {} }: FieldSchema): boolean {
  return Object.values(properties).some(({ writeOnly }) => writeOnly === true);
}

/** An item with a blank for each secret that is not reported, or that is not plainly public. */
function importItem({ items: { properties = {} } = {} }: FieldSchema, item: unknown, values: ValueForm | undefined) {
  const fields = (isObject(item) ? item : {}) as Fields;
  const key = String(fields.key ?? "");
  const parts = Object.entries(properties).flatMap(([name, { writeOnly }]): [string, Plain][] => {
    const value = fields[name];
    if (writeOnly === true && !(typeof value === "string" && isLiteral({ key, fields }, value, values)))
      return [[name, blank("a secret")]];
    return value === undefined || value === null || isReference(value) ? [] : [[name, value]];
  });
  return Object.fromEntries(parts);
}

/** The fields that a policy can declare together, except those of the key. */
function listDeclarable(file: ResourceKind, live: Live): readonly (readonly [string, FieldSchema])[] {
  const keys = new Set(keyFieldsOf(file));
  const possible = Object.entries(file.fields.properties).filter(
    ([name, field]) =>
      !keys.has(name) &&
      !field.deprecated &&
      !field["x-own"] &&
      (hasSecretParts(field) || isPossible(field, live.fields[name])),
  );
  const names = new Set(possible.filter(([name]) => live.fields[name] !== undefined).map(([name]) => name));
  const excluded = excludedNames(file.fields, (name) => names.has(name));
  return possible.filter(([name]) => !excluded.has(name));
}

function isWorthWriting(field: FieldSchema, value: Plain): boolean {
  const normalized = comparable(field, value);
  const differs = (from: Plain) => !isAlike(normalized, comparable(field, from));
  const standard = field.default ?? field["x-usual"];
  // An empty value is written if that of a new resource is not empty.
  if (normalized === "" || normalized === null || (isList(normalized) && normalized.length === 0))
    return field.default !== undefined && field.default !== "" && differs(field.default);
  if (isObject(normalized) && Object.keys(normalized).length === 0) return false;
  return standard === undefined || differs(standard);
}

/** The kinds of a project whose resources fields name by ID: a replacement gives a resource another ID. */
export function listNamedKinds(live: readonly Live[], project: Project, catalogue: Catalogue): readonly PolicyKind[] {
  const kinds = new Set(live.map(({ kind }) => kind));
  const templates = new Set([...kinds].flatMap((kind) => lookUpTemplates(kindOf(catalogue, kind).file)));
  return policyKinds(catalogue, ownerOfName(project.name)).filter(({ kind }) => {
    const template = lookUpTemplate(kind, catalogue);
    return template !== undefined && templates.has(template);
  });
}

/** The look-up that turns keys of a kind into IDs; undefined for a kind without a list. */
function lookUpTemplate(kind: Kind, catalogue: Catalogue): string | undefined {
  const { read } = kindOf(catalogue, kind);
  return read && !read.isSingle ? `GET ${read.list.path}/:value` : undefined;
}

/** A value with names in place of the IDs of these resources. */
function withNames(field: FieldSchema, value: Value, named: readonly Live[], catalogue: Catalogue): Value {
  return mapScalars(field, value, ({ "x-lookup": template, "x-field": of = "id" }, each): Plain => {
    if (template === undefined || typeof each !== "number") return each;
    const isMeant = ({ kind, row }: Live) => row?.[of] === each && lookUpTemplate(kind, catalogue) === template;
    return named.find(isMeant)?.key ?? each;
  });
}
