import { impliedFields, integrations, parameter } from "../model/catalogue.ts";
import { kinds } from "../model/kinds.ts";
import { isReference } from "../model/normalise.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Change, Desired, DesiredProject, Fields, Live, Value } from "../model/types.ts";
import { shiftOf } from "./audience.ts";
import type { Listener } from "./listener.ts";

/** Integrations that manifests ask for, as listeners. */
export function declaredListeners(resources: readonly Desired[]): Listener[] {
  return resources
    .filter(({ kind, presence }) => kinds[kind].listens && presence === "present")
    .map(({ key: slug, fields }) => ({ slug, fields, active: activeBy(slug, fields), source: "declared" }));
}

/** Integrations that a server reports, as listeners. */
export function liveListeners(live: readonly Live[]): Listener[] {
  return live.map(({ key: slug, fields, active }) => ({ slug, fields, active, source: "reported" }));
}

/** Live listeners as manifests see them: what servers hide is not different from what is declared (contract 6). */
export function listenersBefore(live: readonly Listener[], { resources }: DesiredProject): Listener[] {
  const listed = bySlug(resources);
  return live.map((listener) => ({
    ...listener,
    fields: believed(listener.slug, listed.get(listener.slug)?.fields ?? {}, listener.fields),
  }));
}

/** What is reported, and what is declared where an answer would not tell it; what else it lacks was never set. */
function believed(slug: string, declared: Fields, reported: Fields): Fields {
  const isProperty = (name: string) => parameter(slug, name)?.level === "properties";
  const tells = Object.keys(reported).some(isProperty);
  const isUntold = ([name, value]: readonly [string, Value]) =>
    !(tells && isProperty(name)) || isReference(value) || isHidden(slug, name);
  return { ...Object.fromEntries(Object.entries(declared).filter(isUntold)), ...reported };
}

function isHidden(slug: string, name: string): boolean {
  const column = parameter(slug, name);
  return column !== undefined && (column.secret || column.observed.has("hidden"));
}

/** What live listeners become once manifests are applied: undeclared parameters are left alone (contract 6). */
export function listenersAfter(live: readonly Listener[], { resources, exclusive }: DesiredProject): Listener[] {
  const listed = bySlug(resources);
  const isExclusive = [...exclusive.keys()].some((kind) => kinds[kind].listens);
  const kept = live.flatMap((listener) => {
    const desired = listed.get(listener.slug);
    if (!desired) return isExclusive ? [] : [listener];
    return desired.presence === "absent" ? [] : [overlaid(listener, desired.fields)];
  });
  const slugs = new Set(live.map(({ slug }) => slug));
  return [...kept, ...declaredListeners(resources).filter(({ slug }) => !slugs.has(slug))];
}

function bySlug(resources: readonly Desired[]): ReadonlyMap<string, Desired> {
  return new Map(resources.filter(({ kind }) => kinds[kind].listens).map((each) => [each.key, each]));
}

function overlaid(listener: Listener, fields: Fields): Listener {
  return { ...listener, fields: { ...listener.fields, ...fields }, active: activeBy(listener.slug, fields) };
}

/** Where `active` is a parameter, leaving it out means its default; any other declared integration is on. */
function activeBy(slug: string, fields: Fields): boolean {
  const { active = true } = { ...impliedFields(slug), ...fields };
  return !isReference(active) && String(active) === "true";
}

/**
 * Who will no longer receive which events after a change, in sentences, as far as its declared parameters tell; what is not declared is
 * left alone and costs nobody anything.
 */
export function lossesOf(change: Change): readonly string[] {
  const { kind, key: slug, declared, live } = change;
  if (!kinds[kind].listens || !live?.active) return [];
  if (isRemoval(change)) return receivesEvents(slug) ? [`${slug} will receive no events`] : [];
  if (!Object.keys(change.after ?? {}).some((name) => decides(slug, name))) return [];
  const before: Listener = { slug, active: true, fields: believed(slug, declared, live.fields), source: "declared" };
  return shiftOf(before, { ...before, fields: declared, active: activeBy(slug, declared) }).lost;
}

function decides(slug: string, name: string): boolean {
  return name === "active" || parameter(slug, name)?.route !== undefined;
}

/** Whether any event reaches an integration at all. */
export function receivesEvents(slug: string, event?: string): boolean {
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])];
  return parameters.some(({ route }) => route?.role === "flag" && (event === undefined || route.event === event));
}
