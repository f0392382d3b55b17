import { posix } from "node:path";
import { grouped } from "../../../../base/grouped.ts";
import { isObject } from "../../../../base/json.ts";
import { memoized } from "../../../../base/memoize.ts";
import { type Owner, owners } from "../../../../model/owner.ts";
import type { Place } from "../../../../model/types.ts";
import { createIdOf, isIdOf } from "../foreign.ts";
import {
  type Evaluated,
  evaluate,
  fileName,
  type HclExpression,
  isPlainName,
  type Names,
  withNames,
} from "./expression.ts";
import type { HclAttribute, HclBlock } from "./hcl.ts";

/** A Terraform module: the files of one folder, with values of variables. */
export interface Module {
  /** The prefix of its addresses: `module.repositories["api"].`; empty for the root. */
  readonly prefix: string;
  readonly blocks: readonly HclBlock[];
  readonly names: Names;
  /** Variables that have their default value, with their declarations. */
  readonly assumed: ReadonlyMap<string, Place>;
  /** The instances of a module that a block calls; undefined without its files, or the reason why they are unknown. */
  readonly called: (
    block: HclBlock,
  ) => readonly { readonly key: unknown; readonly module: Module }[] | string | undefined;
}

export interface ModuleFiles {
  /** The folder in which Terraform runs. */
  readonly root: string;
  /** The blocks of files by folder, without a trailing slash. */
  readonly blocks: ReadonlyMap<string, readonly HclBlock[]>;
  /** The text of another file by its normal path. */
  readonly textOf: (path: string) => string | undefined;
  readonly effort: Names["effort"];
}

/** The folder of the module that a block calls; undefined for a module from elsewhere. */
export function calledFolder({ type, attributes }: HclBlock, folder: string): string | undefined {
  const source = type === "module" ? attributes.get("source")?.value : undefined;
  const path = typeof source?.value === "string" ? source.value : "";
  return /^\.\.?(?:\/|$)/.test(path) ? posix.join(folder, path).replace(/(.)\/$/, "$1") : undefined;
}

/** Modules that call each other deeper are a cycle. */
const mostCalls = 10;

/** The value of a variable, if it has another one than its default. */
type Inputs = (name: string) => Evaluated | undefined;

export function moduleOf(folder: string, files: ModuleFiles, inputs: Inputs, prefix = "", depth = 0): Module {
  const blocks = files.blocks.get(folder) ?? [];
  const locals = new Map(blocks.flatMap(({ type, attributes }) => (type === "locals" ? [...attributes] : [])));
  const variables = grouped(blocks, ({ type, labels: [name = ""] }) => (type === "variable" ? name : undefined));
  const assumed = new Map<string, Place>();
  const evaluated = new Map<HclExpression, Evaluated>();
  const evaluateOnly = ({ value }: HclAttribute): Evaluated => {
    const result = evaluated.get(value) ?? evaluate(value, names);
    if ("known" in result) evaluated.set(value, result);
    return result;
  };
  const resolve = (first: string, second: string): Evaluated | undefined => {
    if (first === "var") {
      const stated = variables.get(second) ?? [];
      // Override files may state a variable again, without what makes it sensitive.
      const marks = stated.flatMap(({ attributes }) => attributes.get("sensitive") ?? []);
      if (marks.some((mark) => mark.value.value !== false)) return undefined;
      const [input, fallback] = [inputs(second), stated.at(-1)?.attributes.get("default")];
      if (input || !fallback) return input;
      assumed.set(second, fallback.place);
      return evaluateOnly(fallback);
    }
    if (first === "path" && second === "module") return { known: posix.relative(files.root, folder) || "." };
    if (first === fileName) {
      const text = files.textOf(posix.join(files.root, second));
      return text === undefined ? undefined : { known: text };
    }
    // Attributes of other providers' resources may be secrets.
    if (/^(?:data$|module$|gitlab_)/.test(first)) return declared(first, second);
    const local = first === "local" ? locals.get(second) : undefined;
    return local && evaluateOnly(local);
  };
  const names: Names = { resolve, effort: files.effort };
  const called = memoized((block: HclBlock) => {
    const path = calledFolder(block, folder);
    if (path === undefined || !files.blocks.has(path) || depth > mostCalls) return undefined;
    const providers = block.attributes.get("providers")?.value;
    if (providers && !providers.items?.every(isPlainName)) return otherProvider;
    const instances = instancesOf(block, { names });
    if (typeof instances === "string") return instances;
    return instances.map((instance) => {
      const stated = (name: string) => {
        const value = block.attributes.get(name)?.value;
        return value && evaluate(value, instance.names);
      };
      const below = `${prefix}module.${block.labels[0]}${instance.index}.`;
      return { key: instance.key, module: moduleOf(path, files, stated, below, depth + 1) };
    });
  });
  const module = { prefix, blocks, names, assumed, called };
  const declared = declaredBlocks(module);
  return module;
}

/** The reason why a block is left out. */
export const otherProvider = "it has a provider of its own, which may be another server";

/** The values of files of variables, of which later ones win. Files do not mark values as sensitive. */
export function variablesIn(files: readonly Pick<HclBlock, "attributes">[], effort: Names["effort"]): Inputs {
  const values = new Map(files.flatMap(({ attributes }) => [...attributes]));
  return (name) => {
    const value = values.get(name)?.value;
    return value && evaluate(value, { resolve: () => undefined, effort });
  };
}

/** Resolves `gitlab_project.api` and `data.gitlab_user`: blocks as mappings whose members are evaluated when used. */
function declaredBlocks(module: Module): (first: string, second: string) => Evaluated | undefined {
  const blockValue = (block: HclBlock) => {
    const instances = instancesOf(block, module);
    if (typeof instances === "string") return undefined;
    return byInstance(block, instances, (instance) => instanceValue(block, instance));
  };
  const values = new Map(module.blocks.map((block) => [block, evaluateOnce(() => blockValue(block))]));
  const member = (kind: string, type: string, name: string): unknown => {
    const isMeant = ({ type: own, labels }: HclBlock) => own === kind && labels[0] === type && labels[1] === name;
    const block = module.blocks.find(isMeant);
    return block && values.get(block)?.();
  };
  return (first, second) => {
    if (second === "") return undefined;
    if (first !== "data") {
      const value = first === "module" ? outputsOf(second, module) : member("resource", first, second);
      return value === undefined ? undefined : { known: value };
    }
    const own = module.blocks.filter(({ type, labels: [of] }) => type === "data" && of === second);
    return { known: lazyMembers(own.map(({ labels: [, name = ""] }) => [name, () => member("data", second, name)])) };
  };
}

function outputsOf(name: string, module: Module): unknown {
  const block = module.blocks.find(({ type, labels }) => type === "module" && labels[0] === name);
  const called = block && module.called(block);
  if (!called || typeof called === "string") return undefined;
  return byInstance(block, called, ({ module: { blocks, names } }) => {
    const outputs = blocks.filter(({ type }) => type === "output");
    return lazyMembers(
      outputs.map(({ labels: [own = ""], attributes }) => [own, () => attributeValue(attributes.get("value"), names)]),
    );
  });
}

/** One value; a list or mapping of values with `count` or `for_each`. */
function byInstance<Each extends { readonly key: unknown }>(
  { attributes }: HclBlock,
  instances: readonly Each[],
  toValue: (instance: Each) => unknown,
): unknown {
  if (attributes.has("for_each")) return Object.fromEntries(instances.map((each) => [String(each.key), toValue(each)]));
  const [first] = instances;
  return attributes.has("count") ? instances.map(toValue) : first && toValue(first);
}

/** A mapping whose members are evaluated when used; undefined members are unknown. */
function lazyMembers(members: readonly (readonly [name: string, value: () => unknown])[]): object {
  const object = Object.create(null);
  for (const [name, value] of members)
    Object.defineProperty(object, name, { get: evaluateOnce(value), configurable: true });
  return object;
}

/** Undefined within its own evaluation, for a value that depends on itself. */
function evaluateOnce(value: () => unknown): () => unknown {
  let result: { readonly value: unknown } | undefined;
  let isActive = false;
  return () => {
    if (isActive) return undefined;
    isActive = true;
    result ??= { value: value() };
    isActive = false;
    return result.value;
  };
}

/** Attributes that the server adds, by type: names stand for IDs, which no file has. */
const added: Readonly<Record<string, Readonly<Record<string, "owner" | "path" | "user" | "branch">>>> = {
  gitlab_project: { id: "owner", path_with_namespace: "path" },
  gitlab_group: { id: "owner", group_id: "owner", full_path: "path" },
  gitlab_user: { id: "user", user_id: "user" },
  gitlab_branch_protection: { branch_protection_id: "branch" },
};

/** The attributes of an instance, and those that the server adds. */
function instanceValue(block: HclBlock, { names }: Instance): object {
  const { attributes, labels } = block;
  const read = (name: string) => attributeValue(attributes.get(name), names);
  const id = (name: unknown) => (typeof name === "string" ? createIdOf(name) : name);
  const path = () => pathOf(block, names);
  const values = {
    path,
    owner: () => (/^\d+$/.test(path() ?? "") ? Number(path()) : id(path())),
    user: () => id(read("username") ?? read("user_id")),
    branch: () => id(read("branch")),
  };
  const computed = Object.entries(added[labels[0] ?? ""] ?? {}).map(([name, value]) => [name, values[value]] as const);
  const own = [...attributes.keys()].filter((name) => name !== "id").map((name) => [name, () => read(name)] as const);
  return lazyMembers([...computed, ...own]);
}

export function attributeValue(attribute: HclAttribute | undefined, names: Names): unknown {
  const value = attribute && evaluate(attribute.value, names);
  return value && "known" in value ? value.known : undefined;
}

/** The path of the project or group that a block declares or reads; undefined if unknown. */
export function pathOf({ type, labels: [of], attributes }: HclBlock, names: Names): string | undefined {
  const read = (name: string) => readName(attributeValue(attributes.get(name), names));
  const owner = owners.find((each) => of === `gitlab_${each}`);
  if (type === "data") return owner && dataAttributes[owner].map(read).find((name) => name !== undefined);
  if (owner === "group") {
    const [path, parent] = [read("path"), attributes.get("parent_id")];
    const above = attributeValue(parent, names);
    if (!parent || !path || above === null || above === 0) return path;
    return isIdOf(above) ? `${above.name}/${path}` : undefined;
  }
  const path = read("path") ?? deriveSlug(read("name"));
  const above = attributeValue(attributes.get("namespace_id"), names);
  return path && isIdOf(above) ? `${above.name}/${path}` : undefined;
}

/** The attributes that identify a project or group in data blocks. */
const dataAttributes: Readonly<Record<Owner, readonly string[]>> = {
  project: ["path_with_namespace", "id"],
  group: ["full_path", "group_id"],
  instance: [],
};

/** The name or the ID in a value. */
export function readName(value: unknown): string | undefined {
  if (isIdOf(value)) return value.name;
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/** The path that a server derives from a name in ASCII (`parameterize` of Rails); undefined for others. */
function deriveSlug(name = ""): string | undefined {
  if (!/^[ -~]+$/.test(name)) return undefined;
  const slug = name
    .replace(/[^\w-]+/g, "-")
    .replace(/--+/g, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? undefined : slug.toLowerCase();
}

/** An instance of a resource with `for_each` or `count`. */
export interface Instance {
  readonly names: Names;
  readonly key: unknown;
  /** `["key"]` or `[0]`; empty for a single instance. */
  readonly index: string;
}

const mostInstances = 10_000;

/** Completes a message about what decides whether there is a resource, and where. */
export const unknownHere = "is not known from these files; a plan has it";

/** The instances of a resource, or the reason why they are unknown. */
export function instancesOf({ attributes }: HclBlock, { names }: Pick<Module, "names">): readonly Instance[] | string {
  const each = attributes.get("for_each");
  const count = attributes.get("count");
  if (each) return expandEach(evaluate(each.value, names), names);
  if (!count) return [{ names, key: undefined, index: "" }];
  const of = evaluate(count.value, names);
  if ("unknown" in of) return `its count, ${of.unknown}, ${unknownHere}`;
  const length = typeof of.known === "boolean" ? Number.NaN : Number(of.known);
  if (!Number.isInteger(length) || length < 0 || length > mostInstances) return "its count is no number that is read";
  return Array.from({ length }, (_, index) => createInstance(names, index, { "count.index": index }));
}

function createInstance(names: Names, key: unknown, more: Readonly<Record<string, unknown>>): Instance {
  return { names: withNames(names, more), key, index: `[${JSON.stringify(key)}]` };
}

/** One instance for each member, which `each` names. */
function expandEach(of: Evaluated, names: Names, each = "each"): readonly Instance[] | string {
  if ("unknown" in of) return `its for_each, ${of.unknown}, ${unknownHere}`;
  const { known } = of;
  const pairs = Array.isArray(known) ? known.map((key) => [key, key]) : isObject(known) && Object.entries(known);
  if (!pairs) return "its for_each is no list or mapping";
  if (pairs.length > mostInstances) return `its for_each has more than ${mostInstances} members`;
  return pairs.map(([key, value]) => createInstance(names, key, { [`${each}.key`]: key, [`${each}.value`]: value }));
}

/** The blocks that a dynamic block stands for, with the names that are known in each, or the reason why they are unknown. */
export function expandDynamic({ labels, attributes, blocks }: HclBlock, names: Names) {
  const iterator = attributes.get("iterator")?.value;
  const each = iterator?.path ?? labels[0];
  const of = attributes.get("for_each");
  const content = blocks.find(({ type }) => type === "content");
  const instances = of && expandEach(evaluate(of.value, names), names, each);
  if (!content || typeof instances !== "object") return "a dynamic block";
  return instances.map((instance) => ({ block: content, names: instance.names }));
}
