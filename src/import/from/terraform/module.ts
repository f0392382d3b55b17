import type { Place } from "../../../model/types.ts";
import { type Evaluated, evaluate, type Names } from "./evaluate.ts";
import type { HclAttribute, HclBlock, HclExpression } from "./syntax.ts";

/** A Terraform module: the files of one folder. */
export interface Module {
  readonly blocks: readonly HclBlock[];
  readonly names: Names;
  /** Variables of which the default was used so far, and where each is declared. */
  readonly assumed: ReadonlyMap<string, Place>;
}

/** `values` are files of variables. A default is used where they set nothing. What is sensitive is not known. */
export function moduleOf(files: readonly HclBlock[], values: readonly HclBlock[]): Module {
  const blocks = files.flatMap((file) => file.blocks);
  const locals = blocks.filter(({ type }) => type === "locals").flatMap(({ attributes }) => [...attributes]);
  const known: Readonly<Record<string, ReadonlyMap<string, HclExpression>>> = {
    local: new Map(locals.map(([name, { value }]) => [name, value])),
    var: new Map(values.flatMap(({ attributes }) => [...attributes].map(([name, { value }]) => [name, value]))),
  };
  const variables = blocks.filter(({ type }) => type === "variable");
  const secrets = new Set(variables.filter(isSensitive).map(({ labels: [name = ""] }) => name));
  const defaults = new Map(variables.flatMap(defaultOf));
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

function defaultOf({ labels: [name = ""], attributes }: HclBlock): readonly (readonly [string, HclAttribute])[] {
  const fallback = attributes.get("default");
  return fallback ? [[name, fallback]] : [];
}

/** What an expression names: a block, and one of its instances. */
export interface BlockReference {
  readonly isData: boolean;
  readonly type: string;
  readonly name: string;
  readonly index: unknown;
}

/** The block that declares a resource or data; undefined if there is none. */
export function blockNamed(
  { blocks }: Module,
  { isData, type, name }: Omit<BlockReference, "index">,
): HclBlock | undefined {
  const kind = isData ? "data" : "resource";
  return blocks.find((block) => block.type === kind && block.labels[0] === type && block.labels[1] === name);
}
