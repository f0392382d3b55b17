import { isObject } from "../../../base/json.ts";
import { type Owner, ownerName } from "../../../model/owner.ts";
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

/** `values` are files of variables. A default is used where they set nothing, unless it is sensitive. */
export function moduleOf(files: readonly HclBlock[], values: readonly HclBlock[]): Module {
  const blocks = files.flatMap((file) => file.blocks);
  const locals = blocks.filter(({ type }) => type === "locals").flatMap(({ attributes }) => [...attributes]);
  const known: Readonly<Record<string, ReadonlyMap<string, HclExpression>>> = {
    local: new Map(locals.map(([name, { value }]) => [name, value])),
    var: new Map(values.flatMap(({ attributes }) => [...attributes].map(([name, { value }]) => [name, value]))),
  };
  const defaults = new Map(blocks.flatMap(defaultOf));
  const assumed = new Map<string, Place>();
  const names: Names = (first, second, depth) => {
    const found = Object.hasOwn(known, first) ? known[first]?.get(second) : undefined;
    const fallback = first === "var" && !found ? defaults.get(second) : undefined;
    if (fallback) assumed.set(second, fallback.place);
    const value = found ?? fallback?.value;
    return value && evaluate(value, names, depth);
  };
  return { blocks, names, assumed };
}

function defaultOf({ type, labels: [name = ""], attributes }: HclBlock): readonly (readonly [string, HclAttribute])[] {
  const fallback = attributes.get("default");
  const sensitive = attributes.get("sensitive")?.value;
  const isSecret = sensitive !== undefined && !(sensitive.form === "value" && sensitive.value === false);
  return type === "variable" && fallback && !isSecret ? [[name, fallback]] : [];
}

/** An instance of a resource with `for_each` or `count`. */
export interface Instance {
  readonly names: Names;
  /** `["key"]` or `[0]`; empty for a single instance. */
  readonly index: string;
}

const mostInstances = 10_000;

/** The instances of a resource, or why they are unknown. */
export function instancesOf({ attributes }: HclBlock, names: Names): readonly Instance[] | string {
  const each = attributes.get("for_each");
  const count = attributes.get("count");
  if (each) return eachOf(evaluate(each.value, names), names);
  if (count) return countOf(evaluate(count.value, names), names);
  return [{ names, index: "" }];
}

function eachOf(of: Evaluated, names: Names): readonly Instance[] | string {
  if ("unknown" in of) return `its for_each is ${of.unknown}`;
  const pairs = Array.isArray(of.known)
    ? of.known.map((key) => [key, key])
    : isObject(of.known)
      ? Object.entries(of.known)
      : [];
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
  return (first, second, depth) => {
    const name = `${first}.${second}`;
    return Object.hasOwn(more, name) ? { known: more[name] } : names(first, second, depth);
  };
}

const deepest = 20;

/** Types of blocks that are projects and groups, and what names them where they are data. */
const ownerTypes = {
  project: { type: "gitlab_project", named: ["path_with_namespace", "id"] },
  group: { type: "gitlab_group", named: ["full_path", "group_id"] },
} as const;

/** The path or ID of the project, or of the group, of an expression; undefined where it is unknown. */
export function ownerMeant(
  expression: HclExpression,
  owner: Owner,
  instance: Pick<Instance, "names">,
  module: Module,
): string | undefined {
  const value = evaluate(expression, instance.names);
  if ("known" in value) return nameOf(owner, namedBy(value.known));
  const { type, named } = ownerTypes[owner];
  const meant = referenceIn(expression, type, instance.names);
  const block = meant && blockNamed(module, meant);
  if (!block) return undefined;
  const own = scopeAt(block, meant, module);
  if (own && meant.isData) return nameOf(owner, attributeOf(block, named, own));
  return own && ownerOfBlock(block, owner, own, module);
}

/** The path of the project, or of the group, that a block declares; undefined where it is unknown. */
export function ownerOfBlock(block: HclBlock, owner: Owner, names: Names, module: Module): string | undefined {
  return owner === "group"
    ? nameOf(owner, groupOfBlock(block, names, module, 0))
    : projectOfBlock(block, names, module);
}

function nameOf(owner: Owner, written: string | undefined): string | undefined {
  return written === undefined ? undefined : ownerName(owner, written);
}

function projectOfBlock(block: HclBlock, names: Names, module: Module): string | undefined {
  const path = attributeOf(block, ["path"], names) ?? slugOf(attributeOf(block, ["name"], names));
  const group = groupMeant(block.attributes.get("namespace_id")?.value, names, module, 0);
  return path && group ? `${group}/${path}` : undefined;
}

function groupMeant(of: HclExpression | undefined, names: Names, module: Module, depth: number): string | undefined {
  const meant = of && depth < deepest ? referenceIn(of, "gitlab_group", names) : undefined;
  const block = meant && blockNamed(module, meant);
  const own = block && scopeAt(block, meant, module);
  if (!own) return undefined;
  return meant.isData ? attributeOf(block, ["full_path"], own) : groupOfBlock(block, own, module, depth);
}

function groupOfBlock(block: HclBlock, names: Names, module: Module, depth: number): string | undefined {
  const path = attributeOf(block, ["path"], names);
  const parent = block.attributes.get("parent_id")?.value;
  if (!parent || !path) return path;
  const known = evaluate(parent, names);
  if ("known" in known && (known.known === null || known.known === 0)) return path;
  const above = groupMeant(parent, names, module, depth + 1);
  return above && `${above}/${path}`;
}

interface Reference {
  readonly isData: boolean;
  readonly type: string;
  readonly name: string;
  readonly index: unknown;
}

/** `gitlab_project.api.id`, `data.gitlab_project.api.path_with_namespace`, `gitlab_project.all["api"].id`. */
function referenceIn(expression: HclExpression, type: string, names: Names): Reference | undefined {
  if (expression.form !== "path") return undefined;
  const isData = expression.steps[0] === "data";
  const [first, name, ...others] = expression.steps.slice(isData ? 1 : 0);
  const [index] = others.filter((step) => typeof step !== "string");
  const last = others.at(-1);
  const isMeant = typeof last === "string" && ["id", "path_with_namespace", "full_path", "group_id"].includes(last);
  if (first !== type || typeof name !== "string" || !isMeant || others.length > (index ? 2 : 1)) return undefined;
  const key = index && evaluate(index, names);
  if (key && "unknown" in key) return undefined;
  return { isData, type, name, index: key?.known };
}

function blockNamed({ blocks }: Module, { isData, type, name }: Reference): HclBlock | undefined {
  const kind = isData ? "data" : "resource";
  return blocks.find((block) => block.type === kind && block.labels[0] === type && block.labels[1] === name);
}

function scopeAt(block: HclBlock, { index }: Reference, { names }: Module): Names | undefined {
  const instances = instancesOf(block, names);
  const wanted = index === undefined ? "" : `[${JSON.stringify(index)}]`;
  return typeof instances === "string" ? undefined : instances.find((each) => each.index === wanted)?.names;
}

function attributeOf({ attributes }: HclBlock, wanted: readonly string[], names: Names): string | undefined {
  const [first] = wanted.flatMap((name) => attributes.get(name) ?? []);
  const value = first && evaluate(first.value, names);
  return value && "known" in value ? namedBy(value.known) : undefined;
}

function namedBy(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/** The path that a server derives from a plain name; unknown for others. */
function slugOf(name: string | undefined): string | undefined {
  return name !== undefined && /^[A-Za-z\d](?:[\w-]*[A-Za-z\d])?$/.test(name) ? name.toLowerCase() : undefined;
}
