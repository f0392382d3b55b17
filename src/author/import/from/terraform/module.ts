import { isObject } from "../../../../base/json.ts";
import type { Place } from "../../../../model/types.ts";
import { type Evaluated, evaluate, type Names } from "./evaluate.ts";
import type { HclAttribute, HclBlock, HclExpression } from "./hcl.ts";

/** A Terraform module: the files of one folder. */
export interface Module {
  readonly blocks: readonly HclBlock[];
  readonly names: Names;
  /** Variables that have their default value, with their declarations. */
  readonly assumed: ReadonlyMap<string, Place>;
}

/** `values` are files of variables; other variables have their defaults. Files do not mark values as sensitive. */
export function moduleOf(files: readonly HclBlock[], values: readonly HclBlock[]): Module {
  const blocks = files.flatMap((file) => file.blocks);
  const locals = blocks.filter(({ type }) => type === "locals").flatMap(({ attributes }) => [...attributes]);
  const known: Readonly<Record<string, ReadonlyMap<string, HclExpression>>> = {
    local: new Map(locals.map(([name, { value }]) => [name, value])),
    var: new Map(values.flatMap(({ attributes }) => [...attributes].map(([name, { value }]) => [name, value]))),
  };
  const variables = blocks.filter(({ type }) => type === "variable");
  const secrets = new Set(variables.filter(isSensitive).map(({ labels: [name = ""] }) => name));
  const defaults = new Map(variables.flatMap(readDefault));
  const assumed = new Map<string, Place>();
  const evaluated = new Map<HclExpression, Evaluated>();
  const names: Names = (first, second, effort) => {
    if (first === "var" && secrets.has(second)) return undefined;
    const found = Object.hasOwn(known, first) ? known[first]?.get(second) : undefined;
    const fallback = first === "var" && !found ? defaults.get(second) : undefined;
    if (fallback) assumed.set(second, fallback.place);
    const value = found ?? fallback?.value;
    const result = value && (evaluated.get(value) ?? evaluate(value, names, effort));
    if (value && result && "known" in result) evaluated.set(value, result);
    return result;
  };
  return { blocks, names, assumed };
}

function isSensitive({ attributes }: HclBlock): boolean {
  const stated = attributes.get("sensitive")?.value;
  return stated !== undefined && !(stated.form === "value" && stated.value === false);
}

function readDefault({ labels: [name = ""], attributes }: HclBlock): readonly (readonly [string, HclAttribute])[] {
  const fallback = attributes.get("default");
  return fallback ? [[name, fallback]] : [];
}

/** The block that an expression refers to, and one of its instances. */
export interface BlockReference {
  readonly isData: boolean;
  readonly type: string;
  readonly name: string;
  readonly index: unknown;
}

/** The block that declares a resource or data; undefined without one. */
export function blockNamed(
  { blocks }: Module,
  { isData, type, name }: Omit<BlockReference, "index">,
): HclBlock | undefined {
  const kind = isData ? "data" : "resource";
  return blocks.find((block) => block.type === kind && block.labels[0] === type && block.labels[1] === name);
}

/** An instance of a resource with `for_each` or `count`. */
export interface Instance {
  readonly names: Names;
  /** `["key"]` or `[0]`; empty for a single instance. */
  readonly index: string;
  /** For `each.value`: the instance of another resource. */
  readonly each?: Path["steps"];
}

type Path = Extract<HclExpression, { readonly form: "path" }>;

/** A longer chain of blocks that name each other is a cycle. */
export const longestChain = 20;

const mostInstances = 10_000;

/** The instances of a resource, or the reason why they are unknown. */
export function instancesOf({ attributes }: HclBlock, module: Module, depth = 0): readonly Instance[] | string {
  const { names } = module;
  const each = attributes.get("for_each");
  const count = attributes.get("count");
  const others = each && depth < longestChain ? findInstances(each.value, module, depth) : undefined;
  if (others) return others;
  if (each) return expandEach(evaluate(each.value, names), names);
  if (count) return expandCount(evaluate(count.value, names), names);
  return [{ names, index: "" }];
}

/** One for each instance of the resource that `for_each` names. */
function findInstances({ form, ...of }: HclExpression, module: Module, depth: number): readonly Instance[] | undefined {
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

function expandEach(of: Evaluated, names: Names): readonly Instance[] | string {
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

function expandCount(of: Evaluated, names: Names): readonly Instance[] | string {
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
