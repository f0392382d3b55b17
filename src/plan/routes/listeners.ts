import { type Catalogue, catalogueOf, type Integration, impliedFields } from "../../model/catalogue.ts";
import { catalogueEntry, kindOf } from "../../model/kinds.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change, Desired, Fields, Kind, Live, Resource, Value } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";
import { noRerouting, type Rerouting, reroutingOf } from "./audience.ts";
import type { Listener } from "./routes.ts";

/** Declared integrations as listeners. */
export function declaredListeners(
  resources: readonly Pick<Desired, "kind" | "key" | "fields" | "presence">[],
  catalogue: Catalogue = catalogueOf(),
): Listener[] {
  return resources
    .filter(({ kind, presence }) => listensIn(catalogue, kind) && presence === "present")
    .map(({ key: slug, fields }) => ({
      slug,
      fields,
      active: isActive(catalogue.integrations.get(slug), fields),
      source: "declared",
      catalogue,
    }));
}

/** Live integrations as listeners. */
export function liveListeners(live: readonly Live[], catalogue: Catalogue = catalogueOf()): Listener[] {
  return live.map(({ key: slug, fields, active }) => ({ slug, fields, active, source: "reported", catalogue }));
}

/** Reported fields, and declared ones that a response would not contain. */
function effectiveFields(spec: Integration | undefined, declared: Fields, reported: Fields): Fields {
  const isProperty = (name: string) => spec?.parameters.get(name)?.level === "properties";
  const reportsProperties = Object.keys(reported).some(isProperty);
  const isUnreported = ([name, value]: readonly [string, Value]) => {
    const column = spec?.parameters.get(name);
    const isHidden = column && (column.secret || column.observed.has("hidden"));
    return !(reportsProperties && isProperty(name)) || isReference(value) || isHidden;
  };
  return { ...Object.fromEntries(Object.entries(declared).filter(isUnreported)), ...reported };
}

function listensIn(catalogue: Catalogue, kind: Kind): boolean {
  return kindOf(catalogue, kind).keys !== undefined;
}

/** The default of `active` if it is a parameter; other declared integrations are active. */
function isActive(spec: Integration | undefined, fields: Fields): boolean {
  const { active = true } = { ...impliedFields(spec), ...fields };
  return !isReference(active) && String(active) === "true";
}

/**
 * Messages on events that a change moves or that are lost by it, according to its declared parameters. Undeclared
 * parameters are unchanged.
 */
export function changeRerouting(change: Change, catalogue: Catalogue): Rerouting {
  const { declared, live } = change;
  if (!live?.active) return noRerouting;
  const spec = catalogueEntry(catalogue, change);
  const decides = (name: string) => name === "active" || spec?.parameters.get(name)?.route !== undefined;
  if (!isRemoval(change) && !Object.keys(change.after ?? {}).some(decides)) return noRerouting;
  const before = { ...effectiveFields(spec, declared, live.fields), active: true };
  return reroutingBetween(catalogue, change, before, isRemoval(change) ? undefined : declared);
}

/** The rerouting between two declarations of an integration; `after` is undefined if it is removed. */
export function reroutingBetween(
  catalogue: Catalogue,
  { kind, key: slug }: Pick<Resource, "kind" | "key">,
  before: Fields,
  after: Fields | undefined,
): Rerouting {
  const spec = listensIn(catalogue, kind) ? catalogueEntry(catalogue, { kind, key: slug }) : undefined;
  if (!spec) return noRerouting;
  if (!after) return receivesEvents(spec) ? { ...noRerouting, lost: [`${slug} will receive no events`] } : noRerouting;
  const listener = (fields: Fields): Listener => {
    return { slug, active: isActive(spec, fields), fields, source: "declared", catalogue };
  };
  return reroutingOf(listener(before), listener(after));
}

export function receivesEvents(spec: Integration | undefined, event?: string): boolean {
  const parameters = [...(spec?.parameters.values() ?? [])];
  return parameters.some(({ route }) => route?.role === "flag" && (event === undefined || route.event === event));
}
