import { isObject } from "../base/json.ts";
import { linearPattern } from "../base/linear-pattern.ts";
import { compile } from "../base/schema.ts";
import type { KindFault } from "./kind-path-faults.ts";
import { type FieldSchema, keyFieldsOf, type ResourceKind } from "./resource-kind.ts";

/** What is wrong with the fields of a kind, but for expressions and for the names that other keys have of them. */
export function fieldFaults(kind: ResourceKind): readonly KindFault[] {
  const all = schemasWithin(kind.fields, ["fields"]);
  const wrong = [
    ...all.flatMap(([path, field]) => [
      ...unfitWords(path, field),
      ...sentTwice(path, field),
      ...openSecret(path, field),
    ]),
    ...unfitKeys(kind),
    ...unlisted(kind),
  ];
  const patterns = unfitPatterns(kind.fields, ["fields"]);
  if (patterns.length > 0) return [...wrong, ...patterns];
  return [...wrong, ...all.flatMap(([path, field]) => filledIn.flatMap((key) => unfit(path, field, key)))];
}

type Path = KindFault["path"];

/** Words of values that the field does not take. */
function unfitWords(path: Path, { enum: allowed, "x-words": words = {} }: FieldSchema): readonly KindFault[] {
  return Object.entries(words)
    .filter(([, value]) => allowed && !allowed.includes(value))
    .map(([word, value]) => {
      const message = `the field does not take ${JSON.stringify(value)}; it takes ${(allowed ?? []).join(", ")}`;
      return { path: [...path, "x-words", word], message };
    });
}

/** Fields of one mapping that a request would carry under the same name. */
function sentTwice(path: Path, { properties = {} }: FieldSchema): readonly KindFault[] {
  const sent = Object.entries(properties).flatMap(([name, field]) => parametersSent(name, field));
  return sent.flatMap(({ name, parameter, inside }): KindFault[] => {
    const other = sent.find((each) => each.parameter === parameter && each.name !== name);
    if (!other || inside.length === 0) return [];
    const message = `the field ${other.name} is sent as ${parameter} already`;
    return [{ path: [...path, "properties", name, ...inside], message }];
  });
}

/** The parameters of a field; `inside` is where it says so, and empty for its own name. */
function parametersSent(name: string, { "x-send": send, "x-send-as": sentAs }: FieldSchema) {
  if (typeof send === "object") {
    return Object.keys(send).map((parameter) => ({ name, parameter, inside: ["x-send", parameter] }));
  }
  return [{ name, parameter: sentAs ?? name, inside: sentAs === undefined ? [] : ["x-send-as"] }];
}

/** A secret is not written down, and nothing is compared with it. */
function openSecret(path: Path, field: FieldSchema): readonly KindFault[] {
  if (!field.writeOnly || field.default === undefined) return [];
  return [{ path: [...path, "default"], message: "the field is writeOnly: a secret has no default" }];
}

/** Keys are shown everywhere, and are one text. */
function unfitKeys(kind: ResourceKind): readonly KindFault[] {
  return keyFieldsOf(kind).flatMap((name): KindFault[] => {
    const { writeOnly, type = "string" } = kind.fields.properties[name] ?? {};
    const path = ["fields", "properties", name];
    if (writeOnly) return [{ path: [...path, "writeOnly"], message: `${name} is the key, which is no secret` }];
    const isText = [type].flat().every((each) => each === "string" || each === "integer");
    return isText ? [] : [{ path: [...path, "type"], message: `${name} is the key: expected string or integer` }];
  });
}

/** A field that no call of the kind reads. */
function unlisted({ key, calls, fields: { properties } }: ResourceKind): readonly KindFault[] {
  if (key !== undefined && calls.show !== undefined) return [];
  const message = key === undefined ? "the kind has no list" : "nothing reads the field: calls needs show";
  return Object.entries(properties).flatMap(([name, field]) =>
    field["x-listed"] === false ? [{ path: ["fields", "properties", name, "x-listed"], message }] : [],
  );
}

/** Patterns at any depth, in alternatives and conditions too. */
function unfitPatterns(schema: unknown, path: Path): readonly KindFault[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => unfitPatterns(each, [...path, index]));
  if (!isObject(schema)) return [];
  const { pattern, patternProperties } = schema;
  const own = typeof pattern === "string" ? [[pattern, [...path, "pattern"]] as const] : [];
  const ofKeys = Object.keys(isObject(patternProperties) ? patternProperties : {}).map(
    (text) => [text, [...path, "patternProperties", text]] as const,
  );
  const faults = [...own, ...ofKeys].flatMap(([text, at]) => {
    const message = patternFault(text);
    return message === undefined ? [] : [{ path: at, message }];
  });
  return [...faults, ...Object.entries(schema).flatMap(([name, each]) => unfitPatterns(each, [...path, name]))];
}

function patternFault(text: string): string | undefined {
  try {
    new RegExp(text, "u");
  } catch (error) {
    const { message } = error as Error;
    return `not a regular expression: ${message.slice(message.lastIndexOf(": ") + 2).toLowerCase()}`;
  }
  return linearPattern(text)
    ? undefined
    : "expected a pattern without look-around and back-references, as RE2 has them";
}

/** What a server fills in. */
const filledIn = ["default", "x-usual"] as const;

/** A default, or a usual value, that its own field does not take. */
function unfit(path: Path, schema: FieldSchema, key: (typeof filledIn)[number]): readonly KindFault[] {
  const { default: _, "x-usual": __, ...field } = schema;
  const value = schema[key];
  if (value === undefined || value === null || Object.hasOwn(field["x-words"] ?? {}, String(value))) return [];
  const [fault] = compile(field)(value);
  return fault ? [{ path: [...path, key], message: fault.message }] : [];
}

/** A schema and all schemas in it, each with its path. */
export function schemasWithin(schema: FieldSchema, path: Path): readonly (readonly [Path, FieldSchema])[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    schemasWithin(each, [...path, "properties", name]),
  );
  const items = schema.items ? schemasWithin(schema.items, [...path, "items"]) : [];
  return [[path, schema], ...inside, ...items];
}
