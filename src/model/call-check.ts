import { didYouMean } from "../base/nearest.ts";
import type { Fact } from "./dialect.ts";
import { type EndpointName, endpoints, type Parameter } from "./endpoints.ts";
import { namesInPath } from "./resource-kind.ts";
import type { Fields, Scalar } from "./types.ts";

export type Given = Readonly<Record<string, string | boolean | undefined>>;

export type CheckedValues =
  | { readonly values: Fields; readonly notes: readonly string[] }
  | { readonly mistakes: readonly string[] };

/**
 * Checks arguments against the endpoint before anything is sent: required, type, enum. `named` returns the user's name of
 * a parameter, and `facts` is what is known about the server. Values that deployed servers require in addition are added
 * unless given; a different given value is kept, with a note. Segments are checked but not part of the values.
 */
export function checkValues(
  name: EndpointName,
  given: Given,
  named: (parameter: string) => string,
  facts: readonly Pick<Fact, "id">[] = [],
): CheckedValues {
  const { path, parameters: table = {} } = endpoints[name];
  const segments = namesInPath(path).map((segment): [string, Parameter] => {
    return [segment, { type: segment === "id" ? "string" : "integer", required: true }];
  });
  const rows = [...segments, ...Object.entries(table)];
  const mistakes = rows.flatMap(
    ([parameter, row]) => findMistake(extendEnum(row, facts), given[parameter], named(parameter)) ?? [],
  );
  if (mistakes.length > 0) return { mistakes };
  const present = Object.entries(table).filter(([parameter]) => given[parameter] !== undefined);
  const companions = present.flatMap(([parameter, { goesWith = {} }]) =>
    Object.entries(goesWith).map(([other, value]) => ({ parameter, other, value })),
  );
  const notes = companions
    .filter(({ other, value }) => given[other] !== undefined && given[other] !== value)
    .map(({ parameter, other, value }) => {
      return `${named(parameter)} needs ${named(other)} ${value}: some servers ignore it otherwise, or refuse`;
    });
  const values = [
    ...companions.map(({ other, value }) => [other, value] as const),
    ...present.map(([parameter]) => [parameter, given[parameter] ?? null] as const),
  ];
  return { values: Object.fromEntries(values), notes };
}

function extendEnum({ beyond, ...row }: Parameter, facts: readonly Pick<Fact, "id">[]): Parameter {
  if (!row.enum || !beyond || !facts.some(({ id }) => id === beyond.fact)) return row;
  return { ...row, enum: [...row.enum, ...beyond.enum] };
}

function findMistake(row: Parameter, value: Scalar | undefined, name: string): string | undefined {
  if (value === undefined && !row.required) return undefined;
  if (value === undefined || value === "")
    return `${name} is ${value === "" ? "empty" : "missing"}; it takes ${expectation(row)}`;
  if (fits[row.type](value) && (row.enum?.includes(String(value)) ?? true)) return undefined;
  return `${name} takes ${expectation(row)}, not ${JSON.stringify(value)}${didYouMean(String(value), row.enum ?? [])}`;
}

function expectation({ type, enum: allowed }: Parameter): string {
  return allowed ? `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}` : expectations[type];
}

const expectations: Readonly<Record<Parameter["type"], string>> = {
  string: "text",
  boolean: "true or false",
  integer: "a whole number of at least 1",
  datetime: "a time in ISO 8601 such as 2021-11-21 or 2021-11-21T07:30:00Z",
};

const fits: Readonly<Record<Parameter["type"], (value: Scalar) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => /^[1-9]\d{0,14}$/.test(String(value)),
  datetime: (value) => isTime(String(value)),
};

const iso8601 = /^(\d{4}-\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

export function isTime(text: string): boolean {
  const [, month, day] = iso8601.exec(text) ?? [];
  if (!month || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
}
