import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import type { Catalogue, Integration } from "../model/catalogue.ts";
import type { RouteColumn } from "../model/events.ts";
import { isReference } from "../model/normalise.ts";
import { normaliseParameter } from "../model/parameter-value.ts";
import type { Fields, Scalar } from "../model/types.ts";

/** An integration that may be notified of events, as manifests declare it or as a server reports it. */
export interface Listener {
  readonly slug: string;
  readonly active: boolean;
  readonly fields: Fields;
  /** Whose word `fields` is; completes "push_events is not …" where one is left out. */
  readonly source: "declared" | "reported";
  /** In whose names. */
  readonly catalogue: Catalogue;
}

/** What the catalogue says of a parameter that plays a role in routing. */
type RoutingColumn<Role> = Extract<RouteColumn, { readonly role: Role }> & {
  readonly name: string;
  readonly default: Scalar | undefined;
  readonly list: "comma" | "whitespace" | undefined;
};

export type FlagColumn = RoutingColumn<"flag">;

/** The columns of an integration that play a role, those of deprecated parameters last. */
export function columnsOf<Role extends RouteColumn["role"]>(
  { slug, catalogue }: Listener,
  role: Role,
): readonly RoutingColumn<Role>[] {
  const integration = catalogue.integrations.get(slug);
  const columns = integration ? columnsByRole(integration).get(role) : undefined;
  return (columns ?? []) as readonly RoutingColumn<Role>[];
}

/** Cached, because fleets ask often. */
const columnsByRole = memoized(({ parameters }: Integration) => {
  const columns = [...parameters.values()]
    .sort((a, b) => Number(a.deprecated !== undefined) - Number(b.deprecated !== undefined))
    .flatMap(({ name, route, list, default: byDefault }) =>
      route ? [{ ...route, name, list, default: byDefault }] : [],
    );
  return grouped(columns, ({ role }) => role);
}, new WeakMap());

/** What a parameter is set to, in one spelling; undefined where it is not set, or is a secret. */
export function settingOf({ slug, fields, catalogue }: Listener, name: string): Scalar | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "" || isReference(value)) return undefined;
  return normaliseParameter(catalogue.integrations.get(slug)?.parameters.get(name), value);
}
