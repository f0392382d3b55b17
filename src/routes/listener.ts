import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import type { Catalogue, Integration } from "../model/catalogue.ts";
import type { RouteColumn } from "../model/events.ts";
import { normaliseParameter } from "../model/parameter-value.ts";
import type { Fields, Scalar } from "../model/types.ts";
import { isScalar } from "../model/values.ts";

/** An integration that may be notified of events, as manifests declare it or as a server reports it. */
export interface Listener {
  readonly slug: string;
  readonly active: boolean;
  readonly fields: Fields;
  /** The source of `fields`; completes "push_events is not …". */
  readonly source: "declared" | "reported";
  readonly catalogue: Catalogue;
}

/** A parameter that affects routing. */
type RoutingColumn<Role> = Extract<RouteColumn, { readonly role: Role }> & {
  readonly name: string;
  readonly default: Scalar | undefined;
  readonly list: "comma" | "whitespace" | undefined;
};

export type FlagColumn = RoutingColumn<"flag">;

/** The columns of a role, those of deprecated parameters last. */
export function columnsOf<Role extends RouteColumn["role"]>(
  { slug, catalogue }: Listener,
  role: Role,
): readonly RoutingColumn<Role>[] {
  const integration = catalogue.integrations.get(slug);
  const columns = integration ? columnsByRole(integration).get(role) : undefined;
  return (columns ?? []) as readonly RoutingColumn<Role>[];
}

const columnsByRole = memoized(({ parameters }: Integration) => {
  const columns = [...parameters.values()]
    .sort((a, b) => Number(a.deprecated !== undefined) - Number(b.deprecated !== undefined))
    .flatMap(({ name, route, list, default: byDefault }) =>
      route ? [{ ...route, name, list, default: byDefault }] : [],
    );
  return grouped(columns, ({ role }) => role);
}, new WeakMap());

/** The normalised value of a parameter; undefined if it is unset, a secret, a list or a mapping. */
export function settingOf({ slug, fields, catalogue }: Listener, name: string): Scalar | undefined {
  const value = fields[name];
  if (!isScalar(value) || value === null || value === "") return undefined;
  return normaliseParameter(catalogue.integrations.get(slug)?.parameters.get(name), value);
}
