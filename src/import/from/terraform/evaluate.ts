import { isObject } from "../../../base/json.ts";
import type { HclExpression } from "./syntax.ts";

/** The value of an expression, or a description of what is unknown in it. */
export type Evaluated = { readonly known: unknown } | { readonly unknown: string };

/** Looks up the first two steps of a path, such as `local` and `site`; undefined for unknown names. */
export type Names = (first: string, second: string, depth: number) => Evaluated | undefined;

/** A longer chain of names is a cycle. */
const deepest = 50;

/** Evaluates an expression as Terraform does, as far as the files determine it. */
export function evaluate(expression: HclExpression, names: Names, depth = 0): Evaluated {
  if (depth > deepest) return { unknown: "a value that depends on itself" };
  const inner = (each: HclExpression) => evaluate(each, names, depth + 1);
  switch (expression.form) {
    case "value":
      return { known: expression.value };
    case "template":
      return template(expression.parts.map(inner));
    case "list":
      return all(expression.items.map(inner), (items) => items);
    case "mapping":
      return all(
        expression.pairs.flatMap((pair) => pair.map(inner)),
        mappingOf,
      );
    case "call":
      return called(expression.name, expression.inputs.map(inner));
    case "path":
      return followed(expression, names, depth);
    default:
      return { unknown: expression.words };
  }
}

function all(parts: readonly Evaluated[], combine: (values: readonly unknown[]) => unknown): Evaluated {
  const unknown = parts.find((part) => "unknown" in part);
  if (unknown) return unknown;
  return { known: combine(parts.map((part) => ("known" in part ? part.known : undefined))) };
}

/** A list, a mapping or null cannot be part of a text. */
function template(parts: readonly Evaluated[]): Evaluated {
  const isFit = parts.every((part) => "unknown" in part || isText(part.known));
  return isFit ? all(parts, (values) => values.join("")) : { unknown: "a text with something else in it" };
}

function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function mappingOf(values: readonly unknown[]): unknown {
  const pairs = values.flatMap((key, index) => (index % 2 === 0 ? [[String(key), values[index + 1]] as const] : []));
  return Object.fromEntries(pairs);
}

type Path = Extract<HclExpression, { readonly form: "path" }>;

function followed({ steps, text }: Path, names: Names, depth: number): Evaluated {
  const [first, second, ...others] = steps;
  const start = typeof first === "string" && typeof second === "string" ? names(first, second, depth + 1) : undefined;
  return others.reduce<Evaluated>((at, step) => {
    if ("unknown" in at) return { unknown: text };
    const key = typeof step === "string" ? { known: step } : evaluate(step, names, depth + 1);
    return ("known" in key ? memberOf(at.known, key.known) : undefined) ?? { unknown: text };
  }, start ?? { unknown: text });
}

function memberOf(value: unknown, key: unknown): Evaluated | undefined {
  if (Array.isArray(value)) return typeof key === "number" && key in value ? { known: value[key] } : undefined;
  return isObject(value) && Object.hasOwn(value, String(key)) ? { known: value[String(key)] } : undefined;
}

/** Supported pure functions. */
const functions: Readonly<Record<string, (inputs: readonly unknown[]) => unknown>> = {
  toset: ([of]) => (Array.isArray(of) ? [...new Set(of)] : undefined),
  tolist: ([of]) => of,
  tomap: ([of]) => of,
  tostring: ([of]) => (typeof of === "object" ? undefined : String(of)),
  sensitive: ([of]) => of,
  nonsensitive: ([of]) => of,
  lower: ([of]) => (typeof of === "string" ? of.toLowerCase() : undefined),
  upper: ([of]) => (typeof of === "string" ? of.toUpperCase() : undefined),
  trimspace: ([of]) => (typeof of === "string" ? of.trim() : undefined),
  concat: (lists) => (lists.every(Array.isArray) ? lists.flat() : undefined),
  merge: (maps) => (maps.every(isObject) ? Object.assign({}, ...maps) : undefined),
  join: ([between, list]) =>
    typeof between === "string" && Array.isArray(list) && list.every(isText) ? list.join(between) : undefined,
};

function called(name: string, inputs: readonly Evaluated[]): Evaluated {
  const of = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const result = of && all(inputs, of);
  if (result && "unknown" in result) return result;
  return result?.known === undefined ? { unknown: `${name}(…)` } : result;
}
