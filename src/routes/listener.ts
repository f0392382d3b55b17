import { integrations, parameter } from "../model/catalogue.ts";
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
}

/** What the catalogue says of a parameter that plays a role in routing. */
type RoutingColumn<Role> = Extract<RouteColumn, { readonly role: Role }> & {
  readonly name: string;
  readonly default: Scalar | undefined;
  readonly list: "comma" | "whitespace" | undefined;
};

export type FlagColumn = RoutingColumn<"flag">;

const columnsByRole = new Map<string, readonly RoutingColumn<RouteColumn["role"]>[]>();

/** The columns of an integration that play a role, those of deprecated parameters last; cached, because fleets ask often. */
export function columnsOf<Role extends RouteColumn["role"]>(
  { slug }: Listener,
  role: Role,
): readonly RoutingColumn<Role>[] {
  const key = `${role} ${slug}`;
  const columns = columnsByRole.get(key) ?? findColumns(slug, role);
  columnsByRole.set(key, columns);
  return columns as readonly RoutingColumn<Role>[];
}

function findColumns(slug: string, role: RouteColumn["role"]): readonly RoutingColumn<RouteColumn["role"]>[] {
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])];
  return parameters
    .sort((a, b) => Number(a.deprecated !== undefined) - Number(b.deprecated !== undefined))
    .flatMap(({ name, route, list, default: byDefault }) =>
      route?.role === role ? [{ ...route, name, list, default: byDefault }] : [],
    );
}

/** What a parameter is set to, in one spelling; undefined where it is not set, or is a secret. */
export function settingOf({ slug, fields }: Listener, name: string): Scalar | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "" || isReference(value)) return undefined;
  return normaliseParameter(parameter(slug, name), value);
}
