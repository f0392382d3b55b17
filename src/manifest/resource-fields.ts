import {
  expectedWords,
  isObject,
  type JsonObject,
  objectOf,
  typeWord,
  valueAtPath,
  valueInWords,
} from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean, suggestionFor } from "../base/nearest.ts";
import { insteadOf, type SchemaFault } from "../base/schema.ts";
import { serverWords } from "../model/availability.ts";
import { formatFault, hasFormats } from "../model/field-formats.ts";
import { itemKey, meaningOf, propertyOf } from "../model/field-meaning.ts";
import type { Integration, IntegrationParameter } from "../model/integration.ts";
import { resourceCheck } from "../model/kind-schema.ts";
import type { Owner } from "../model/owner.ts";
import { expectationOf as expectedParameter, type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import { compareReleases } from "../model/releases.ts";
import { type FieldSchema, isSingleton, keyFieldsOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Fields, Plain, Platform, Problem, Value } from "../model/types.ts";
import { isReference, isScalar, replaceReferences, textsWithin } from "../model/values.ts";
import { pathIn, type WrittenResource } from "./entries.ts";
import { fieldAvailability } from "./field-availability.ts";
import { ownerOfPolicy } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { commentHint, problemAt, type Rule } from "./problem.ts";
import { plaintextProblems, type ResourceReading, readSecrets } from "./secret-reference.ts";
import { isTemplate, referenceProblems } from "./template.ts";
import type { Workspace } from "./workspace.ts";

export interface Declared extends Omit<ResourceReading, "broken"> {
  readonly templates: readonly string[];
}

type Fault = Omit<SchemaFault, "rule"> & { readonly rule: Rule };

export function declareResource(written: WrittenResource, workspace: Workspace): Declared {
  const { parameters, keys } = written;
  const { fields: read, problems, plaintext, broken } = readSecrets(written, workspace);
  const faults = faultsOf(written, read);
  for (const { path } of faults) broken.add(String(path[0]));
  const names = Object.keys(read).filter((name) => !broken.has(name) && !Object.hasOwn(keys, name));
  const open = Object.keys(read).filter((name) => isOpen(read[name]) && propertyOf(written.fields, name));
  const templates = names.filter((name) => open.includes(name));
  const owner = ownerOfPolicy(written.document.value);
  return {
    fields: normalFields(written, read, names, templates),
    templates,
    plaintext,
    problems: problems.concat(
      faults.map((fault) => problemOf(written, parameters, fault)),
      mentionedKeys(written, parameters),
      open.flatMap((name) => textProblems(written, owner, read[name] as Value, [name])),
      legacyWords(written, workspace.server),
      fieldAvailability(written, workspace.server),
      warnInactive(written),
    ),
  };
}

function warnInactive({ document, path, entry, parameters, inherits }: WrittenResource): readonly Problem[] {
  if (entry?.parameters.get("active")?.default !== false || "active" in parameters || inherits) return [];
  const message = `${entry.slug} will be off: active is not set, and its default is false`;
  return [problemAt("inactive", message, { document, path, of: "key" })];
}

/** Problems of the interpolations in a value, also in the names of its secrets. */
function textProblems(written: WrittenResource, owner: Owner, value: Value, path: Path): readonly Problem[] {
  if (!isContainer(value)) return referenceProblems(value, owner, { ...written, path: pathIn(written, path) });
  return Object.entries(value).flatMap(([name, each]) =>
    textProblems(written, owner, each, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** Deprecated words, which servers of later releases reject. */
function legacyWords(written: WrittenResource, server: Platform): readonly Problem[] {
  const { document, fields, parameters } = written;
  return legacyFields(fields).flatMap(([name, { "x-words": words = {}, "x-legacy": release = "" }]) => {
    const word = parameters[name];
    if (typeof word !== "string" || !Object.hasOwn(words, word)) return [];
    const message = `${word} is the legacy word for ${words[word]}, removed in release ${release}`;
    const severity = compareReleases(server.release, release) < 0 ? "warning" : "error";
    return [{ ...problemAt("legacy-status", message, { document, path: pathIn(written, [name]) }), severity }];
  });
}

const legacyFields = memoized(
  ({ properties }: ResourceKind["fields"]) =>
    Object.entries(properties).filter(([, field]) => field["x-legacy"] !== undefined),
  new WeakMap(),
);

/** Normalised fields in the order of the schema, independent of the manifest's; sorts `names` in place. */
function normalFields(
  { fields: { properties } }: WrittenResource,
  fields: Fields,
  names: string[],
  open: readonly string[],
): Fields {
  const order = orderOf(properties);
  const rank = (name: string) => order.get(name) ?? order.size;
  names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return objectOf(names, (name) => {
    const value = fields[name] as Value;
    return open.includes(name) ? value : meaningOf(properties[name] ?? {}, value);
  });
}

const orderOf = memoized(
  (properties: Readonly<Record<string, FieldSchema>>): ReadonlyMap<string, number> =>
    new Map(Object.keys(properties).map((name, index) => [name, index])),
  new WeakMap(),
);

export function checkInterpolated(
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
    return !isMissing(rule) && open.has(String(top));
  });
  const known = Object.keys(fields).filter((name) => !open.has(name));
  return {
    fields: normalFields(written, fields, Object.keys(fields), known),
    problems: [
      ...faults.map((fault) => problemOf(setBy(String(fault.path[0])), fields, fault)),
      ...plaintextProblems(written, fields),
    ],
  };
}

export function combinedFaults(
  written: WrittenResource,
  fields: Fields,
  policies: readonly string[],
): readonly Problem[] {
  const together = `, which policies ${policies.join(" and ")} set together`;
  const faults = faultsOf(written, fields).filter(({ path }) => path.length === 0);
  return [
    ...faults.map((fault) => problemOf(written, fields, { ...fault, message: `${fault.message}${together}` })),
    ...plaintextProblems(written, fields),
  ];
}

export function missingFields(written: WrittenResource, fields: Fields): readonly Problem[] {
  const faults = faultsOf({ ...written, inherits: false }, fields).filter(({ rule }) => isMissing(rule));
  return faults.map((fault) => problemOf(written, fields, fault));
}

export function keyProblems(written: WrittenResource): readonly Problem[] {
  const faults = faultsOf(written, {}).filter(({ path: [top = ""] }) => Object.hasOwn(written.keys, top));
  return faults.map((fault) => problemOf(written, {}, fault));
}

/**
 * Faults by the schema of the kind, except for secret or interpolated values, and for missing fields in a part of a
 * singleton.
 */
function faultsOf(written: WrittenResource, fields: Fields): readonly Fault[] {
  const { file, keys } = written;
  const hasReferences = !Object.values(fields).every(isScalar);
  const visible = (hasReferences ? replaceReferences(fields as Plain, () => "") : fields) as JsonObject;
  const schema: readonly Fault[] = written.entry
    ? parameterFaultsOf(written.entry, visible, written.platform)
    : [...resourceCheck(file)({ ...keys, ...visible }), ...emptyKey(file, keys)];
  const all = hasFormats(written.fields)
    ? [...schema, ...formatFaults(written, written.fields, { ...keys, ...visible }, []).filter(isNew(schema))]
    : schema;
  if (all.length === 0) return all;
  const values = { ...keys, ...fields };
  return all.filter(({ keyword, path, rule }) => {
    if (keyword === "required" && path.length === 1 && isSingleton(file)) return false;
    if (written.inherits && isMissing(rule)) return false;
    const at = valueAtPath(values, path);
    if (isTemplate(at) || (isContainer(at) && isReference(at as Value))) return false;
    return !combining.has(keyword) || !isOpen(at);
  });
}

/**
 * Values that violate the `format` of their field. For integrations only texts with `://` are checked, because their
 * parameters also accept values without a scheme.
 */
function formatFaults(
  written: WrittenResource,
  field: FieldSchema,
  value: unknown,
  path: Fault["path"],
): readonly Fault[] {
  if (typeof value === "string") {
    const expected = written.entry && !value.includes("://") ? undefined : formatFault(field, value);
    if (expected === undefined) return [];
    return [{ rule: "wrong-value", keyword: "format", message: `expected ${expected}`, path }];
  }
  if (Array.isArray(value))
    return [
      ...repeatedItems(field, value, path),
      ...value.flatMap((each, index) => formatFaults(written, field.items ?? {}, each, [...path, index])),
    ];
  if (!isContainer(value)) return none;
  return Object.keys(value).flatMap((name) => {
    const property = propertyOf(field, name);
    return property && hasFormats(property) ? formatFaults(written, property, value[name], [...path, name]) : none;
  });
}

function repeatedItems(
  { "x-items": calls }: FieldSchema,
  value: readonly Plain[],
  path: Fault["path"],
): readonly Fault[] {
  if (!calls) return [];
  const keys = value.map((item) => itemKey(calls.key, item));
  return keys.flatMap((key, index) =>
    key === "" || keys.indexOf(key) === index
      ? []
      : [{ rule: "wrong-value", keyword: "uniqueItems", message: `${key} is listed twice`, path: [...path, index] }],
  );
}

const none: readonly never[] = [];

function isNew(faults: readonly Fault[]): (fault: Fault) => boolean {
  const known = new Set(faults.map(({ path }) => JSON.stringify(path)));
  return ({ path }) => !known.has(JSON.stringify(path));
}

function parameterFaultsOf(entry: Integration, values: JsonObject, { release }: Platform): readonly Fault[] {
  return parameterFaults(entry, values, release).map(({ parameter, fault, expected }) => {
    return { rule: faultRules[fault], keyword: fault, message: expected, path: [parameter] };
  });
}

const faultRules = {
  missing: "required-parameter",
  unknown: "unknown-parameter",
  type: "parameter-type",
  enum: "parameter-enum",
  pattern: "parameter-pattern",
} as const satisfies Readonly<Record<FaultKind, Rule>>;

function isMissing(rule: Rule): boolean {
  return rule === "missing-key" || rule === "required-parameter";
}

/** The first field of a composite key has no default: `@production` names nothing. */
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
  return isContainer(value) ? textsWithin(value as Plain).some(isTemplate) : isTemplate(value);
}

function mentionedKeys({ document, path, keys }: WrittenResource, fields: JsonObject): readonly Problem[] {
  return Object.keys(keys)
    .filter((name) => Object.hasOwn(fields, name) && String(fields[name]) !== String(keys[name]))
    .map((name) => {
      const message = `the key says that ${name} is ${keys[name]}; it needs no second mention`;
      return problemAt("wrong-value", message, { document, path: [...path, name] });
    });
}

/** A problem for a fault, at the key for a missing or unknown field, else at the value. */
function problemOf(written: WrittenResource, fields: JsonObject, fault: Fault): Problem {
  const { document, path, keys, entry } = written;
  const { rule, message, path: at } = fault;
  const [top, below] = at;
  const here = pathIn(written, at);
  if (top === undefined) return problemAt(rule, message, { document, path, of: "key" });
  if (Object.hasOwn(keys, top) && !Object.hasOwn(fields, top))
    return problemAt("wrong-value", `${top}: ${message}`, { document, path, of: "key" });
  if (isMissing(rule) && entry)
    return problemAt(rule, missingWords(written, String(top)), { document, path, of: "key" });
  if (isMissing(rule) || rule === "unknown-key" || rule === "unknown-parameter") {
    const words = isMissing(rule) ? missingWords(written, String(top)) : unknownWords(written, String(top));
    return problemAt(rule, below === undefined ? words : message, { document, path: here, of: "key" });
  }
  const value = valueAtPath(fields, at);
  const hint = commentHint(document, here, value);
  const isParameter = entry && fault.keyword !== "format";
  const words = isParameter
    ? parameterWords(entry.parameters.get(String(top)), message, value, hint)
    : `${message}${hint}`;
  return problemAt(rule, words, { document, path: here, of: "value" });
}

/** `webhook needs url: a string`; for an integration, with the release since which it is optional. */
function missingWords({ file, fields, entry, platform }: WrittenResource, name: string): string {
  const optionalFrom = entry?.parameters.get(name)?.optionalFrom;
  const until =
    optionalFrom === undefined ? "" : `; it is optional from release ${optionalFrom} on, and ${serverWords(platform)}`;
  const subject = entry?.slug ?? file.singular.replaceAll("_", " ");
  return `${subject} needs ${name}: ${expectationOf(fields.properties[name] ?? {})}${until}`;
}

function unknownWords({ file, fields, entry }: WrittenResource, name: string): string {
  const near = insteadOf(name, file.fields) || didYouMean(name, Object.keys(fields.properties));
  if (!entry)
    return `${file.singular.replaceAll("_", " ")} has no field ${name}${near || `; see evenkeel explain ${file.name}`}`;
  const why = entry.undeclared.get(name);
  if (why !== undefined) return `${entry.slug} has no parameter ${name} here: ${why}`;
  const other = entry.foreignNames.get(name);
  const what = `${entry.slug} has no parameter ${name}`;
  if (other) return `${what}: that is a name of dialect ${other.dialect}; here it is ${other.name}`;
  return `${what}${near || `; see evenkeel explain ${entry.slug}`}`;
}

/** Values are quoted only if they cannot be a secret, so free text never is. */
function parameterWords(
  parameter: IntegrationParameter | undefined,
  expected: string,
  value: unknown,
  hint: string,
): string {
  const isSecret = parameter?.secret === true;
  const isClosed = parameter && !isSecret && (parameter.enum || !parameter.types.includes("string"));
  const lacksPattern = parameter?.pattern && typeof value === "string";
  const got = isClosed ? valueInWords(value) : lacksPattern ? "one without it" : typeWord(value);
  const wanted = isSecret && isObject(value) ? "{ secret: env:NAME }" : expected;
  const [key = ""] = isObject(value) ? Object.keys(value) : [];
  const meant = isObject(value) ? didYouMean(key, ["secret"]) : suggestionFor(value, parameter?.enum);
  return `expected ${wanted}, got ${got}${hint}${meant}`;
}

function expectationOf(field: FieldSchema | IntegrationParameter): string {
  if (field.writeOnly) return "{ secret: env:NAME }";
  if ("types" in field) return expectedParameter(field);
  return field["x-expected"] ?? expectedWords(field.type, field.enum) ?? "a value";
}
