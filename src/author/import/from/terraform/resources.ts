import table from "../../../../../schemas/coming-from/terraform.json" with { type: "json" };
import { isObject } from "../../../../base/json.ts";
import type { Owner } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { type FieldTable, kindInSection, neededFields, renamedFields, rulesOf, withIds } from "../field-table.ts";
import { type ForeignChoice, type ForeignIntegration, type ForeignValue, notImported } from "../foreign.ts";
import type { ForeignResource } from "../kind-entries.ts";

/** A resource of a project or a group in Terraform's names. */
export interface ProviderResource {
  /** `gitlab_integration_slack.chat["key"]`. */
  readonly address: string;
  readonly type: string;
  readonly attributes: ReadonlyMap<string, ForeignValue>;
  readonly place: () => Place;
}

interface Row {
  readonly slug: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly readOnly?: readonly string[];
}

const rows = new Map<string, Row>(Object.entries(table.integrations));
const readOnly: ReadonlySet<string> = new Set(table.readOnly);
const inherits = "use_inherited_settings";

/** True if a resource type is one that policies declare, in any version of the provider. */
export function isMapped(type: string): boolean {
  return findName(type) !== undefined || resourceTable(type) !== undefined;
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
}

/** A block with the fields of a resource; with `each`, the keys of several. */
interface Part extends FieldTable {
  readonly each?: string;
}

const resources = new Map<string, ResourceTable>(Object.entries(table.resources as Record<string, ResourceTable>));

function resourceTable(type: string): ResourceTable | undefined {
  return resources.get(type);
}

/** True if a resource is the project or group itself. */
export function isItself(type: string): boolean {
  return resourceTable(type)?.itself === true;
}

/** The owner of a type of resource. */
export function ownerOfType(type: string): Owner {
  return resourceTable(type)?.of ?? (/^gitlab_group_integration_/.test(type) ? "group" : "project");
}

/** The attributes that may name the project or group of a resource. */
export function ownerAttributes(type: string): readonly string[] {
  return resourceTable(type)?.owner ?? [ownerOfType(type)];
}

/** Explains why policies cannot declare a type of resource; undefined for an unknown type. */
export function explainUnsupported(type: string): string | undefined {
  return table.unsupported.find(({ types }) => types.includes(type))?.why;
}

/** The resources of kinds that a Terraform resource declares; undefined for an unknown type. */
export function resourcesBy(
  { address, type, attributes, place }: ProviderResource,
  choice: Declarable,
): { readonly resources: readonly ForeignResource[]; readonly problems: readonly Problem[] } | undefined {
  const own = resourceTable(type);
  if (!own) return undefined;
  const { parts = {} } = own;
  const rules = rulesOf(own);
  const left = new Set(["id", ...(own.itself ? [] : ownerAttributes(type)), ...Object.keys(parts)]);
  const renamed = new Set(Object.values(rules).map((rule) => rule?.as));
  const isUnset = (name: string, { value, unknown }: ForeignValue) =>
    renamed.has(name) && unknown === undefined && value === null;
  const used = [...attributes].filter(([name, each]) => !left.has(name) && !isUnset(name, each));
  if (own.section === undefined) {
    const resources = Object.entries(parts).flatMap(([name, part]) => partsBy(name, part, address, attributes, choice));
    const why = `${type} declares ${Object.keys(parts).join(" or ")} alone`;
    const others = used.map(([name, each]) => notImported(each.place(), `${name} of ${address} is left out: ${why}`));
    return { resources, problems: others };
  }
  const values = new Map(used.map(([name, each]) => [name, rules[name]?.items ? withoutBlanks(each) : each]));
  const { fields, problems, overruled } = renamedFields(own, address, values);
  if (fields.size > 0 && kindInSection(choice, own) === undefined) return undefined;
  const whole = Object.entries(parts).flatMap(([name, part]) => partsBy(name, part, address, attributes, choice));
  const wordsOn = ([name, by]: readonly [string, string]) =>
    notImported(attributes.get(name)?.place() ?? place(), `${name} of ${address} is left out: ${by} decides it`);
  const lost = Object.entries(parts).flatMap(([name, { each }]) =>
    each === undefined ? lostOfBlock(`${name} of ${address}`, attributes.get(name)) : [],
  );
  return {
    resources: [...toResource(own, address, fields, place, choice), ...whole],
    problems: [...problems, ...[...overruled].map(wordsOn), ...lost],
  };
}

/** The resources in an attribute: one in a block, or one for each key. */
function partsBy(
  name: string,
  part: Part,
  address: string,
  attributes: ProviderResource["attributes"],
  choice: Declarable,
): readonly ForeignResource[] {
  const stated = attributes.get(name);
  if (!stated) return [];
  const { each } = part;
  const { place } = stated;
  const title = `${name} of ${address}`;
  if (each === undefined) return toResource(part, title, fieldsOfBlock(stated), place, choice);
  if (stated.unknown === undefined && stated.value === null) return [];
  const keys = stated.unknown === undefined && Array.isArray(stated.value) ? stated.value : [stated.value];
  return keys.flatMap((key) =>
    toResource(part, title, new Map([[each, { ...stated, value: withIds(key) }]]), place, choice),
  );
}

/** Reports attributes of a single block that are not read. */
function lostOfBlock(title: string, block: ForeignValue | undefined): readonly Problem[] {
  if (!block) return [];
  const { value, unknown, blocks, place } = block;
  if (unknown !== undefined && !blocks)
    return [notImported(place(), `${title} is left out: ${unknown} is not known from these files`)];
  const isOnce = Array.isArray(value) ? value.length < 2 : isObject(value);
  return isOnce ? [] : [notImported(place(), `${title} is left out from its second block on: it may stand once`)];
}

/** Omits unset fields: for items with several forms, the provider writes 0 and empty texts for them. */
function withoutBlanks(stated: ForeignValue): ForeignValue {
  return Array.isArray(stated.value)
    ? { ...stated, value: stated.value.map(withoutBlank) }
    : { ...stated, value: withoutBlank(stated.value) };
}

function withoutBlank(item: unknown): unknown {
  if (!isObject(item)) return item;
  const isBlank = (name: string, value: unknown) =>
    value === null || value === undefined || value === "" || (value === 0 && name.endsWith("_id"));
  return Object.fromEntries(Object.entries(item).filter(([name, value]) => !isBlank(name, value)));
}

type Declarable = Pick<ForeignChoice, "catalogue">;

function toResource(
  table: FieldTable,
  title: string,
  fields: ForeignResource["fields"],
  place: () => Place,
  choice: Declarable,
): readonly ForeignResource[] {
  const kind = kindInSection(choice, table);
  return kind && fields.size > 0 ? [{ kind, title, isAbsent: false, fields, needs: neededFields(table), place }] : [];
}

/** The attributes of a single block. */
function fieldsOfBlock({ value, unknown, place, blocks, secret = false }: ForeignValue): ForeignResource["fields"] {
  const [written] = blocks ?? [];
  if (written) return written;
  const [block] = Array.isArray(value) ? value : [value];
  if (unknown !== undefined || !isObject(block)) return new Map();
  const set = Object.entries(block).filter(([, each]) => each !== null);
  return new Map(set.map(([name, each]) => [name, { value: each, place, secret }]));
}

function findName(type: string): string | undefined {
  const name = /^gitlab_(?:(?:project_)?(?:integration|service)|group_integration)_(\w+)$/.exec(type)?.[1];
  return name?.startsWith("account") ? undefined : name;
}

/** The integration of a resource in the platform's names, or the reason why it is not imported. */
export function declaredBy({ type, attributes, place }: ProviderResource): ForeignIntegration | string {
  if (resourceTable(type)) return "policies have no such kind";
  const name = findName(type) ?? "";
  const row = rows.get(name);
  if (!row) return `${type} is not known`;
  const inherited = attributes.get(inherits);
  if (inherited && inherited.value !== false && inherited.value !== null) return "it inherits the settings of a group";
  const left = new Set([...readOnly, ...(row.readOnly ?? []), ownerOfType(type), inherits]);
  const own = [...attributes].filter(([attribute]) => !left.has(attribute));
  const parameters = new Map(own.map(([attribute, value]) => [row.attributes?.[attribute] ?? attribute, value]));
  return { slug: row.slug, of: ownerOfType(type), isOff: false, parameters, place };
}
