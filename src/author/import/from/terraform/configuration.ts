import { grouped } from "../../../../base/grouped.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { type Owner, ownerName } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { type ForeignValue, type NamedPlace, notImported } from "../foreign.ts";
import { evaluate, type Names } from "./evaluate.ts";
import type { HclAttribute, HclBlock, HclExpression } from "./hcl.ts";
import { type BlockReference, blockNamed, type Instance, instancesOf, longestChain, type Module } from "./module.ts";
import { isItself, isMapped, ownerOfType, type ProviderResource } from "./resources.ts";

/** A resource that a policy can declare, and its project or group. */
export interface TerraformDeclaration {
  /** A path or an ID; that of a group ends in a slash. */
  readonly project: string;
  readonly resource: ProviderResource;
}

/** Integrations and licenses in the files, with problems for values that the files alone do not determine. */
export interface Declarations {
  readonly declarations: readonly TerraformDeclaration[];
  readonly problems: readonly Problem[];
  /** Resources of other types. */
  readonly others: readonly NamedPlace[];
}

/** The integrations and licenses that a module's files declare. */
export function declarationsIn(module: Module): Declarations {
  const parsed = module.blocks.map((block) => ofBlock(block, module));
  return {
    declarations: parsed.flatMap((each) => each.declarations),
    problems: [...parsed.flatMap((each) => each.problems), ...warnAssumed(module)],
    others: module.blocks.flatMap(({ type, labels: [of = ""], place }) =>
      type === "resource" && !isMapped(of) ? [{ name: of, place: () => place }] : [],
    ),
  };
}

/** A variable may be set elsewhere, for example in the environment of a pipeline. */
function warnAssumed({ assumed }: Module): readonly Problem[] {
  return [...assumed].map(([name, place]) => {
    const message = `var.${name} is assumed to have its default: no file of variables that was named sets it`;
    return { severity: "warning", rule: "assumed", message, place };
  });
}

type Found = Omit<Declarations, "others">;

function ofBlock(block: HclBlock, module: Module): Found {
  const [type = "", name = ""] = block.labels;
  const left = (why: string): Found => ({ declarations: [], problems: [notImported(block.place, why)] });
  if (block.type === "module") return left(`module.${type} is not followed: what terraform show -json prints has it`);
  if (block.type !== "resource") return { declarations: [], problems: [] };
  if (!isMapped(type)) return { declarations: [], problems: [] };
  const provider = block.attributes.get("provider")?.value;
  if (provider) return left(`${type}.${name} is left out: it has a provider of its own, which may be another server`);
  const instances = instancesOf(block, module);
  if (typeof instances === "string") return left(`${type}.${name} is left out: ${instances}`);
  if (instances.length === 0) return left(`${type}.${name} is left out: its for_each or count is empty`);
  const each = instances.map((instance) => ofInstance(block, instance, module));
  return { declarations: each.flatMap((one) => one.declarations), problems: each.flatMap((one) => one.problems) };
}

/** Meta-arguments of Terraform. */
const meta: ReadonlySet<string> = new Set(["for_each", "count", "depends_on"]);

function ofInstance(block: HclBlock, instance: Instance, module: Module): Found {
  const [type = "", name = ""] = block.labels;
  const address = `${type}.${name}${instance.index}`;
  const ignored = listIgnored(block);
  const owner = ownerOfType(type);
  const stated = block.attributes.get(isItself(type) ? "name" : owner);
  const project = isItself(type)
    ? ownerOfBlock(block, owner, instance.names, module)
    : stated && ownerMeant(stated.value, owner, instance, module);
  const left = (why: string): Found => ({
    declarations: [],
    problems: [notImported(stated?.place ?? block.place, `${address} is left out: ${why}`)],
  });
  if (ignored === "all") return left("it ignores all changes");
  if (!stated) return left(`it states no ${isItself(type) ? "name" : owner}`);
  if (project === undefined) {
    const words = isItself(type) ? "its path" : `its ${owner}, ${describeExpression(stated.value)},`;
    return left(`${words} is not known from these files`);
  }
  const own = [...block.attributes].filter(([attribute]) => !meta.has(attribute));
  const remaining = own.filter(([attribute]) => !ignored.includes(attribute));
  const blocks = listNested(block, instance).filter(([name]) => !ignored.includes(name));
  const single = remaining.map(([attribute, value]) => [attribute, foreignValue(value, instance)] as const);
  const attributes = new Map([...single, ...blocks]);
  const resource = { address, type, attributes, place: () => block.place };
  const stand = [...own.map(([of, { place }]) => ({ of, place })), ...block.blocks.map(warnNested)];
  const problems = stand.flatMap(({ of, place }) => {
    const why = ignored.includes(of) ? "its changes are ignored" : unreadBlocks[of];
    return why === undefined ? [] : [notImported(place, `${of} of ${address} is left out: ${why}`)];
  });
  return { declarations: [{ project, resource }], problems: [...problems, ...warnProtection(block, address)] };
}

/** Blocks of Terraform itself with effects, and the reasons why they are left out. */
const unreadBlocks: Readonly<Record<string, string | undefined>> = {
  provisioner: "policies run no programs",
  connection: "policies run no programs",
};

/** Blocks of Terraform itself. */
const metaBlocks: ReadonlySet<string> = new Set(["lifecycle", ...Object.keys(unreadBlocks)]);

/** Warns of `prevent_destroy`: policies delete only what they list. */
function warnProtection({ blocks, labels: [type = ""] }: HclBlock, address: string): readonly Problem[] {
  if (isItself(type)) return [];
  const stated = blocks.flatMap((block) =>
    block.type === "lifecycle" ? (block.attributes.get("prevent_destroy") ?? []) : [],
  );
  const why = "list what must not be deleted under protected in evenkeel.yaml";
  return stated.flatMap(({ value, place }) =>
    value.form === "value" && value.value === false
      ? []
      : [notImported(place, `prevent_destroy of ${address} is left out: ${why}`)],
  );
}

function warnNested({ type, labels: [label = ""], place }: HclBlock) {
  return { of: type === "dynamic" ? label : type, place };
}

/** Blocks within a resource by type, each a list of mappings, as states have them. */
function listNested({ blocks }: HclBlock, instance: Instance): readonly (readonly [string, ForeignValue])[] {
  const own = blocks.filter(({ type }) => !metaBlocks.has(type));
  const named = grouped(own, (member) => warnNested(member).of);
  return [...named].map(([name, members]) => {
    const [{ place }] = members as [HclBlock];
    const mappings = members.map((member) => readMapping(member, instance));
    const unknown = mappings.find((each) => typeof each === "string");
    const written = members.every(isFlat) && members.map((member) => readAttributes(member, instance));
    const more = { ...(unknown !== undefined && { unknown }), ...(written && { blocks: written }) };
    return [name, { value: mappings, place: () => place, ...more }] as const;
  });
}

/** True if a block has nothing but attributes. */
function isFlat({ type, blocks }: HclBlock): boolean {
  return type !== "dynamic" && blocks.length === 0;
}

function readAttributes({ attributes }: HclBlock, instance: Instance): ReadonlyMap<string, ForeignValue> {
  return new Map([...attributes].map(([name, value]) => [name, foreignValue(value, instance)]));
}

/** The attributes of a block, or a description of an unknown one. */
function readMapping(block: HclBlock, { names }: Instance): JsonObject | string {
  const { attributes } = block;
  if (!isFlat(block)) return "a dynamic or nested block";
  const values = [...attributes].map(([name, { value }]) => [name, evaluate(value, names)] as const);
  const unknown = values.flatMap(([, value]) => ("unknown" in value ? [value.unknown] : []))[0];
  return unknown ?? Object.fromEntries(values.map(([name, value]) => [name, "known" in value ? value.known : null]));
}

function describeExpression(expression: HclExpression): string {
  if (expression.form === "path") return expression.text;
  return expression.form === "other" ? expression.words : "an expression";
}

function foreignValue({ value, place }: HclAttribute, { names }: Instance): ForeignValue {
  const evaluated = evaluate(value, names);
  const at = { place: () => place };
  return "unknown" in evaluated
    ? { ...at, value: undefined, unknown: evaluated.unknown }
    : { ...at, value: evaluated.known };
}

/** Attributes of `ignore_changes`; their values may be outdated. */
function listIgnored({ blocks }: HclBlock): readonly string[] | "all" {
  const ignored = blocks.flatMap(({ type, attributes }) =>
    type === "lifecycle" ? (attributes.get("ignore_changes")?.value ?? []) : [],
  );
  const names = ignored.flatMap((each) => (each.form === "list" ? each.items : [each]));
  const words = names.flatMap((each) => {
    const word = each.form === "path" ? each.steps[0] : each.form === "value" ? each.value : undefined;
    return typeof word === "string" ? word : [];
  });
  return ignored.some(({ form }) => form === "path") && words.includes("all") ? "all" : words;
}

/** Types of blocks for projects and groups, with the attributes that identify them in data blocks. */
const ownerTypes = {
  project: { type: "gitlab_project", named: ["path_with_namespace", "id"] },
  group: { type: "gitlab_group", named: ["full_path", "group_id"] },
} as const;

/** The path or ID of the project or group in an expression; undefined if unknown. */
function ownerMeant(
  expression: HclExpression,
  owner: Owner,
  instance: Pick<Instance, "names" | "each">,
  module: Module,
): string | undefined {
  const { each } = instance;
  if (each && expression.form === "path" && expression.steps[0] === "each" && expression.steps[1] === "value") {
    const steps = [...each, ...expression.steps.slice(2)];
    return ownerMeant({ ...expression, steps }, owner, { names: module.names }, module);
  }
  const value = evaluate(expression, instance.names);
  if ("known" in value) return toName(owner, readName(value.known));
  const { type, named } = ownerTypes[owner];
  const reference = findReference(expression, type, instance.names);
  const block = reference && blockNamed(module, reference);
  if (!block) return undefined;
  const own = findScope(block, reference, module);
  if (own && reference.isData) return toName(owner, readAttribute(block, named, own));
  return own && ownerOfBlock(block, owner, own, module);
}

/** The path of the project or group that a block declares; undefined if unknown. */
function ownerOfBlock(block: HclBlock, owner: Owner, names: Names, module: Module): string | undefined {
  return owner === "group"
    ? toName(owner, groupOfBlock(block, names, module, 0))
    : projectOfBlock(block, names, module);
}

function toName(owner: Owner, written: string | undefined): string | undefined {
  return written === undefined ? undefined : ownerName(owner, written);
}

function projectOfBlock(block: HclBlock, names: Names, module: Module): string | undefined {
  const path = readAttribute(block, ["path"], names) ?? deriveSlug(readAttribute(block, ["name"], names));
  const group = groupMeant(block.attributes.get("namespace_id")?.value, names, module, 0);
  return path && group ? `${group}/${path}` : undefined;
}

function groupMeant(of: HclExpression | undefined, names: Names, module: Module, depth: number): string | undefined {
  const reference = of && depth < longestChain ? findReference(of, "gitlab_group", names) : undefined;
  const block = reference && blockNamed(module, reference);
  const own = block && findScope(block, reference, module);
  if (!own) return undefined;
  return reference.isData ? readAttribute(block, ["full_path"], own) : groupOfBlock(block, own, module, depth);
}

function groupOfBlock(block: HclBlock, names: Names, module: Module, depth: number): string | undefined {
  const path = readAttribute(block, ["path"], names);
  const parent = block.attributes.get("parent_id")?.value;
  if (!parent || !path) return path;
  const evaluated = evaluate(parent, names);
  if ("known" in evaluated && (evaluated.known === null || evaluated.known === 0)) return path;
  const above = groupMeant(parent, names, module, depth + 1);
  return above && `${above}/${path}`;
}

/** `gitlab_project.api.id`, `data.gitlab_project.api.path_with_namespace`, `gitlab_project.all["api"].id`. */
function findReference(expression: HclExpression, type: string, names: Names): BlockReference | undefined {
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

function findScope(block: HclBlock, { index }: BlockReference, module: Module): Names | undefined {
  const instances = instancesOf(block, module);
  const wanted = index === undefined ? "" : `[${JSON.stringify(index)}]`;
  return typeof instances === "string" ? undefined : instances.find((each) => each.index === wanted)?.names;
}

function readAttribute({ attributes }: HclBlock, wanted: readonly string[], names: Names): string | undefined {
  const [first] = wanted.flatMap((name) => attributes.get(name) ?? []);
  const value = first && evaluate(first.value, names);
  return value && "known" in value ? readName(value.known) : undefined;
}

function readName(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/** The path that a server derives from a simple name; undefined for others. */
function deriveSlug(name: string | undefined): string | undefined {
  return name !== undefined && /^[A-Za-z\d](?:[\w-]*[A-Za-z\d])?$/.test(name) ? name.toLowerCase() : undefined;
}
