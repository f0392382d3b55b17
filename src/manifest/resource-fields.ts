import { type JsonObject, valueAtPath } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import type { SchemaFault } from "../base/schema.ts";
import { expectedWords } from "../base/type-words.ts";
import { meaningOf } from "../model/field-meaning.ts";
import { resourceCheck } from "../model/kind-schema.ts";
import { type FieldSchema, isSingleton, keyFieldsOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Fields, Plain, Problem, Value } from "../model/types.ts";
import { isReference, replaceReferences, textsWithin } from "../model/values.ts";
import { fieldAvailability } from "./field-availability.ts";
import type { Declared } from "./parameters.ts";
import { commentHint, problemAt } from "./problem.ts";
import { ResourceReading } from "./resource-reading.ts";
import { isTemplate } from "./template.ts";
import type { Workspace } from "./workspace.ts";
import { pathIn, type WrittenResource } from "./written-resource.ts";

/** Checks all fields of a resource that do not depend on a variable, and brings them into normal form. */
export function declareResource(written: WrittenResource, workspace: Workspace): Declared {
  const { parameters: fields } = written;
  const reading = new ResourceReading(written, workspace);
  const read = reading.fields(fields);
  const faults = faultsOf(written, read).filter(({ path }) => !reading.isSettled(path));
  const broken = new Set([...reading.broken, ...faults.map(({ path }) => String(path[0]))]);
  const own = Object.entries(read).filter(([name]) => !broken.has(name) && !Object.hasOwn(written.keys, name));
  const templates = own.filter(([, value]) => textsWithin(value).some(isTemplate)).map(([name]) => name);
  return {
    fields: normalFields(written.file, Object.fromEntries(own), new Set(templates)),
    templates,
    plaintext: reading.plaintext,
    problems: [
      ...reading.problems,
      ...faults.map((fault) => problemOf(written, fields, fault)),
      ...mentionedKeys(written, fields),
      ...fieldAvailability(written, workspace.server),
    ],
  };
}

/** In the order of the kind's file, which is the same whatever the order of keys in the manifest. */
function normalFields({ fields: { properties } }: ResourceKind, fields: Fields, open: ReadonlySet<string>): Fields {
  const order = new Map(Object.keys(properties).map((name, index) => [name, index]));
  const rank = (name: string) => order.get(name) ?? order.size;
  const names = Object.keys(fields).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(
    names.map((name) => {
      const value = fields[name] as Value;
      return [name, open.has(name) ? value : normalField(properties, name, value)];
    }),
  );
}

function normalField(properties: Readonly<Record<string, FieldSchema>>, name: string, value: Value): Value {
  return meaningOf(properties[name] ?? {}, value);
}

/** The problems of fields whose interpolations have values now, which are brought into normal form too. */
export function interpolatedResource(
  written: WrittenResource,
  templates: readonly string[],
  fields: Fields,
  setBy: (name: string) => WrittenResource = () => written,
): { readonly fields: Fields; readonly problems: readonly Problem[] } {
  const open = new Set(templates);
  const isWhole = templates.every((name) => Object.hasOwn(fields, name));
  const faults = faultsOf(written, fields).filter(({ path, rule, keyword }) => {
    const [top] = path;
    if (top === undefined) return isWhole && combining.has(keyword);
    return rule !== "missing-key" && open.has(String(top));
  });
  const known = new Set(Object.keys(fields).filter((name) => !open.has(name)));
  return {
    fields: normalFields(written.file, fields, known),
    problems: faults.map((fault) => problemOf(setBy(String(fault.path[0])), fields, fault)),
  };
}

/** What fields are not together, though each policy that sets some of them is right; nothing is interpolated any more. */
export function combinedFaults(
  written: WrittenResource,
  fields: Fields,
  policies: readonly string[],
): readonly Problem[] {
  return faultsOf(written, fields)
    .filter(({ path }) => path.length === 0)
    .map((fault) => {
      const message = `${fault.message}, which policies ${policies.join(" and ")} set together`;
      return problemOf(written, fields, { ...fault, message });
    });
}

/** The problems of the fields that the key names. */
export function keyProblems(written: WrittenResource): readonly Problem[] {
  const faults = faultsOf(written, {}).filter(
    ({ path: [top] }) => top !== undefined && Object.hasOwn(written.keys, top),
  );
  return faults.map((fault) => problemOf(written, {}, fault));
}

/** What the schema of the kind says of fields: not of what is secret or interpolated, and of a part of a singleton. */
function faultsOf({ file, keys }: WrittenResource, fields: Fields): readonly SchemaFault[] {
  const visible = replaceReferences(fields as Plain, () => "");
  const all = [...resourceCheck(file)({ ...keys, ...(visible as JsonObject) }), ...emptyKey(file, keys)];
  return all.filter(({ keyword, path }) => {
    if (keyword === "required" && path.length === 1 && isSingleton(file)) return false;
    const at = valueAtPath({ ...keys, ...fields }, path);
    if (isTemplate(at) || (isContainer(at) && isReference(at as Value))) return false;
    return !combining.has(keyword) || !isOpen(at);
  });
}

/** Of a key of several fields the first has no default: `@production` names nothing. */
function emptyKey(file: ResourceKind, keys: JsonObject): readonly SchemaFault[] {
  const [first = "", ...others] = keyFieldsOf(file);
  if (others.length === 0 || keys[first] !== "" || resourceCheck(file)(keys).some(({ path }) => path[0] === first))
    return [];
  const message = "expected text before the first @, got nothing";
  return [{ rule: "wrong-value", keyword: "minLength", message, path: [first] }];
}

function isContainer(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
}

/** Keywords of a list or mapping that depend on the values in it. */
const combining = new Set(["anyOf", "oneOf", "not", "uniqueItems", "contains"]);

function isOpen(value: unknown): boolean {
  return isContainer(value) && textsWithin(value as Plain).some(isTemplate);
}

/** A key field that is mentioned again must be the same. */
function mentionedKeys({ document, path, keys }: WrittenResource, fields: JsonObject): readonly Problem[] {
  return Object.keys(keys)
    .filter((name) => Object.hasOwn(fields, name) && String(fields[name]) !== String(keys[name]))
    .map((name) => {
      const message = `the key says that ${name} is ${keys[name]}; it needs no second mention`;
      return problemAt("wrong-value", message, { document, path: [...path, name] });
    });
}

/** A problem for a fault, at the key for a missing or unknown field, else at the value. */
function problemOf(written: WrittenResource, fields: JsonObject, { rule, message, path: at }: SchemaFault): Problem {
  const { document, path, file, keys } = written;
  const [top, below] = at;
  const here = pathIn(written, at);
  if (top === undefined) return problemAt(rule, message, { document, path, of: "key" });
  if (Object.hasOwn(keys, top) && !Object.hasOwn(fields, top))
    return problemAt("wrong-value", `${top}: ${message}`, { document, path, of: "key" });
  const isKey = rule === "missing-key" || rule === "unknown-key";
  const words = isKey && below === undefined ? topMessage(file, String(top), rule === "missing-key") : message;
  const hint = isKey ? "" : commentHint(document, here, valueAtPath(fields, at));
  return problemAt(rule, `${words}${hint}`, { document, path: here, of: isKey ? "key" : "value" });
}

function topMessage({ name: section, singular, fields }: ResourceKind, name: string, isMissing: boolean): string {
  const words = singular.replaceAll("_", " ");
  const { properties } = fields;
  if (isMissing) return `${words} needs ${name}: ${expectationOf(properties[name] ?? {})}`;
  return `${words} has no field ${name}${didYouMean(name, Object.keys(properties)) || `; see evenkeel explain ${section}`}`;
}

function expectationOf({ writeOnly, "x-expected": expected, type, enum: allowed }: FieldSchema): string {
  if (writeOnly) return "{ secret: env:NAME }";
  return expected ?? expectedWords(type, allowed) ?? "a value";
}
