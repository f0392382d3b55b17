import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import type { MemberRead } from "../base/cel.ts";
import { isObject } from "../base/json.ts";
import { didYouMean, orElse } from "../base/nearest.ts";
import { linearPattern } from "../base/schema-violations.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import { isReservedName } from "./kind-schema.ts";
import { type Owner, pluralOwner } from "./owner.ts";
import {
  creationParameters,
  type FieldSchema,
  isSingleton,
  keyFieldsOf,
  namesInPath,
  ownersOf,
  precedingCall,
  type ResourceKind,
  resourceKindShape,
  writtenCall,
} from "./resource-kind.ts";
import { strictnessFault } from "./strictness.ts";

/** Compiles an expression with these variables; returns the error, completing "…: ", or the members that it reads. */
export type ExpressionCheck = (
  text: string,
  names: readonly string[],
  type: "bool" | "any",
) => { readonly fault: string } | { readonly members: () => readonly MemberRead[] };

/** Accepts every expression: they cannot be compiled here, or are known to be valid. */
export const unchecked: ExpressionCheck = () => ({ members: () => [] });

/** All errors of a kind. `others`: kinds that the workspace already has. */
export function resourceKindFaults(
  document: unknown,
  others: readonly Pick<ResourceKind, "name" | "singular" | "of">[],
  check: ExpressionCheck,
): readonly KindFault[] {
  const shapeless = resourceKindShape(document);
  if (shapeless.length > 0) return shapeless;
  const kind = document as ResourceKind;
  if (countParts(kind.fields) > mostParts)
    return faultAt(["fields"], `expected at most ${mostParts} fields, conditions and lists`);
  return [
    ...takenNames(kind, others),
    ...unknownOrder(kind, others),
    ...unknownFields(kind),
    ...pathFaults(kind),
    ...fieldFaults(kind),
    ...listExpressions(kind).flatMap(({ text, path, names, type }) => {
      const result = check(text, names, type);
      if ("fault" in result) return [{ path, message: `not an expression of CEL: ${result.fault}` }];
      return unknownMembers(kind, result.members()).flatMap((name) => faultAt(path, describeMissingField(kind, name)));
    }),
  ];
}

/** The time to compile a schema grows with it; the largest bundled kind has fewer than 400 parts. */
const mostParts = 5000;

function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, each) => sum + countParts(each), 1);
}

/** Unknown fields in an expression that reads the fields of the kind: it would never be true. */
function unknownMembers({ fields }: ResourceKind, members: readonly MemberRead[]): readonly string[] {
  if (fields.additionalProperties) return [];
  const read = members.filter(({ of }) => withFields.has(of)).map(({ name }) => name);
  return [...new Set(read)].filter((name) => !Object.hasOwn(fields.properties, name));
}

const withFields: ReadonlySet<string> = new Set(["before", "after"]);

type Named = Pick<ResourceKind, "name" | "singular" | "of">;

function takenNames(kind: ResourceKind, others: readonly Named[]): readonly KindFault[] {
  return (["name", "singular"] as const).flatMap((word): readonly KindFault[] => {
    if (kind.under === undefined && reserved[word].has(kind[word]))
      return [{ path: [word], message: `${kind[word]} is taken by Evenkeel itself` }];
    const owners = ownersOf(kind);
    const other = others.find(
      (each) =>
        each[word] === kind[word] && [each.of].flat().some((of) => owners.includes(of)) && !isReplacement(kind, each),
    );
    if (!other) return [];
    return [{ path: [word], message: `${kind[word]} is taken by the kind ${other.name} of ${formatOwners(other)}` }];
  });
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

function unknownOrder(kind: ResourceKind, others: readonly Named[]): readonly KindFault[] {
  const candidates = others.filter(({ of }) => [of].flat().some((owner) => ownersOf(kind).includes(owner)));
  const names = candidates.map(({ name }) => name);
  return (kind.after ?? []).flatMap((name, index): KindFault[] => {
    if (names.includes(name)) return [];
    const message = `there is no other kind ${name} of ${formatOwners(kind)}${orElse(name, names)}`;
    return [{ path: ["after", index], message }];
  });
}

function formatOwners({ of }: Named): string {
  return [of].flat().map(pluralOwner).join(" and ");
}

/** Unknown names of fields, and optional key fields without a default for an omitted part. */
function unknownFields(kind: ResourceKind): readonly KindFault[] {
  const { properties, required = [] } = kind.fields;
  const keys = keyFieldsOf(kind).map((name, index) => {
    return { name, path: typeof kind.key === "string" ? ["key"] : ["key", index] };
  });
  const named = [
    ...keys,
    ...(kind.only === undefined ? [] : [{ name: kind.only, path: ["only"] }]),
    ...required.map((name, index) => ({ name, path: ["fields", "required", index] })),
  ];
  const unknown = named.filter(({ name }) => !Object.hasOwn(properties, name));
  const optional = keys.filter(({ name }) => {
    const field = properties[name];
    return field && !required.includes(name) && field.default === undefined;
  });
  return [
    ...unknown.flatMap(({ name, path }) => faultAt(path, describeMissingField(kind, name))),
    ...optional.flatMap(({ name, path }) =>
      faultAt(path, `${name} is part of the key: require it, or give it a default`),
    ),
  ];
}

interface WrittenExpression {
  readonly path: readonly (string | number)[];
  readonly text: string;
  readonly names: readonly string[];
  readonly type: "bool" | "any";
}

function listExpressions(kind: ResourceKind): readonly WrittenExpression[] {
  const whole = [
    ["where", ["row"]],
    ["kept", ["row", "owner"]],
    ["loosened", ["before", "after"]],
    ["tightened", ["before", "after"]],
  ] as const;
  return [
    ...whole.flatMap(([word, names]): WrittenExpression[] => {
      const text = kind[word];
      return text === undefined ? [] : [{ path: [word], text, names, type: "bool" }];
    }),
    ...Object.entries(creationParameters(kind)).map(([name, text]): WrittenExpression => {
      return { path: ["calls", "create", "sends", name], text, names: ["want", "owner"], type: "any" };
    }),
    ...(kind.answers ?? []).flatMap(({ when, body }, index): WrittenExpression[] => {
      const names = ["params", "row", "rows", "above"];
      return [
        { path: ["answers", index, "when"], text: when, names, type: "bool" },
        { path: ["answers", index, "body"], text: body, names, type: "any" },
      ];
    }),
    ...schemasWithin(kind.fields, ["fields"]).flatMap(([path, field]) => fieldExpressions(path, field)),
  ];
}

function fieldExpressions(path: KindFault["path"], field: FieldSchema): readonly WrittenExpression[] {
  return (["x-read", "x-send", "x-store", "x-immutable"] as const).flatMap((word) => {
    const written = field[word] ?? {};
    if (typeof written === "boolean") return [];
    const texts: readonly (readonly [string[], string])[] =
      typeof written === "string" ? [[[], written]] : Object.entries(written).map(([name, text]) => [[name], text]);
    return texts.map(([inside, text]): WrittenExpression => {
      return { path: [...path, word, ...inside], text, names: knownTo[word], type: "any" };
    });
  });
}

const knownTo = {
  "x-read": ["row"],
  "x-send": ["want", "row"],
  "x-store": ["params", "row", "others", "target", "tier"],
  "x-immutable": ["row", "tier", "release"],
} as const;

function fieldFaults(kind: ResourceKind): readonly KindFault[] {
  return [
    ...schemasWithin(kind.fields, ["fields"]).flatMap(([path, field]) => [
      ...secretDefaults(path, field),
      ...faultAt([...path, "x-strict"], strictnessFault(field)),
      ...lookUpFaults(path, field),
    ]),
    ...unfitKeys(kind),
    ...reservedParameters(kind),
    ...itemFaults(kind),
    ...unfitPatterns(kind.fields, ["fields"]),
  ];
}

type Path = KindFault["path"];

function lookUpFaults(path: Path, { "x-lookup": lookUp }: FieldSchema): readonly KindFault[] {
  if (lookUp === undefined) return [];
  const asked = lookUp.slice(lookUp.indexOf(" ") + 1);
  const stray = namesInPath(asked).find((name) => name !== "id" && name !== "value");
  const message =
    strayPath(asked) ??
    (stray === undefined
      ? undefined
      : `a look-up has :value and :id, and no :${stray}${didYouMean(stray, ["value", "id"])}`);
  return faultAt([...path, "x-lookup"], message);
}

/** A secret has no default: it is neither written down nor compared. */
function secretDefaults(path: Path, field: FieldSchema): readonly KindFault[] {
  if (!field.writeOnly || field.default === undefined) return [];
  return [{ path: [...path, "default"], message: "the field is writeOnly: a secret has no default" }];
}

function reservedParameters({ fields: { properties } }: ResourceKind): readonly KindFault[] {
  return Object.entries(properties).flatMap(([name, { "x-send": send, "x-send-as": sentAs }]) => {
    const sent: readonly Path[] =
      typeof send === "object" ? Object.keys(send).map((each) => ["x-send", each]) : sentAs ? [["x-send-as"]] : [[]];
    return sent.flatMap((inside): KindFault[] => {
      const parameter = String(inside[1] ?? sentAs ?? name);
      const path = ["fields", "properties", name, ...inside];
      return isReservedName(parameter) ? [{ path, message: refuseReserved(parameter) }] : [];
    });
  });
}

function refuseReserved(parameter: string): string {
  return `${parameter.trim()} decides the method of a request, or as whom it is sent; expected another name`;
}

/** Key fields must be texts and not secret: keys are shown everywhere. */
function unfitKeys(kind: ResourceKind): readonly KindFault[] {
  return keyFieldsOf(kind).flatMap((name): KindFault[] => {
    const { writeOnly, type = "string" } = kind.fields.properties[name] ?? {};
    const path = ["fields", "properties", name];
    if (writeOnly) return [{ path: [...path, "writeOnly"], message: `${name} is the key, which is no secret` }];
    const isText = [type].flat().every((each) => each === "string" || each === "integer");
    return isText ? [] : [{ path: [...path, "type"], message: `${name} is the key: expected string or integer` }];
  });
}

function unfitPatterns(schema: unknown, path: Path): readonly KindFault[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => unfitPatterns(each, [...path, index]));
  if (!isObject(schema)) return [];
  const { pattern, patternProperties } = schema;
  const own = typeof pattern === "string" ? [[pattern, [...path, "pattern"]] as const] : [];
  const ofKeys = Object.keys(isObject(patternProperties) ? patternProperties : {}).map(
    (text) => [text, [...path, "patternProperties", text]] as const,
  );
  const faults = [...own, ...ofKeys].flatMap(([text, at]) => faultAt(at, patternFault(text)));
  return [...faults, ...Object.entries(schema).flatMap(([name, each]) => unfitPatterns(each, [...path, name]))];
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

interface KindFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly rule?: string | undefined;
}

function faultAt(path: Path, message: string | undefined): readonly KindFault[] {
  return message === undefined ? [] : [{ path, message }];
}

/**
 * Calls whose removals no guard counts, and paths outside the API, without project or group, or with unknown fields.
 * Rows may have further fields, so `row.` is not checked.
 */
function pathFaults(kind: ResourceKind): readonly KindFault[] {
  return Object.entries(kind.calls).flatMap(([name, call]): KindFault[] => {
    const { method, path } = writtenCall(call);
    const message =
      strayPath(path) ?? hiddenRemoval(kind, name, method, path) ?? unknownName(kind, name, namesInPath(path));
    const early = precedingFault(kind, name, precedingCall(call).before);
    return [...faultAt(["calls", name], message), ...faultAt(["calls", name, "before"], early)];
  });
}

/** Calls for items are below the path of the update, so that they can write nothing else. */
function itemFaults(kind: ResourceKind): readonly KindFault[] {
  const { properties } = kind.fields;
  const nested = schemasWithin(kind.fields, ["fields"])
    .filter(([path, { "x-items": calls }]) => calls && path.length !== 3)
    .map(([path]) => {
      return { path: [...path, "x-items"], message: "only a field of the resource has calls for its items" };
    });
  const own = Object.entries(properties).flatMap(([name, { items, "x-items": calls }]): KindFault[] => {
    if (!calls) return [];
    const at = ["fields", "properties", name, "x-items"];
    const { key, ...written } = calls;
    const isKey = items?.properties && Object.hasOwn(items.properties, key) && items.required?.includes(key);
    return [
      ...faultAt([...at, "key"], isKey ? undefined : `${key} is no property that each item of ${name} needs`),
      ...Object.entries(written).flatMap(([word, text]) => faultAt([...at, word], itemFault(kind, text))),
    ];
  });
  return [...nested, ...own];
}

function itemFault(kind: ResourceKind, text: string): string | undefined {
  const { path } = writtenCall(text);
  const parent = kind.calls.update === undefined ? undefined : writtenCall(kind.calls.update).path;
  if (parent === undefined) return "the kind needs calls.update";
  if (!path.startsWith(`${parent}/`)) return `expected a path below that of the update, ${parent}`;
  const names = namesInPath(path).filter((name) => name !== "item");
  return strayPath(path) ?? unknownName(kind, "update", names);
}

/** A call before another one may not remove anything, and concerns the same project or group. */
function precedingFault(kind: ResourceKind, name: string, before: string | undefined): string | undefined {
  if (before === undefined) return undefined;
  if (name === "create") return "there is nothing yet that a call before a creation could change";
  const { path } = writtenCall(before);
  return strayPath(path) ?? boundedPath(kind, path) ?? unknownName(kind, name, namesInPath(path));
}

/** Guards count only `delete` as a removal, of one resource of the project or group in the plan. */
function hiddenRemoval(kind: ResourceKind, name: string, method: string, path: string): string | undefined {
  if (method !== "DELETE") return undefined;
  if (name !== "delete") return `DELETE removes something; expected POST, PUT or PATCH for ${name}`;
  return boundedPath(kind, path, "it may delete a project or group itself, or something of another; ");
}

function boundedPath(kind: ResourceKind, path: string, why = ""): string | undefined {
  const isBelow = ownersOf(kind).some((owner) => below[owner].pattern.test(path));
  return isBelow ? undefined : `${why}expected a path below ${ownerPaths(kind)}`;
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

function ownerPaths(kind: ResourceKind): string {
  return ownersOf(kind)
    .map((owner) => below[owner].words)
    .join(" or ");
}

/** A path that URL parsers or servers could resolve to another one, or that decides what the request is. */
function strayPath(path: string): string | undefined {
  if (/^\/api\/v\d+\//.test(path)) return "leave out /api/v4: paths are relative to it";
  const reserved = [...new URLSearchParams(path.split("?")[1]).keys()].find(isReservedName);
  if (reserved !== undefined) return refuseReserved(reserved);
  return plainPath.test(path)
    ? undefined
    : "expected a path below /api/v4, without #, % and \\, and without parts that are empty or begin with .";
}

const plainPath = /^(?:\/[\w:-][\w:.-]*)+(?:\?[\w:.=&[\]-]*)?$/;

function unknownName(kind: ResourceKind, call: string, names: readonly string[]): string | undefined {
  const isWhole = call === "list" || (call === "show" && isSingleton(kind));
  const fault = names.find((each) => !each.startsWith("row.") && each !== "id" && !isField(kind, each));
  if (fault !== undefined) return `there is no field ${fault}${orElse(fault, ["id", "row.id", ...fieldNames(kind)])}`;
  const early = (isWhole || call === "create") && names.find((each) => each.startsWith("row."));
  if (early) return `there is no row yet, so the path cannot have :${early}`;
  const field = isWhole && names.find((each) => each !== "id");
  if (field) return `it reads everything of a project or group, so the path cannot have :${field}`;
  if (kind.under !== undefined && !isWhole) return undefined;
  const isOfInstance = ownersOf(kind).every((owner) => owner === "instance");
  if (isOfInstance) return names.includes("id") ? "the instance has no ID, so the path cannot have :id" : undefined;
  return names.includes("id") ? undefined : "the path needs :id, the project or group";
}

function isField({ fields }: ResourceKind, name: string): boolean {
  return Object.hasOwn(fields.properties, name);
}

function describeMissingField(kind: ResourceKind, name: string): string {
  return `there is no field ${name}${orElse(name, fieldNames(kind))}`;
}

function fieldNames({ fields }: ResourceKind): readonly string[] {
  return Object.keys(fields.properties);
}
