import { grouped } from "../../base/grouped.ts";
import { memoized } from "../../base/memoize.ts";
import type { Catalogue, Integration } from "../../model/catalogue.ts";
import type { PipelineStatus, RouteColumn } from "../../model/events.ts";
import { type BranchKind, branchKinds } from "../../model/events.ts";
import { comparableScalar } from "../../model/field-meaning.ts";
import type { Fields, Scalar } from "../../model/types.ts";
import { inlineText, isReference, isScalar } from "../../model/values.ts";

/** A notified integration with channel, reason and further conditions (docs/reviewing.md). */
export interface Route {
  readonly slug: string;
  /** A channel, or recipients; null if it has neither or it is unknown. */
  readonly channel: string | null;
  readonly reason: string;
}

/** Integrations notified of an event, in the order of the listeners. */
export function routesOf(listeners: readonly Listener[], event: EventDetails): Route[] {
  return listeners.flatMap((listener) => {
    const { slug } = listener;
    const found = findDelivery(listener, event);
    return found ? [{ slug, channel: found.channel, reason: found.reason }] : [];
  });
}

/** An integration that may be notified: the server does not report the flag. */
export interface UnknownRoute {
  readonly slug: string;
  readonly flag: string;
}

export function unknownRoutesOf(listeners: readonly Listener[], event: EventDetails): UnknownRoute[] {
  return listeners.flatMap((listener) => {
    const { slug, active, source } = listener;
    const flag = findFlag(listener, event);
    if (!active || source !== "reported" || !flag || flag.unset) return [];
    const isKnown = readSetting(listener, flag.name) !== undefined;
    return isKnown || further.some((reasonOf) => reasonOf(listener, event) === undefined)
      ? []
      : [{ slug, flag: flag.name }];
  });
}

/** The route of an event, and its separate channels or recipients, or the slug. */
export function findDelivery(listener: Listener, details: EventDetails) {
  if (!listener.active) return undefined;
  const reasons: string[] = [];
  for (const reasonOf of [flagCondition, ...further]) {
    const reason = reasonOf(listener, details);
    if (reason === undefined) return undefined;
    reasons.push(reason);
  }
  const because = (words: string) => [...reasons, words].filter(Boolean).join("; ");
  const columns = [...listColumns(listener, "channel"), ...listColumns(listener, "recipients")];
  const own = columns.filter((column) => "event" in column && column.event === details.event);
  const shared = columns.filter((column) => !("event" in column));
  for (const { name, list, role } of [...own, ...shared]) {
    const value = listener.fields[name] ?? "";
    const text = isReference(value) ? `(secret ${value.secret})` : inlineText(value);
    if (!text) continue;
    const recipients = list ? text.split(list === "comma" ? "," : /\s+/).flatMap((part) => part.trim() || []) : [text];
    return { channel: text, recipients, reason: because(`sent to the ${role} in ${name}`) };
  }
  const words = shared.map(({ name }) => `${name} is not ${listener.source}`).join("; ");
  return { channel: null, recipients: [listener.slug], reason: because(words) };
}

/** An event; unknown properties are omitted. */
export interface EventDetails {
  /** The flag's name without `_events`. */
  readonly event: string;
  readonly branch?: string | undefined;
  readonly branchKind?: BranchKind | undefined;
  readonly pipelineStatus?: PipelineStatus | undefined;
}

/** A condition for notifications: its reason, empty if there is none to state, or undefined if it does not hold. */
type Condition = (listener: Listener, event: EventDetails) => string | undefined;

function findFlag(listener: Listener, { event }: EventDetails) {
  return listColumns(listener, "flag").find((column) => column.event === event);
}

const flagCondition: Condition = (listener, event) => {
  const flag = findFlag(listener, event);
  return flag && explainTrue(listener, flag);
};

const switches: Condition = (listener, { event }) => {
  const flag = listColumns(listener, "switch").find((column) => column.events.includes(event));
  return flag ? explainTrue(listener, flag) : "";
};

/** Explains why a parameter is true; undefined if it is not. */
function explainTrue(listener: Listener, { name, unset }: { readonly name: string; readonly unset: boolean }) {
  const value = readSetting(listener, name);
  if (value === undefined && unset) return `${name} is not ${listener.source}, and its default on servers is true`;
  return value === true ? `${name} is true` : undefined;
}

const limits: Condition = (listener, { event, pipelineStatus }) => {
  const limit = listColumns(listener, "limit").find((column) => column.event === event);
  const cause = limit && explainTrue(listener, limit);
  if (cause === undefined || pipelineStatus === limit?.to) return "";
  return pipelineStatus === undefined ? `${limit?.to} ones only, because ${cause}` : undefined;
};

const branchesReached: Condition = (listener, { event, branchKind }) => {
  const reach = findReach(listener);
  if (!reach || !listener.catalogue.events.get(event)?.onBranch) return "";
  if (branchKind) return reach.kinds.includes(branchKind) ? "" : undefined;
  if (reach.kinds.length === branchKinds.length) return "";
  return `on ${branchWords(reach.kinds)} only, because ${reach.cause}`;
};

/**
 * The branches whose events an integration receives, by the first parameter or its default. Servers set the default
 * even if a deprecated parameter is set; the deprecated one counts only on servers that do not report the first.
 */
function findReach(listener: Listener) {
  const columns = listColumns(listener, "branches");
  const deciding = listener.source === "declared" ? columns.slice(0, 1) : columns;
  for (const { name, reach } of deciding) {
    const value = String(readSetting(listener, name) ?? "");
    if (reach[value]) return { kinds: reach[value], cause: `${name} is ${value}` };
  }
  const [first] = columns;
  const byDefault = String(first?.default ?? "");
  const kinds = first?.reach[byDefault];
  return first && kinds && { kinds, cause: `${first.name} is not ${listener.source}, and its default is ${byDefault}` };
}

/** `default and protected branches`. */
export function branchWords(kinds: readonly BranchKind[]): string {
  const words = branchKinds.filter((kind) => kinds.includes(kind));
  return words.join() === "default" ? "the default branch" : `${words.join(" and ")} branches`;
}

const branchNames: Condition = (listener, { event, branch }) => {
  const [column] = listColumns(listener, "branch-names");
  const value = column && readSetting(listener, column.name);
  const names = typeof value === "string" ? value.split(/[,\n]/).flatMap((part) => part.trim() || []) : [];
  if (!column || names.length === 0 || !listener.catalogue.events.get(event)?.onBranch) return "";
  if (branch === undefined) return `on ${names.join(", ")} only, because ${column.name} says so`;
  return names.includes(branch) ? `${column.name} lists ${branch}` : undefined;
};

const further: readonly Condition[] = [switches, limits, branchesReached, branchNames];

/** An integration that may be notified of events, as declared in manifests or reported by a server. */
export interface Listener {
  readonly slug: string;
  readonly active: boolean;
  readonly fields: Fields;
  /** The source of `fields`; completes "push_events is not …". */
  readonly source: "declared" | "reported";
  readonly catalogue: Catalogue;
}

type RoutingColumn<Role> = Extract<RouteColumn, { readonly role: Role }> & {
  readonly name: string;
  readonly default: Scalar | undefined;
  readonly list: "comma" | "whitespace" | undefined;
};

/** The columns of a role, those of deprecated parameters last. */
function listColumns<Role extends RouteColumn["role"]>(
  { slug, catalogue }: Listener,
  role: Role,
): readonly RoutingColumn<Role>[] {
  const integration = catalogue.integrations.get(slug);
  const columns = integration ? columnsByRole(integration).get(role) : undefined;
  return (columns ?? []) as readonly RoutingColumn<Role>[];
}

const columnsByRole = memoized(({ parameters }: Integration) => {
  const columns = [...parameters.values()]
    .sort((a, b) => Number(a.deprecated ?? false) - Number(b.deprecated ?? false))
    .flatMap(({ name, route, list, default: byDefault }) =>
      route ? [{ ...route, name, list, default: byDefault }] : [],
    );
  return grouped(columns, ({ role }) => role);
}, new WeakMap());

/** The normalised value of a parameter; undefined if it is unset, a secret, a list or a mapping. */
function readSetting({ slug, fields, catalogue }: Listener, name: string): Scalar | undefined {
  const value = fields[name];
  if (!isScalar(value) || value === null || value === "") return undefined;
  const field = catalogue.integrations.get(slug)?.parameters.get(name);
  return field ? comparableScalar(field, value) : value;
}
