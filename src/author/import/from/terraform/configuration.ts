import { grouped } from "../../../../base/grouped.ts";
import { instanceName, ownerName } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { type ForeignValue, type NamedPlace, notImported } from "../foreign.ts";
import { evaluate } from "./expression.ts";
import type { HclAttribute, HclBlock } from "./hcl.ts";
import {
  attributeValue,
  expandDynamic,
  type Instance,
  instancesOf,
  type Module,
  otherProvider,
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

/** Resources in the files, with problems for values that the files alone do not determine. */
export interface Declarations {
  readonly declarations: TerraformDeclaration[];
  readonly problems: Problem[];
  /** Resources of other types. */
  readonly others: NamedPlace[];
}

/** The resources that a module's files declare. A variable may be set elsewhere, as in a pipeline's environment. */
export function collectModule(module: Module, into: Declarations): void {
  collect(module, into);
  for (const [name, place] of module.assumed) {
    const message = `var.${name} is assumed to have its default: no file of variables that was named sets it`;
    into.problems.push({ severity: "warning", rule: "assumed", message, place });
  }
}

function collect(module: Module, into: Declarations): void {
  for (const block of module.blocks) {
    const [type = ""] = block.labels;
    if (block.type === "module") collectCalled(block, module, into);
    else if (block.type !== "resource") continue;
    else if (isMapped(type)) collectResource(block, module, into);
    else if (type.startsWith("gitlab_")) into.others.push({ name: type, place: () => block.place });
  }
}

/** The variables of called modules are not assumed: calls leave out what has a default. */
function collectCalled(block: HclBlock, module: Module, into: Declarations): void {
  const called = module.called(block);
  if (typeof called === "object") {
    for (const one of called) collect(one.module, into);
    return;
  }
  const unfollowed = "not followed: name its files too, or import what terraform show -json prints";
  const why = called === undefined ? unfollowed : `left out: ${called}`;
  into.problems.push(notImported(block.place, `${module.prefix}module.${block.labels[0]} is ${why}`));
}

function collectResource(block: HclBlock, module: Module, into: Declarations): void {
  const [type = "", name = ""] = block.labels;
  const left = (why: string, index = "", place = block.place) => {
    into.problems.push(notImported(place, `${module.prefix}${type}.${name}${index} is left out: ${why}`));
  };
  const found = block.attributes.has("provider") ? otherProvider : instancesOf(block, module);
  const instances = found.length === 0 ? "its for_each or count is empty" : found;
  if (typeof instances === "string") {
    left(instances);
    return;
  }
  const ignored = listIgnored(block);
  for (const instance of instances) {
    if (ignored === "all") left("it ignores all changes", instance.index, findOwner(block)?.place);
    else {
      const owner = ownerMeant(block, instance);
      if ("why" in owner) left(owner.why, instance.index, findOwner(block)?.place);
      else collectInstance(block, { instance, ignored, project: owner.name, prefix: module.prefix }, into);
    }
  }
}

/** The attribute that names the project or group. */
function findOwner({ attributes, labels: [type = ""] }: HclBlock): HclAttribute | undefined {
  const names = isItself(type) ? ["name"] : ownerAttributes(type);
  return names.flatMap((each) => attributes.get(each) ?? [])[0];
}

/** The project or group of a resource, as in addresses; or the reason why it is unknown. */
function ownerMeant(block: HclBlock, { names }: Instance): { readonly name: string } | { readonly why: string } {
  const [type = ""] = block.labels;
  const owner = ownerOfType(type);
  if (owner === "instance") return { name: instanceName };
  const stated = findOwner(block);
  if (!stated) return { why: `it states no ${isItself(type) ? "name" : owner}` };
  const name = isItself(type) ? pathOf(block, names) : readName(attributeValue(stated, names));
  if (name !== undefined) return { name: ownerName(owner, name) };
  if (type === "gitlab_project" && !block.attributes.has("namespace_id"))
    return { why: "without namespace_id it is a project of the token's user" };
  const words = isItself(type) ? "its path" : `its ${owner}, ${stated.value.words},`;
  return { why: `${words} ${unknownHere}` };
}

/** Meta-arguments of Terraform. */
const meta: ReadonlySet<string> = new Set(["for_each", "count", "depends_on"]);

interface Placed {
  readonly instance: Instance;
  readonly ignored: readonly string[];
  readonly project: string;
  readonly prefix: string;
}

function collectInstance(block: HclBlock, { instance, ignored, project, prefix }: Placed, into: Declarations): void {
  const [type = "", name = ""] = block.labels;
  const address = `${prefix}${type}.${name}${instance.index}`;
  const own = [...block.attributes].filter(([attribute]) => !meta.has(attribute));
  const single = own.map(([attribute, value]) => [attribute, foreignValue(value, instance)] as const);
  const stated = [...single, ...listNested(block, instance)].filter(([attribute]) => !ignored.includes(attribute));
  const resource = { address, type, attributes: new Map(stated), place: () => block.place };
  into.declarations.push({ project, resource });
  for (const { of, place } of [...own.map(([of, { place }]) => ({ of, place })), ...block.blocks.map(namePart)]) {
    const why = ignored.includes(of) ? "its changes are ignored" : unreadBlocks[of];
    if (why !== undefined) into.problems.push(notImported(place, `${of} of ${address} is left out: ${why}`));
  }
  into.problems.push(...warnProtection(block, address));
}

/** Blocks of Terraform itself with effects, and the reasons why they are left out. */
const unreadBlocks: Readonly<Record<string, string | undefined>> = {
  provisioner: "policies run no programs",
  connection: "policies run no programs",
};

/** Blocks of Terraform itself. */
const metaBlocks: ReadonlySet<string> = new Set(["lifecycle", ...Object.keys(unreadBlocks)]);

/** Warns of `prevent_destroy`: policies delete only what they list. */
function warnProtection(block: HclBlock, address: string): readonly Problem[] {
  if (isItself(block.labels[0] ?? "")) return [];
  const message = `prevent_destroy of ${address} is left out: list what must not be deleted under protected in evenkeel.yaml`;
  const stated = lifecycleOf(block, "prevent_destroy").filter(({ value }) => value.value !== false);
  return stated.map(({ place }) => notImported(place, message));
}

/** A meta-argument in the lifecycle blocks of a resource. */
function lifecycleOf({ blocks }: HclBlock, name: string): readonly HclAttribute[] {
  return blocks.flatMap(({ type, attributes }) => (type === "lifecycle" ? (attributes.get(name) ?? []) : []));
}

function namePart({ type, labels: [label = ""], place }: HclBlock) {
  return { of: type === "dynamic" ? label : type, place };
}

/** Blocks within a resource by type, each a list of mappings, as states have them. */
function listNested({ blocks }: HclBlock, { names }: Instance): readonly (readonly [string, ForeignValue])[] {
  const own = blocks.filter(({ type }) => !metaBlocks.has(type));
  const named = grouped(own, (member) => namePart(member).of);
  return [...named].map(([name, members]) => {
    const [{ place }] = members as [HclBlock];
    const expanded = members.map((block) =>
      block.type === "dynamic" ? expandDynamic(block, names) : [{ block, names }],
    );
    const nested = expanded.flatMap((each) => (typeof each === "string" ? [] : each));
    const blocks = nested.map(({ block: { attributes }, names: own }) => {
      return new Map([...attributes].map(([each, value]) => [each, foreignValue(value, { names: own })]));
    });
    const values = blocks.map((each) => Object.fromEntries(Array.from(each, ([of, { value }]) => [of, value])));
    const isDeep = nested.some(({ block }) => block.blocks.length > 0);
    const lost = blocks.flatMap((each) => Array.from(each.values(), (value) => value.unknown ?? []).flat())[0];
    const unknown = expanded.find((each) => typeof each === "string") ?? (isDeep ? "a nested block" : lost);
    const more = { ...(unknown !== undefined && { unknown }), ...(!isDeep && { blocks }) };
    return [name, { value: values, place: () => place, ...more }] as const;
  });
}

function foreignValue({ value, place }: HclAttribute, { names }: Pick<Instance, "names">): ForeignValue {
  const evaluated = evaluate(value, names);
  const at = { place: () => place };
  return "unknown" in evaluated ? { ...at, value: undefined, ...evaluated } : { ...at, value: evaluated.known };
}

/** Attributes of `ignore_changes`; their values may be outdated. */
function listIgnored(block: HclBlock): readonly string[] | "all" {
  const ignored = lifecycleOf(block, "ignore_changes").map(({ value }) => value);
  if (ignored.some(({ path }) => path === "all")) return "all";
  const items = ignored.flatMap((each) => each.items ?? [each]);
  return items.map(({ path = "", value }) => value ?? path.split(/[.[]/)[0]).filter((word) => typeof word === "string");
}
