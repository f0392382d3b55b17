import { type Catalogue, type Integration, type IntegrationParameter, quirksAt } from "../model/catalogue.ts";
import type { Scalar } from "../model/types.ts";
import { flagsListedIn } from "./facts.ts";
import type { IntegrationRecord } from "./state.ts";
import type { World } from "./world.ts";

type Fields = Record<string, unknown>;

/** A row of the list: the fields of the spec, all flags true until they are set (docs/api.md#list-items). */
export function rowOf({ catalogue, behaviour, release }: World, record: IntegrationRecord): Fields {
  const { id, slug, created_at, updated_at, active, values } = record;
  const row: Fields = { id, title: titleOf(catalogue, slug), slug, created_at, updated_at, active };
  for (const flag of catalogue.listedFlags) row[flag] = values[flag] ?? true;
  if (behaviour.quirks) for (const [flag, unset] of flagsListedIn(release)) row[flag] = values[flag] ?? unset;
  return behaviour.inheritedSettings ? { ...row, inherited: record.inherited ?? false } : row;
}

function titleOf({ integrations }: Catalogue, slug: string): string {
  return integrations.get(slug)?.title ?? slug.replaceAll("-", " ");
}

/** The answer of a single GET and of a PUT: the row, flags that a list does not show, and `properties`. */
export function entityOf(world: World, integration: Integration | undefined, record: IntegrationRecord): Fields {
  const entity = rowOf(world, record);
  if (!integration) return { ...entity, properties: unlisted(world.catalogue, record) };
  if (!world.behaviour.quirks) for (const field of integration.omitted) delete entity[field];
  const properties: Fields = {};
  for (const parameter of integration.parameters.values()) {
    const { name, level } = parameter;
    if (!isShown(world, parameter) || (level === "top" && name in entity)) continue;
    const value = shownValue(world, integration, parameter, record);
    if (value === undefined) continue;
    if (level === "top") entity[name] = value;
    else properties[name] = value;
  }
  return { ...entity, properties };
}

function unlisted({ listedFlags }: Catalogue, { values }: IntegrationRecord): Fields {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !listedFlags.includes(name)));
}

/** By the specification no secret but those that it shows; on deployed servers all that is not hidden. */
function isShown({ behaviour, release }: World, parameter: IntegrationParameter): boolean {
  if (behaviour.quirks) return !quirksAt(parameter, release).has("hidden");
  return !parameter.secret || parameter.returned;
}

/** A flag that was never set is off unless the list shows it; another parameter has its default. */
function shownValue(
  { behaviour }: World,
  { apart }: Integration,
  { name, level, default: byDefault, fallback }: IntegrationParameter,
  { values }: IntegrationRecord,
): Scalar | undefined {
  const value = behaviour.quirks && fallback ? values[name] || values[fallback] : values[name];
  if (value !== undefined && (value !== null || behaviour.quirks)) return value;
  if (level === "top") return false;
  return byDefault ?? (behaviour.unsetNull || (behaviour.quirks && apart) ? null : undefined);
}
