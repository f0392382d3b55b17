import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import { isObject } from "../base/json.ts";
import { didYouMean, orElse } from "../base/nearest.ts";
import { linearPattern } from "../base/schema.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import type { Fault } from "./checked-yaml.ts";
import { compileKindExpression } from "./kind-expressions.ts";
import { isReservedName } from "./kind-schema.ts";
import { type Owner, pluralOwner } from "./owner.ts";
import {
  callDetails,
  type FieldSchema,
  isSingleton,
  keyFieldsOf,
  namesInPath,
  ownersOf,
  type ResourceKind,
  resourceKindShape,
  writtenCall,
} from "./resource-kind.ts";
import { strictnessFault } from "./strictness.ts";

type Path = readonly (string | number)[];

/** A place in a kind and its error; no error if the message is undefined or false. */
type Check = readonly [path: Path, message: string | false | undefined];

/** All errors of a kind. `others`: kinds that the workspace already has. */
export function resourceKindFaults(document: unknown, others: readonly Named[]): readonly Fault[] {
  const shapeless = resourceKindShape(document);
  if (shapeless.length > 0) return shapeless;
  const kind = document as ResourceKind;
  if (countParts(kind.fields) > mostParts)
    return [{ path: ["fields"], message: `expected at most ${mostParts} fields, conditions and lists` }];
  const schemas = schemasWithin(kind.fields, ["fields"]);
  const checks = [
    ...checkNames(kind, others),
    ...checkKeys(kind),
    ...checkCalls(kind),
    ...schemas.flatMap(([path, field]) => checkField(kind, path, field)),
    ...checkPatterns(kind.fields, ["fields"]),
    ...listExpressions(kind, schemas).flatMap((written) => checkExpression(kind, written)),
  ];
  return checks.flatMap(([path, message]) => (message ? [{ path, message }] : []));
}

/** The time to compile a schema grows with it; the largest bundled kind has fewer than 400 parts. */
const mostParts = 5000;

function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, each) => sum + countParts(each), 1);
}

type Named = Pick<ResourceKind, "name" | "singular" | "of">;

function checkNames(kind: ResourceKind, others: readonly Named[]): readonly Check[] {
  const owners = ownersOf(kind);
  const beside = others.filter(({ of }) => [of].flat().some((owner) => owners.includes(owner)));
  const names = beside.map(({ name }) => name);
  return [
    ...(["name", "singular"] as const).map((word): Check => {
      const isReserved = kind.under === undefined && reserved[word].has(kind[word]);
      if (isReserved) return [[word], `${kind[word]} is taken by Evenkeel itself`];
      const other = beside.find((each) => each[word] === kind[word] && !isReplacement(kind, each));
      return [[word], other && `${kind[word]} is taken by the kind ${other.name} of ${formatOwners(other)}`];
    }),
    ...(kind.after ?? []).map((name, index): Check => {
      const message = `there is no other kind ${name} of ${formatOwners(kind)}${orElse(name, names)}`;
      return [["after", index], !names.includes(name) && message];
    }),
  ];
}

/** True if a kind takes the place of a bundled one: its name, its word in addresses and its owners are the same. */
export function isReplacement(kind: Named, other: Named): boolean {
  const isBundled = plainKinds.some(({ file }) => file === other);
  return isBundled && kind.name === other.name && kind.singular === other.singular && `${kind.of}` === `${other.of}`;
}

/** Kinds described by a file alone. Integrations also have a catalogue, and storage is not a section of a policy. */
const plainKinds = Object.values(bundledKinds).filter(({ file, policy }) => policy && !file.keys);
const plainNames = new Set(plainKinds.flatMap(({ file, policy }) => (policy?.section === file.name ? file.name : [])));

/** Keys of a policy and words in addresses that are not of such a kind. */
const reserved = {
  name: new Set(
    [...Object.keys(manifest.definitions.Policy.properties), "absent", "protected"].filter(
      (each) => !plainNames.has(each),
    ),
  ),
  singular: new Set(Object.values(bundledKinds).flatMap((row) => (plainKinds.includes(row) ? [] : row.file.singular))),
};

function formatOwners({ of }: Named): string {
  return [of].flat().map(pluralOwner).join(" and ");
}

/** Unknown names of fields, and fields that cannot be part of a key: keys are shown everywhere, and never incomplete. */
function checkKeys(kind: ResourceKind): readonly Check[] {
  const { properties, required = [] } = kind.fields;
  const keys = keyFieldsOf(kind).map(
    (name, index) => [name, typeof kind.key === "string" ? ["key"] : ["key", index]] as const,
  );
  const only = kind.only === undefined ? [] : [[kind.only, ["only"]] as const];
  const needed = required.map((name, index) => [name, ["fields", "required", index]] as const);
  return [
    ...[...keys, ...only, ...needed].map(([name, path]): Check => [path, missingField(kind, name)]),
    ...keys.flatMap(([name, path]): Check[] => {
      const { writeOnly, type = "string", default: byDefault } = properties[name] ?? { default: null };
      const isOptional = !required.includes(name) && byDefault === undefined;
      const isText = [type].flat().every((each) => each === "string" || each === "integer");
      const at = ["fields", "properties", name];
      return [
        [path, isOptional && `${name} is part of the key: require it, or give it a default`],
        [[...at, "writeOnly"], writeOnly && `${name} is the key, which is no secret`],
        [[...at, "type"], !writeOnly && !isText && `${name} is the key: expected string or integer`],
      ];
    }),
  ];
}

interface WrittenExpression {
  readonly path: Path;
  readonly text: string | undefined;
  readonly names: readonly string[];
  readonly type: "bool" | "any";
}

function listExpressions(
  kind: ResourceKind,
  schemas: readonly (readonly [Path, FieldSchema])[],
): readonly WrittenExpression[] {
  const answerNames = ["params", "row", "rows", "above"];
  return [
    { path: ["where"], text: kind.where, names: ["row"], type: "bool" },
    { path: ["kept"], text: kind.kept, names: ["row", "owner"], type: "bool" },
    { path: ["loosened"], text: kind.loosened, names: ["before", "after"], type: "bool" },
    { path: ["tightened"], text: kind.tightened, names: ["before", "after"], type: "bool" },
    ...Object.entries(callDetails(kind.calls.create).sends ?? {}).map(([name, text]): WrittenExpression => {
      return { path: ["calls", "create", "sends", name], text, names: ["want", "owner"], type: "any" };
    }),
    ...(kind.answers ?? []).flatMap(({ when, body }, index): WrittenExpression[] => [
      { path: ["answers", index, "when"], text: when, names: answerNames, type: "bool" },
      { path: ["answers", index, "body"], text: body, names: answerNames, type: "any" },
    ]),
    ...schemas.flatMap(([path, field]) =>
      Object.entries(knownTo).flatMap(([word, names]): readonly WrittenExpression[] => {
        const written = field[word as keyof typeof knownTo];
        const shared = { names, type: "any" } as const;
        if (typeof written === "string") return [{ ...shared, path: [...path, word], text: written }];
        return Object.entries(written || {}).map(([name, text]) => ({ ...shared, path: [...path, word, name], text }));
      }),
    ),
  ];
}

const knownTo = {
  "x-read": ["row"],
  "x-send": ["want", "row"],
  "x-store": ["params", "row", "others", "target", "tier"],
  "x-immutable": ["row", "tier", "release"],
} as const;

/** Errors in an expression; unknown fields too if it reads those of the kind: it would never be true. */
function checkExpression(kind: ResourceKind, { path, text, names, type }: WrittenExpression): readonly Check[] {
  if (text === undefined) return [];
  const compiled = compileKindExpression(text, names, type);
  if ("fault" in compiled) return [[path, `not an expression of CEL: ${compiled.fault}`]];
  if (kind.fields.additionalProperties) return [];
  const read = compiled.members().flatMap(({ of, name }) => (of === "before" || of === "after" ? [name] : []));
  return [...new Set(read)].map((name) => [path, missingField(kind, name)]);
}

function checkField(kind: ResourceKind, path: Path, field: FieldSchema): readonly Check[] {
  const { "x-lookup": lookUp, "x-items": calls, "x-send": send, "x-send-as": sentAs } = field;
  const [, list, name = ""] = path;
  const isOwn = path.length === 3 && list === "properties";
  const parameters: readonly Check[] =
    typeof send === "object"
      ? Object.keys(send).map((each) => [[...path, "x-send", each], refuseReserved(each)])
      : [[sentAs ? [...path, "x-send-as"] : path, refuseReserved(sentAs ?? String(name))]];
  return [
    [
      [...path, "default"],
      field.writeOnly && field.default !== undefined && "the field is writeOnly: a secret has no default",
    ],
    [[...path, "x-strict"], strictnessFault(field)],
    [[...path, "x-lookup"], lookUp !== undefined && lookUpFault(lookUp)],
    [[...path, "x-items"], calls && !isOwn && "only a field of the resource has calls for its items"],
    ...(isOwn ? parameters : []),
    ...(isOwn && calls ? checkItems(kind, path, field, calls) : []),
  ];
}

/** Calls for items are below the path of the update, so that they can write nothing else. */
function checkItems(
  kind: ResourceKind,
  path: Path,
  { items }: FieldSchema,
  { key, ...calls }: NonNullable<FieldSchema["x-items"]>,
): readonly Check[] {
  const isKey = items?.properties && Object.hasOwn(items.properties, key) && items.required?.includes(key);
  return [
    [[...path, "x-items", "key"], !isKey && `${key} is no property that each item of ${path.at(-1)} needs`],
    ...Object.entries(calls).map(([word, text]): Check => [[...path, "x-items", word], itemFault(kind, text)]),
  ];
}

function itemFault(kind: ResourceKind, text: string): string | undefined {
  const { path } = writtenCall(text);
  const parent = kind.calls.update === undefined ? undefined : writtenCall(kind.calls.update).path;
  if (parent === undefined) return "the kind needs calls.update";
  if (!path.startsWith(`${parent}/`)) return `expected a path below that of the update, ${parent}`;
  const names = namesInPath(path).filter((name) => name !== "item");
  return strayPath(path) ?? unknownName(kind, "update", names);
}

function lookUpFault(lookUp: string): string | undefined {
  const path = lookUp.slice(lookUp.indexOf(" ") + 1);
  const stray = namesInPath(path).find((name) => name !== "id" && name !== "value");
  if (stray === undefined) return strayPath(path);
  return strayPath(path) ?? `a look-up has :value and :id, and no :${stray}${didYouMean(stray, ["value", "id"])}`;
}

function refuseReserved(parameter: string): string | undefined {
  if (!isReservedName(parameter)) return undefined;
  return `${parameter.trim()} decides the method of a request, or as whom it is sent; expected another name`;
}

function checkPatterns(schema: unknown, path: Path): readonly Check[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => checkPatterns(each, [...path, index]));
  if (!isObject(schema)) return [];
  const { pattern, patternProperties } = schema;
  const own = typeof pattern === "string" ? [[pattern, [...path, "pattern"]] as const] : [];
  const ofKeys = Object.keys(isObject(patternProperties) ? patternProperties : {}).map(
    (text) => [text, [...path, "patternProperties", text]] as const,
  );
  const checks = [...own, ...ofKeys].map(([text, at]): Check => [at, patternFault(text)]);
  return [...checks, ...Object.entries(schema).flatMap(([name, each]) => checkPatterns(each, [...path, name]))];
}

function patternFault(text: string): string | undefined {
  try {
    new RegExp(text, "u");
  } catch (error) {
    const { message } = error as Error;
    return `not a regular expression: ${message.slice(message.lastIndexOf(": ") + 2).toLowerCase()}`;
  }
  const linear = linearPattern(text);
  if (!linear) return "expected a pattern without look-around and back-references, as RE2 has them";
  return linear.isLarge ? "this pattern is too large; use fewer or smaller counts such as {9}" : undefined;
}

function schemasWithin(schema: FieldSchema, path: Path): readonly (readonly [Path, FieldSchema])[] {
  const { additionalProperties: others } = schema;
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    schemasWithin(each, [...path, "properties", name]),
  );
  const items = schema.items ? schemasWithin(schema.items, [...path, "items"]) : [];
  const open = isObject(others) ? schemasWithin(others as FieldSchema, [...path, "additionalProperties"]) : [];
  return [[path, schema], ...inside, ...items, ...open];
}

/**
 * Calls whose removals no guard counts, and paths outside the API, without project or group, or with unknown fields.
 * Rows may have further fields, so `row.` is not checked.
 */
function checkCalls(kind: ResourceKind): readonly Check[] {
  return Object.entries(kind.calls).flatMap(([name, call]): Check[] => {
    const { method, path } = writtenCall(call);
    const { before } = callDetails(call);
    const fault =
      strayPath(path) ?? hiddenRemoval(kind, name, method, path) ?? unknownName(kind, name, namesInPath(path));
    const early = before === undefined ? undefined : precedingFault(kind, name, writtenCall(before).path);
    return [
      [["calls", name], fault],
      [["calls", name, "before"], early],
    ];
  });
}

/** A call before another one may not remove anything, and concerns the same project or group. */
function precedingFault(kind: ResourceKind, name: string, path: string): string | undefined {
  if (name === "create") return "there is nothing yet that a call before a creation could change";
  return strayPath(path) ?? boundedPath(kind, path) ?? unknownName(kind, name, namesInPath(path));
}

/** Guards count only `delete` as a removal, of one resource of the project or group in the plan. */
function hiddenRemoval(kind: ResourceKind, name: string, method: string, path: string): string | undefined {
  if (method !== "DELETE") return undefined;
  if (name !== "delete") return `DELETE removes something; expected POST, PUT or PATCH for ${name}`;
  return boundedPath(kind, path, "it may delete a project or group itself, or something of another; ");
}

function boundedPath(kind: ResourceKind, path: string, why = ""): string | undefined {
  const bounds = ownersOf(kind).map((owner) => below[owner]);
  if (bounds.some(({ pattern }) => pattern.test(path))) return undefined;
  return `${why}expected a path below ${bounds.map(({ words }) => words).join(" or ")}`;
}

/** Bounds on the paths of a kind by its owner; for the instance, everything outside projects, groups and users. */
const below: Readonly<Record<Owner, { readonly pattern: RegExp; readonly words: string }>> = {
  project: { pattern: /^\/projects\/:id\/[\w:-]/, words: "/projects/:id" },
  group: { pattern: /^\/groups\/:id\/[\w:-]/, words: "/groups/:id" },
  instance: {
    pattern: /^\/(?!(?:projects|groups|users)\b)[\w-]/,
    words: "/, but not below /projects, /groups or /users",
  },
};

/** A path that URL parsers or servers could resolve to another one, or that decides what the request is. */
function strayPath(path: string): string | undefined {
  if (/^\/api\/v\d+\//.test(path)) return "leave out /api/v4: paths are relative to it";
  const reserved = [...new URLSearchParams(path.split("?")[1]).keys()].find(isReservedName);
  if (reserved !== undefined) return refuseReserved(reserved);
  return /^(?:\/[\w:-][\w:.-]*)+(?:\?[\w:.=&[\]-]*)?$/.test(path)
    ? undefined
    : "expected a path below /api/v4, without #, % and \\, and without parts that are empty or begin with .";
}

function unknownName(kind: ResourceKind, call: string, names: readonly string[]): string | undefined {
  const isWhole = call === "list" || (call === "show" && isSingleton(kind));
  const fault = names.find(
    (each) => !each.startsWith("row.") && each !== "id" && !Object.hasOwn(kind.fields.properties, each),
  );
  if (fault !== undefined)
    return `there is no field ${fault}${orElse(fault, ["id", "row.id", ...Object.keys(kind.fields.properties)])}`;
  const early = (isWhole || call === "create") && names.find((each) => each.startsWith("row."));
  if (early) return `there is no row yet, so the path cannot have :${early}`;
  const field = isWhole && names.find((each) => each !== "id");
  if (field) return `it reads everything of a project or group, so the path cannot have :${field}`;
  if (kind.under !== undefined && !isWhole) return undefined;
  const isOfInstance = ownersOf(kind).every((owner) => owner === "instance");
  if (isOfInstance) return names.includes("id") ? "the instance has no ID, so the path cannot have :id" : undefined;
  return names.includes("id") ? undefined : "the path needs :id, the project or group";
}

function missingField({ fields: { properties } }: ResourceKind, name: string): string | undefined {
  if (Object.hasOwn(properties, name)) return undefined;
  return `there is no field ${name}${orElse(name, Object.keys(properties))}`;
}
