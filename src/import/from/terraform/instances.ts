import { isObject } from "../../../base/json.ts";
import { type Evaluated, evaluate, type Names } from "./evaluate.ts";
import { blockNamed, type Module } from "./module.ts";
import type { HclBlock, HclExpression } from "./syntax.ts";

/** An instance of a resource with `for_each` or `count`. */
export interface Instance {
  readonly names: Names;
  /** `["key"]` or `[0]`; empty for a single instance. */
  readonly index: string;
  /** The instance of another resource that `each.value` is. */
  readonly each?: Path["steps"];
}

type Path = Extract<HclExpression, { readonly form: "path" }>;

/** A longer chain of blocks that name each other is a cycle. */
export const longestChain = 20;

const mostInstances = 10_000;

/** The instances of a resource, or why they are unknown. */
export function instancesOf({ attributes }: HclBlock, module: Module, depth = 0): readonly Instance[] | string {
  const { names } = module;
  const each = attributes.get("for_each");
  const count = attributes.get("count");
  const others = each && depth < longestChain ? instancesNamed(each.value, module, depth) : undefined;
  if (others) return others;
  if (each) return eachOf(evaluate(each.value, names), names);
  if (count) return countOf(evaluate(count.value, names), names);
  return [{ names, index: "" }];
}

/** One for each instance of the resource that `for_each` names. */
function instancesNamed(
  { form, ...of }: HclExpression,
  module: Module,
  depth: number,
): readonly Instance[] | undefined {
  const { steps = [] } = of as Partial<Path>;
  const [type, name] = steps;
  if (form !== "path" || steps.length !== 2 || typeof type !== "string" || typeof name !== "string") return undefined;
  const block = blockNamed(module, { isData: false, type, name });
  if (!block?.attributes.has("for_each")) return undefined;
  const instances = instancesOf(block, module, depth + 1);
  if (typeof instances === "string") return undefined;
  return instances.map(({ index }) => {
    const key: unknown = JSON.parse(index.slice(1, -1));
    const each = [type, name, { form: "value", value: String(key) }] as const;
    return { names: withNames(module.names, { "each.key": key }), index, each };
  });
}

function eachOf(of: Evaluated, names: Names): readonly Instance[] | string {
  if ("unknown" in of) return `its for_each is ${of.unknown}`;
  const pairs = Array.isArray(of.known)
    ? of.known.map((key) => [key, key])
    : isObject(of.known)
      ? Object.entries(of.known)
      : undefined;
  if (!pairs) return "its for_each is no list or mapping";
  if (pairs.length > mostInstances) return `its for_each has more than ${mostInstances} members`;
  return pairs.map(([key, value]) => ({
    names: withNames(names, { "each.key": key, "each.value": value }),
    index: `[${JSON.stringify(key)}]`,
  }));
}

function countOf(of: Evaluated, names: Names): readonly Instance[] | string {
  if ("unknown" in of) return `its count is ${of.unknown}`;
  const count = typeof of.known === "boolean" ? Number.NaN : Number(of.known);
  if (!Number.isInteger(count) || count < 0 || count > mostInstances) return "its count is no number that is read";
  return Array.from({ length: count }, (_, index) => ({
    names: withNames(names, { "count.index": index }),
    index: `[${index}]`,
  }));
}

function withNames(names: Names, more: Readonly<Record<string, unknown>>): Names {
  return (first, second, effort) => {
    const name = `${first}.${second}`;
    return Object.hasOwn(more, name) ? { known: more[name] } : names(first, second, effort);
  };
}
