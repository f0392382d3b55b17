import { memoized } from "../base/memoize.ts";
import type { Catalogue, Integration, IntegrationParameter } from "./catalogue.ts";
import { holdsIn } from "./dialect.ts";
import { integrationOf } from "./kinds.ts";
import type { Fields, Live, Resource, Value } from "./types.ts";

/** Parameters that some servers refuse a write without, and that a resource does not declare. */
export function demandedOf(catalogue: Catalogue, resource: Resource): readonly IntegrationParameter[] {
  const integration = integrationOf(catalogue, resource);
  const demanded = integration ? demandedIn(integration) : none;
  return demanded === none ? none : demanded.filter(({ name }) => !(name in resource.fields));
}

const none: readonly IntegrationParameter[] = [];

/** Asked for each row of a fleet. */
const demandedIn = memoized(({ parameters }: Integration): readonly IntegrationParameter[] => {
  const demanded = [...parameters.values()].filter((each) => each.observed.has("required") || isStated(each));
  return demanded.length > 0 ? demanded : none;
}, new WeakMap());

/** The dialect says so of its servers, or of those of a release; otherwise some answer will. */
function isStated({ quirks }: IntegrationParameter, release?: string): boolean {
  return quirks.some((span) => span.says === "required" && (release === undefined || holdsIn(span, release)));
}

/**
 * What a write says of such a parameter, so that it leaves everything as it is: what is live, or an empty text where
 * nothing is. Undefined where what is live could not be read.
 */
export function valueKept(name: string, live: Live | undefined): Value | undefined {
  return live ? live.undeclared?.[name] : "";
}

/** What every write of a resource carries beside what is declared, as the dialect says of the release. */
export function extraFields(
  catalogue: Catalogue,
  resource: Resource,
  live: Live | undefined,
  release?: string,
): Fields | undefined {
  const stated = demandedOf(catalogue, resource).filter((parameter) => isStated(parameter, release));
  const values = stated.flatMap(({ name }): [string, Value][] => {
    const value = valueKept(name, live);
    return value === undefined ? [] : [[name, value]];
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}
