import { memoized } from "../base/memoize.ts";
import { type Catalogue, factHolds, type Integration, type IntegrationParameter } from "./catalogue.ts";
import { holdsIn } from "./dialect.ts";
import { catalogueEntry } from "./kinds.ts";
import type { Fields, Live, Resource, Value } from "./types.ts";

/** Parameters that some servers require in every write, and that a resource does not declare. */
export function requiredByServer(catalogue: Catalogue, resource: Resource): readonly IntegrationParameter[] {
  const integration = catalogueEntry(catalogue, resource);
  return integration ? requiredFor(integration).filter(({ name }) => !(name in resource.fields)) : [];
}

/** Cached, since it is needed for each row of a list. */
const requiredFor = memoized(
  ({ parameters }: Integration): readonly IntegrationParameter[] =>
    [...parameters.values()].filter((each) => each.observed.has("required") || isStated(each)),
  new WeakMap(),
);

/** True if the dialect requires it, on all its servers or those of a release. */
function isStated({ quirks }: IntegrationParameter, release?: string): boolean {
  return quirks.some((span) => span.says === "required" && (release === undefined || holdsIn(span, release)));
}

/**
 * The value of such a parameter in a write that is to leave it unchanged: the live value, or an empty string if nothing
 * is live. Undefined if the live value could not be read.
 */
export function preservedValue(name: string, live: Live | undefined): Value | undefined {
  return live ? live.undeclared?.[name] : "";
}

export function mayOverride(catalogue: Catalogue, resource: Pick<Resource, "kind" | "key">, release?: string): boolean {
  if (release === undefined || !catalogueEntry(catalogue, resource)) return false;
  return factHolds(catalogue, "inherited-integrations", release);
}

/** The fields that every write of a resource needs beside the declared ones, by the dialect and the release. */
export function extraFields(
  catalogue: Catalogue,
  resource: Resource,
  live: Live | undefined,
  release?: string,
): Fields | undefined {
  const stated = requiredByServer(catalogue, resource).filter((parameter) => isStated(parameter, release));
  const values = stated.flatMap(({ name }): [string, Value][] => {
    const value = preservedValue(name, live);
    return value === undefined ? [] : [[name, value]];
  });
  // Servers ignore a write to an integration that a group may provide, perhaps since this run, without this parameter.
  const hasGroups = release !== undefined && factHolds(catalogue, "group-integrations", release);
  const mayInherit = live ? live.inherited === true : hasGroups;
  if (mayInherit && mayOverride(catalogue, resource, release)) values.push(["use_inherited_settings", false]);
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}
