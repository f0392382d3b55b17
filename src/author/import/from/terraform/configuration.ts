import { grouped } from "../../../../base/grouped.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { instanceName, ownerName } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { type ForeignValue, type NamedPlace, notImported } from "../foreign.ts";
import { evaluate } from "./evaluate.ts";
import type { HclAttribute, HclBlock, HclExpression } from "./hcl.ts";
import {
  expandDynamic,
  type Instance,
  instancesOf,
  type Module,
  type NestedBlock,
  pathOf,
  readName,
  unknownHere,
} from "./module.ts";
import { isItself, isMapped, ownerAttributes, ownerOfType, type ProviderResource } from "./resources.ts";

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
  const own = contentOf(module);
  return { ...own, problems: [...own.problems, ...warnAssumed(module)] };
}

function contentOf(module: Module): Declarations {
  const parsed = module.blocks.map((block) => ofBlock(block, module));
  return {
    declarations: parsed.flatMap((each) => each.declarations),
    problems: parsed.flatMap((each) => each.problems),
    others: [
      ...module.blocks.flatMap(({ type, labels: [of = ""], place }) =>
        type === "resource" && /^gitlab_/.test(of) && !isMapped(of) ? [{ name: of, place: () => place }] : [],
      ),
      ...parsed.flatMap((each) => each.others ?? []),
    ],
  };
}

/** The declarations of called modules, whose variables are not assumed: calls leave out what has a default. */
function ofCall(block: HclBlock, module: Module): Found {
  const name = `${module.prefix}module.${block.labels[0]}`;
  const called = module.called(block);
  const left = (why: string): Found => ({
    declarations: [],
    problems: [notImported(block.place, `${name} is ${why}`)],
  });
  if (called === undefined) return left("not followed: name its files too, or import what terraform show -json prints");
  if (typeof called === "string") return left(`left out: ${called}`);
  const each = called.map((one) => contentOf(one.module));
  return {
    declarations: each.flatMap((one) => one.declarations),
    problems: each.flatMap((one) => one.problems),
    others: each.flatMap((one) => one.others),
  };
}

/** A variable may be set elsewhere, for example in the environment of a pipeline. */
function warnAssumed({ assumed }: Module): readonly Problem[] {
  return [...assumed].map(([name, place]) => {
    const message = `var.${name} is assumed to have its default: no file of variables that was named sets it`;
    return { severity: "warning", rule: "assumed", message, place };
  });
}

type Found = Omit<Declarations, "others"> & Partial<Declarations>;

function ofBlock(block: HclBlock, module: Module): Found {
  const [type = ""] = block.labels;
  const name = `${module.prefix}${type}.${block.labels[1]}`;
  const left = (why: string): Found => ({
    declarations: [],
    problems: [notImported(block.place, `${name} is left out: ${why}`)],
  });
  if (block.type === "module") return ofCall(block, module);
  if (block.type !== "resource") return { declarations: [], problems: [] };
  if (!isMapped(type)) return { declarations: [], problems: [] };
  const provider = block.attributes.get("provider")?.value;
  if (provider) return left("it has a provider of its own, which may be another server");
  const instances = instancesOf(block, module);
  if (typeof instances === "string") return left(instances);
  if (instances.length === 0) return left("its for_each or count is empty");
  const each = instances.map((instance) => ofInstance(block, instance, module.prefix));
  return { declarations: each.flatMap((one) => one.declarations), problems: each.flatMap((one) => one.problems) };
}

/** Meta-arguments of Terraform. */
const meta: ReadonlySet<string> = new Set(["for_each", "count", "depends_on"]);

function ofInstance(block: HclBlock, instance: Instance, prefix: string): Found {
  const [type = "", name = ""] = block.labels;
  const address = `${prefix}${type}.${name}${instance.index}`;
  const ignored = listIgnored(block);
  const owner = ownerOfType(type);
  const stated = isItself(type)
    ? block.attributes.get("name")
    : ownerAttributes(type).flatMap((each) => block.attributes.get(each) ?? [])[0];
  const left = (why: string): Found => ({
    declarations: [],
    problems: [notImported(stated?.place ?? block.place, `${address} is left out: ${why}`)],
  });
  if (ignored === "all") return left("it ignores all changes");
  if (!stated && owner !== "instance") return left(`it states no ${isItself(type) ? "name" : owner}`);
  const named = isItself(type) ? pathOf(block, instance.names) : stated && ownerMeant(stated.value, instance);
  const found = owner === "instance" ? instanceName : named;
  if (found === undefined) {
    const words = isItself(type) || !stated ? "its path" : `its ${owner}, ${describeExpression(stated.value)},`;
    const isPersonal = type === "gitlab_project" && !block.attributes.has("namespace_id");
    return left(isPersonal ? "without namespace_id it is a project of the token's user" : `${words} ${unknownHere}`);
  }
  const own = [...block.attributes].filter(([attribute]) => !meta.has(attribute));
  const remaining = own.filter(([attribute]) => !ignored.includes(attribute));
  const blocks = listNested(block, instance).filter(([name]) => !ignored.includes(name));
  const single = remaining.map(([attribute, value]) => [attribute, foreignValue(value, instance)] as const);
  const resource = { address, type, attributes: new Map([...single, ...blocks]), place: () => block.place };
  const stand = [...own.map(([of, { place }]) => ({ of, place })), ...block.blocks.map(warnNested)];
  const problems = stand.flatMap(({ of, place }) => {
    const why = ignored.includes(of) ? "its changes are ignored" : unreadBlocks[of];
    return why === undefined ? [] : [notImported(place, `${of} of ${address} is left out: ${why}`)];
  });
  const declarations = [{ project: ownerName(owner, found), resource }];
  return { declarations, problems: [...problems, ...warnProtection(block, address)] };
}

function ownerMeant(expression: HclExpression, { names }: Instance): string | undefined {
  const value = evaluate(expression, names);
  return "known" in value ? readName(value.known) : undefined;
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
function listNested({ blocks }: HclBlock, { names }: Instance): readonly (readonly [string, ForeignValue])[] {
  const own = blocks.filter(({ type }) => !metaBlocks.has(type));
  const named = grouped(own, (member) => warnNested(member).of);
  return [...named].map(([name, members]) => {
    const [{ place }] = members as [HclBlock];
    const expanded = members.map((block) =>
      block.type === "dynamic" ? expandDynamic(block, names) : [{ block, names }],
    );
    const nested = expanded.flatMap((each) => (typeof each === "string" ? [] : each));
    const mappings = nested.map(readMapping);
    const unknown = [...expanded, ...mappings].find((each) => typeof each === "string");
    const written = !mappings.includes(nestedWords) && nested.map(readAttributes);
    const more = { ...(typeof unknown === "string" && { unknown }), ...(written && { blocks: written }) };
    return [name, { value: mappings, place: () => place, ...more }] as const;
  });
}

const nestedWords = "a nested block";

function readAttributes({ block, names }: NestedBlock): ReadonlyMap<string, ForeignValue> {
  return new Map([...block.attributes].map(([name, value]) => [name, foreignValue(value, { names })]));
}

/** The attributes of a block, or a description of an unknown one. */
function readMapping({ block: { attributes, blocks }, names }: NestedBlock): JsonObject | string {
  if (blocks.length > 0) return nestedWords;
  const values = [...attributes].map(([name, { value }]) => [name, evaluate(value, names)] as const);
  const unknown = values.flatMap(([, value]) => ("unknown" in value ? [value.unknown] : []))[0];
  return unknown ?? Object.fromEntries(values.map(([name, value]) => [name, "known" in value ? value.known : null]));
}

function describeExpression(expression: HclExpression): string {
  if (expression.form === "path") return expression.text;
  return expression.form === "other" ? expression.words : "an expression";
}

function foreignValue({ value, place }: HclAttribute, { names }: Pick<Instance, "names">): ForeignValue {
  const evaluated = evaluate(value, names);
  const at = { place: () => place };
  return "unknown" in evaluated ? { ...at, value: undefined, ...evaluated } : { ...at, value: evaluated.known };
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
