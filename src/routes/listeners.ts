import {
  type Catalogue,
  catalogueOf,
  type Integration,
  type IntegrationParameter,
  impliedFields,
} from "../model/catalogue.ts";
import { integrationOf, kindOf } from "../model/kinds.ts";
import { isReference } from "../model/normalise.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, Desired, DesiredProject, Fields, Kind, Live, Value } from "../model/types.ts";
import { shiftOf } from "./audience.ts";
import type { Listener } from "./listener.ts";

/** Integrations that manifests ask for, as listeners. */
export function declaredListeners(
  resources: readonly Pick<Desired, "kind" | "key" | "fields" | "presence">[],
  catalogue = catalogueOf(),
): Listener[] {
  return resources
    .filter(({ kind, presence }) => listensIn(catalogue, kind) && presence === "present")
    .map(({ key: slug, fields }) => ({
      slug,
      fields,
      active: activeBy(catalogue.integrations.get(slug), fields),
      source: "declared",
      catalogue,
    }));
}

/** Integrations that a server reports, as listeners. */
export function liveListeners(live: readonly Live[], catalogue = catalogueOf()): Listener[] {
  return live.map(({ key: slug, fields, active }) => ({ slug, fields, active, source: "reported", catalogue }));
}

/** Live listeners as manifests see them: what servers hide is not different from what is declared (docs/comparing.md). */
export function listenersBefore(
  live: readonly Listener[],
  { resources }: DesiredProject,
  catalogue = catalogueOf(),
): Listener[] {
  const listed = bySlug(resources, catalogue);
  return live.map((listener) => ({
    ...listener,
    fields: believed(
      listener.catalogue.integrations.get(listener.slug),
      listed.get(listener.slug)?.fields ?? {},
      listener.fields,
    ),
  }));
}

/** What is reported, and what is declared where an answer would not tell it; what else it lacks was never set. */
function believed(spec: Integration | undefined, declared: Fields, reported: Fields): Fields {
  const isProperty = (name: string) => spec?.parameters.get(name)?.level === "properties";
  const tells = Object.keys(reported).some(isProperty);
  const isUntold = ([name, value]: readonly [string, Value]) =>
    !(tells && isProperty(name)) || isReference(value) || isHidden(spec?.parameters.get(name));
  return { ...Object.fromEntries(Object.entries(declared).filter(isUntold)), ...reported };
}

function isHidden(column: IntegrationParameter | undefined): boolean {
  return column !== undefined && (column.secret || column.observed.has("hidden"));
}

/** What live listeners become once manifests are applied: undeclared parameters are left alone (docs/comparing.md). */
export function listenersAfter(
  live: readonly Listener[],
  { resources, exclusive }: DesiredProject,
  catalogue = catalogueOf(),
): Listener[] {
  const listed = bySlug(resources, catalogue);
  const isExclusive = [...exclusive.keys()].some((kind) => listensIn(catalogue, kind));
  const kept = live.flatMap((listener) => {
    const desired = listed.get(listener.slug);
    if (!desired) return isExclusive ? [] : [listener];
    return desired.presence === "absent" ? [] : [overlaid(listener, desired.fields)];
  });
  const slugs = new Set(live.map(({ slug }) => slug));
  return [...kept, ...declaredListeners(resources, catalogue).filter(({ slug }) => !slugs.has(slug))];
}

function listensIn(catalogue: Catalogue, kind: Kind): boolean {
  return kindOf(catalogue, kind).listens === true;
}

function bySlug(resources: readonly Desired[], catalogue: Catalogue): ReadonlyMap<string, Desired> {
  return new Map(resources.filter(({ kind }) => listensIn(catalogue, kind)).map((each) => [each.key, each]));
}

function overlaid(listener: Listener, fields: Fields): Listener {
  const spec = listener.catalogue.integrations.get(listener.slug);
  return { ...listener, fields: { ...listener.fields, ...fields }, active: activeBy(spec, fields) };
}

/** Where `active` is a parameter, leaving it out means its default; any other declared integration is on. */
function activeBy(spec: Integration | undefined, fields: Fields): boolean {
  const { active = true } = { ...impliedFields(spec), ...fields };
  return !isReference(active) && String(active) === "true";
}

/**
 * Who will no longer receive which events after a change, in sentences, as far as its declared parameters tell; what is not declared is
 * left alone and costs no one anything.
 */
export function lossesOf(change: Change, catalogue: Catalogue): readonly string[] {
  const { kind, key: slug, declared, live } = change;
  if (!listensIn(catalogue, kind) || !live?.active) return [];
  const spec = integrationOf(catalogue, change);
  if (isRemoval(change)) return receivesEvents(spec) ? [`${slug} will receive no events`] : [];
  if (!Object.keys(change.after ?? {}).some((name) => decidesRoutes(spec, name))) return [];
  const fields = believed(spec, declared, live.fields);
  const before: Listener = { slug, active: true, fields, source: "declared", catalogue };
  return shiftOf(before, { ...before, fields: declared, active: activeBy(spec, declared) }).lost;
}

/** Whether a field has a say in who is notified. */
export function decidesRoutes(spec: Integration | undefined, name: string): boolean {
  return name === "active" || spec?.parameters.get(name)?.route !== undefined;
}

/** Whether any event reaches an integration at all. */
export function receivesEvents(spec: Integration | undefined, event?: string): boolean {
  const parameters = [...(spec?.parameters.values() ?? [])];
  return parameters.some(({ route }) => route?.role === "flag" && (event === undefined || route.event === event));
}
