import { type Owner, ownerName } from "../../../model/owner.ts";
import { evaluate, type Names } from "./evaluate.ts";
import { type Instance, instancesOf, longestChain } from "./instances.ts";
import { type BlockReference, blockNamed, type Module } from "./module.ts";
import type { HclBlock, HclExpression } from "./syntax.ts";

/** Types of blocks that are projects and groups, and what names them where they are data. */
const ownerTypes = {
  project: { type: "gitlab_project", named: ["path_with_namespace", "id"] },
  group: { type: "gitlab_group", named: ["full_path", "group_id"] },
} as const;

/** The path or ID of the project, or of the group, of an expression; undefined where it is unknown. */
export function ownerMeant(
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
  const meant = of && depth < longestChain ? referenceIn(of, "gitlab_group", names) : undefined;
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

/** `gitlab_project.api.id`, `data.gitlab_project.api.path_with_namespace`, `gitlab_project.all["api"].id`. */
function referenceIn(expression: HclExpression, type: string, names: Names): BlockReference | undefined {
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

function scopeAt(block: HclBlock, { index }: BlockReference, module: Module): Names | undefined {
  const instances = instancesOf(block, module);
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
