import table from "../../../../../schemas/coming-from/terraform.json" with { type: "json" };
import { isObject } from "../../../../base/json.ts";
import { memoized } from "../../../../base/memoize.ts";
import type { Owner } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import type { ForeignResource } from "../entries.ts";
import { type FieldTable, kindInSection, neededFields, renamedFields, rulesOf, withIds } from "../field-table.ts";
import { type ForeignChoice, type ForeignValue, notImported } from "../foreign.ts";

/** A resource of a project or a group in Terraform's names. */
export interface ProviderResource {
  /** `gitlab_integration_slack.chat["key"]`. */
  readonly address: string;
  readonly type: string;
  readonly attributes: ReadonlyMap<string, ForeignValue>;
  readonly place: () => Place;
}

/** True if a resource type is one that policies declare, in any version of the provider. */
export function isMapped(type: string): boolean {
  return resourceTable(type) !== undefined;
}

/** Maps a type of resource to a kind. */
interface ResourceTable extends FieldTable {
  /** True if a project or group has only one such resource. */
  readonly one?: true;
  /** True if the resource is the project or group itself. */
  readonly itself?: true;
  /** The attributes that name the project or group; default: project or group. */
  readonly owner?: readonly string[];
  /** Attributes that are resources of other sections. */
  readonly parts?: Readonly<Record<string, Part>>;
  /** The slug of an integration, if it is known. */
  readonly slug?: string | undefined;
}

/** A block with the fields of a resource; with `each`, the keys of several. */
interface Part extends FieldTable {
  readonly each?: string;
}

const resources = new Map<string, ResourceTable>(Object.entries(table.resources as Record<string, ResourceTable>));

function resourceTable(type: string): ResourceTable | undefined {
  return resources.get(type) ?? integrationTable(type);
}

interface Row {
  readonly slug: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly readOnly?: readonly string[];
}

const rows = new Map<string, Row>(Object.entries(table.integrations));
const inherits = "use_inherited_settings";

const integrationTable = memoized((type: string): ResourceTable | undefined => {
  const [, of, name = ""] =
    /^gitlab_(?:(?:project_)?(?:integration|service)|(group)_integration)_(\w+)$/.exec(type) ?? [];
  if (name === "" || name.startsWith("account")) return undefined;
  const { slug, attributes, readOnly = [] } = rows.get(name) ?? {};
  const left = [...table.readOnly, ...readOnly, inherits].map((each) => [each, null] as const);
  const fields = { ...attributes, ...Object.fromEntries(left) };
  return { section: "integrations", of: of ? "group" : "project", slug, fields };
});

export function isItself(type: string): boolean {
  return resourceTable(type)?.itself === true;
}

export function ownerOfType(type: string): Owner {
  return resourceTable(type)?.of ?? "project";
}

/** The attributes that may name the project or group of a resource. */
export function ownerAttributes(type: string): readonly string[] {
  return resourceTable(type)?.owner ?? [ownerOfType(type)];
}

/** Explains why policies cannot declare a type of resource; undefined for an unknown type. */
export function explainUnsupported(type: string): string | undefined {
  return table.unsupported.find(({ types }) => types.includes(type))?.why;
}

/** The resources of kinds that a Terraform resource declares, or the reason why policies cannot declare any. */
export function resourcesBy(
  { address, type, attributes, place }: ProviderResource,
  choice: Declarable,
): { readonly resources: readonly ForeignResource[]; readonly problems: readonly Problem[] } | string {
  const own = resourceTable(type) ?? {};
  const { parts = {} } = own;
  if (own.section === "integrations") {
    if (own.slug === undefined) return `${type} is not known`;
    const inherited = attributes.get(inherits)?.value ?? false;
    if (inherited !== false || attributes.get(inherits)?.unknown !== undefined)
      return "it inherits the settings of a group";
  }
  const rules = rulesOf(own);
  const left = new Set(["id", ...(own.itself ? [] : ownerAttributes(type)), ...Object.keys(parts)]);
  const renamed = new Set(Object.values(rules).map((rule) => rule?.as));
  const isUnset = (name: string, { value, unknown }: ForeignValue) =>
    renamed.has(name) && unknown === undefined && value === null;
  const used = [...attributes].filter(([name, each]) => !left.has(name) && !isUnset(name, each));
  const stated = Object.entries(parts).flatMap(([name, part]) => {
    const value = attributes.get(name);
    return value ? [{ part, title: `${name} of ${address}`, value }] : [];
  });
  const whole = stated.flatMap(({ part, title, value }) => partsBy(part, title, value, choice));
  if (own.section === undefined) {
    const why = `${type} declares ${Object.keys(parts).join(" or ")} alone`;
    const others = used.map(([name, each]) => notImported(each.place(), `${name} of ${address} is left out: ${why}`));
    return { resources: whole, problems: others };
  }
  const values = new Map(
    used.map(([name, each]) => [name, rules[name]?.items ? { ...each, value: withoutBlanks(each.value) } : each]),
  );
  const { fields, problems, overruled } = renamedFields(own, address, values);
  const decided = Array.from(overruled, ([name, by]) =>
    notImported(attributes.get(name)?.place() ?? place(), `${name} of ${address} is left out: ${by} decides it`),
  );
  const lost = stated.flatMap(({ part, title, value }) => (part.each === undefined ? lostOfBlock(title, value) : []));
  return {
    resources: [...toResource(own, address, fields, place, choice), ...whole],
    problems: [...problems, ...decided, ...lost],
  };
}

/** The resources in an attribute: one in a block, or one for each key. */
function partsBy(part: Part, title: string, stated: ForeignValue, choice: Declarable): readonly ForeignResource[] {
  const { each } = part;
  const { place } = stated;
  if (each === undefined) return toResource(part, title, fieldsOfBlock(stated), place, choice);
  if (stated.unknown === undefined && stated.value === null) return [];
  const keys = stated.unknown === undefined && Array.isArray(stated.value) ? stated.value : [stated.value];
  return keys.flatMap((key) =>
    toResource(part, title, new Map([[each, { ...stated, value: withIds(key) }]]), place, choice),
  );
}

/** Reports attributes of a single block that are not read. */
function lostOfBlock(title: string, { value, unknown, blocks, place }: ForeignValue): readonly Problem[] {
  if (unknown !== undefined && !blocks)
    return [notImported(place(), `${title} is left out: ${unknown} is not known from these files`)];
  const isOnce = Array.isArray(value) ? value.length < 2 : isObject(value);
  return isOnce ? [] : [notImported(place(), `${title} is left out from its second block on: it may stand once`)];
}

/** Omits unset fields: for items with several forms, the provider writes 0 and empty texts for them. */
function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (!isObject(value)) return value;
  const isBlank = (name: string, each: unknown) =>
    each === null || each === undefined || each === "" || (each === 0 && name.endsWith("_id"));
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !isBlank(name, each)));
}

type Declarable = Pick<ForeignChoice, "catalogue">;

function toResource(
  table: ResourceTable,
  title: string,
  fields: ForeignResource["fields"],
  place: () => Place,
  choice: Declarable,
): readonly ForeignResource[] {
  const { slug } = table;
  if (slug === undefined && fields.size === 0) return [];
  const kind = kindInSection(choice, table);
  return [{ kind, title: slug ?? title, slug, isAbsent: false, fields, needs: neededFields(table), place }];
}

function fieldsOfBlock({ value, unknown, place, blocks, secret = false }: ForeignValue): ForeignResource["fields"] {
  const [written] = blocks ?? [];
  if (written) return written;
  const [block] = Array.isArray(value) ? value : [value];
  if (unknown !== undefined || !isObject(block)) return new Map();
  const set = Object.entries(block).filter(([, each]) => each !== null);
  return new Map(set.map(([name, each]) => [name, { value: each, place, secret }]));
}
