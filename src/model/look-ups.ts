import { memoized } from "../base/memoize.ts";
import { call } from "./call.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Endpoint } from "./endpoints.ts";
import { mapScalars, meaningOf } from "./field-meaning.ts";
import { bareName } from "./owner.ts";
import { type FieldSchema, holdsWithin, keyValuesOf, partsOf, type ResourceKind } from "./resource-kind.ts";
import type { Call, Desired, Fields, Plain, Value } from "./types.ts";

/** A name to look up (`x-lookup`), and the response's field with the value to send. */
export interface LookUp {
  readonly template: string;
  readonly field: string;
  readonly value: string;
  /** The parameter that is sent, if the field itself names it. */
  readonly parameter?: string | undefined;
}

/** The request of a look-up. @throws NamesNothing for a value that cannot be part of a path. */
export function lookUpCall(project: string, { template, value }: Pick<LookUp, "template" | "value">): Call {
  const { answer: _, ...request } = call(endpointOf(template), { id: bareName(project), value });
  return request;
}

const endpointOf = memoized((template: string): Endpoint => {
  return { method: "GET", path: template.slice(template.indexOf(" ") + 1), answer: { holds: "nothing" } };
});

export const lookUpFields = memoized((file: ResourceKind): readonly string[] => {
  const { properties } = file.fields;
  const isLookedUp = (field: FieldSchema) => field["x-lookup"] !== undefined;
  return Object.keys(properties).filter((name) => holdsWithin(properties[name] ?? {}, isLookedUp));
}, new WeakMap());

export function lookUpTemplates({ fields }: ResourceKind): readonly string[] {
  const within = (field: FieldSchema): readonly string[] => [
    ...(field["x-lookup"] === undefined ? [] : [field["x-lookup"]]),
    ...partsOf(field).flatMap(within),
  ];
  return [...new Set(within(fields))];
}

/** The values in a field to look up. Numbers are IDs and stay. */
export function lookUpsIn(field: FieldSchema, value: Value): readonly LookUp[] {
  const found: LookUp[] = [];
  withLookedUp(field, value, (each) => {
    found.push(each);
    return each.value;
  });
  return found;
}

export function keyLookUps(file: ResourceKind, key: string): readonly (readonly [name: string, lookUp: LookUp])[] {
  return Object.entries(keyValuesOf(file, key)).flatMap(([name, text]) =>
    lookUpsIn(file.fields.properties[name] ?? {}, text).map((lookUp) => [name, lookUp] as const),
  );
}

export function withLookedUp(field: FieldSchema, value: Value, answerTo: (lookUp: LookUp) => Plain): Value {
  return mapScalars(field, value, ({ "x-lookup": template, "x-field": of = "id", "x-send-as": parameter }, each) =>
    template !== undefined && typeof each === "string"
      ? answerTo({ template, field: of, value: each, parameter })
      : each,
  );
}

export function nameKey(template: string, value: Plain): string {
  return `${template} ${JSON.stringify(value)}`;
}

export function mapFields(
  { fields: { properties } }: ResourceKind,
  fields: Fields,
  names: readonly string[],
  by: (field: FieldSchema, value: Value) => Value,
): Fields {
  const changed = names.flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [[name, by(properties[name] ?? {}, value)] as const];
  });
  return { ...fields, ...Object.fromEntries(changed) };
}

/** Fields of a desired or live resource in the words of the manifest. */
export function shownAsWritten(
  { kinds }: Catalogue,
  { kind, lookedUp }: Pick<Desired, "kind" | "lookedUp">,
  fields: Fields,
): Fields {
  const file = lookedUp && kinds.get(kind)?.file;
  if (!file) return fields;
  return mapFields(file, fields, lookUpFields(file), (field, value) => {
    const written = mapScalars(field, value, ({ "x-lookup": template }, each) =>
      template === undefined ? each : (lookedUp.names[nameKey(template, each)] ?? each),
    );
    return meaningOf(field, written);
  });
}
