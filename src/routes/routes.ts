import { type BranchKind, branchKinds } from "../model/branch-kinds.ts";
import { integrations, parameter } from "../model/catalogue.ts";
import { events, type PipelineStatus, type RouteColumn } from "../model/events.ts";
import { isReference } from "../model/normalise.ts";
import { normaliseParameter } from "../model/parameter-value.ts";
import type { Fields, Scalar } from "../model/types.ts";

/** An event, as far as it is known: what is left out may be anything. */
export interface Happening {
  /** The flag's name without `_events`. */
  readonly event: string;
  readonly branch?: string | undefined;
  readonly branchKind?: BranchKind | undefined;
  readonly pipelineStatus?: PipelineStatus | undefined;
}

/** An integration as manifests declare it or as a server reports it. */
export interface Listener {
  readonly slug: string;
  readonly active: boolean;
  readonly fields: Fields;
  /** Completes "push_events is not …" where a field is left out. */
  readonly told: "declared" | "reported";
}

/** An integration that is notified, where, and why, with the conditions that the happening leaves open (contract 8). */
export interface Route {
  readonly slug: string;
  /** A channel, or recipients; null where the integration has neither, or nobody knows it. */
  readonly channel: string | null;
  readonly reason: string;
}

/** Who is notified of an event, in the order of the listeners. */
export function routesOf(listeners: readonly Listener[], happening: Happening): Route[] {
  return listeners.flatMap((listener) => routeOf(listener, happening) ?? []);
}

/** An integration of which nobody knows whether it is notified: the server does not report the flag that decides. */
export interface UnknownRoute {
  readonly slug: string;
  readonly flag: string;
}

/** Who may be notified of an event, in the order of the listeners; no branch and no status rules them out. */
export function unknownRoutesOf(listeners: readonly Listener[], happening: Happening): UnknownRoute[] {
  return listeners.flatMap((listener) => unknownRouteOf(listener, happening) ?? []);
}

function unknownRouteOf(listener: Listener, happening: Happening): UnknownRoute | undefined {
  const flag = flagOf(listener, happening);
  if (!listener.active || listener.told !== "reported" || !flag || flag.unset) return undefined;
  if (told(listener, flag.name) !== undefined) return undefined;
  const isOut = furtherAsks.some((ask) => ask(listener, happening) === deaf);
  return isOut ? undefined : { slug: listener.slug, flag: flag.name };
}

/** How one integration is notified of an event; undefined where it is not. */
function routeOf(listener: Listener, happening: Happening): Route | undefined {
  const heard = hear(listener, happening);
  return heard && { slug: listener.slug, channel: heard.channel, reason: heard.reason };
}

/** The channels or recipients that one integration notifies of an event: its own slug where it has neither. */
export function audienceOf(listener: Listener, happening: Happening): readonly string[] {
  return hear(listener, happening)?.each ?? [];
}

interface Heard extends Pick<Route, "channel" | "reason"> {
  readonly each: readonly string[];
}

function hear(listener: Listener, happening: Happening): Heard | undefined {
  if (!listener.active) return undefined;
  const answers: string[] = [];
  for (const ask of [askFlag, ...furtherAsks]) {
    const answer = ask(listener, happening);
    if (answer === deaf) return undefined;
    answers.push(answer);
  }
  const { words, ...destination } = destinationOf(listener, happening);
  return { ...destination, reason: [...answers, words].filter(Boolean).join("; ") };
}

/** The answer of an integration that does not hear; any other is a reason, or empty where there is nothing to say. */
const deaf = Symbol("deaf");

type Ask = (listener: Listener, happening: Happening) => string | typeof deaf;

const askFlag: Ask = (listener, happening) => {
  const flag = flagOf(listener, happening);
  return flag ? askOn(listener, flag) : deaf;
};

function flagOf(listener: Listener, { event }: Happening): ColumnOf<"flag"> | undefined {
  return columnsOf(listener, "flag").find((column) => column.event === event);
}

const askSwitches: Ask = (listener, { event }) => {
  const found = columnsOf(listener, "switch").find((column) => column.events.includes(event));
  return found ? askOn(listener, found) : "";
};

function askOn(listener: Listener, { name, unset }: { readonly name: string; readonly unset: boolean }) {
  const value = told(listener, name);
  if (value === undefined) return unset ? `${name} is not ${listener.told}, and its default on servers is true` : deaf;
  return value === true ? `${name} is true` : deaf;
}

const askLimits: Ask = (listener, { event, pipelineStatus }) => {
  const limit = columnsOf(listener, "limit").find((column) => column.event === event);
  if (!limit) return "";
  const { name, to, unset } = limit;
  const value = told(listener, name);
  if (!(value ?? unset) || pipelineStatus === to) return "";
  if (pipelineStatus !== undefined) return deaf;
  const cause =
    value === undefined ? `${name} is not ${listener.told}, and its default on servers is true` : `${name} is true`;
  return `${to} ones only, because ${cause}`;
};

const askBranches: Ask = (listener, { event, branchKind }) => {
  const reach = reachOf(listener);
  if (!reach || !events.get(event)?.onBranch) return "";
  if (branchKind) return reach.kinds.includes(branchKind) ? "" : deaf;
  if (reach.kinds.length === branchKinds.length) return "";
  return `on ${branchWords(reach.kinds)} only, because ${reach.cause}`;
};

interface Reach {
  readonly kinds: readonly BranchKind[];
  readonly cause: string;
}

/**
 * The branches whose events reach an integration: as the first parameter says, else as its default. Servers fill that
 * in whatever an older parameter says; only one that does not report the first goes by the older.
 */
function reachOf(listener: Listener): Reach | undefined {
  const columns = columnsOf(listener, "branches");
  const deciding = listener.told === "declared" ? columns.slice(0, 1) : columns;
  for (const { name, reach } of deciding) {
    const value = String(told(listener, name) ?? "");
    if (reach[value]) return { kinds: reach[value], cause: `${name} is ${value}` };
  }
  const [first] = columns;
  const byDefault = String(first?.default ?? "");
  const kinds = first?.reach[byDefault];
  return first && kinds && { kinds, cause: `${first.name} is not ${listener.told}, and its default is ${byDefault}` };
}

/** `default and protected branches`. */
export function branchWords(kinds: readonly BranchKind[]): string {
  const words = branchKinds.filter((kind) => kinds.includes(kind));
  return words.join() === "default" ? "the default branch" : `${words.join(" and ")} branches`;
}

const askBranchNames: Ask = (listener, { event, branch }) => {
  const [column] = columnsOf(listener, "branch-names");
  const names = listOf(column && told(listener, column.name));
  if (!column || names.length === 0 || !events.get(event)?.onBranch) return "";
  if (branch === undefined) return `on ${names.join(", ")} only, because ${column.name} says so`;
  return names.includes(branch) ? `${column.name} lists ${branch}` : deaf;
};

/** What is asked once the flag is on. */
const furtherAsks: readonly Ask[] = [askSwitches, askLimits, askBranches, askBranchNames];

function listOf(value: Scalar | undefined): string[] {
  const text = typeof value === "string" ? value : "";
  return text.split(/[,\n]/).flatMap((part) => part.trim() || []);
}

interface Destination extends Pick<Heard, "channel" | "each"> {
  readonly words: string;
}

function destinationOf(listener: Listener, { event }: Happening): Destination {
  const columns = [...columnsOf(listener, "channel"), ...columnsOf(listener, "recipients")];
  const own = columns.filter((column) => "event" in column && column.event === event);
  const shared = columns.filter((column) => !("event" in column));
  for (const { name, list } of [...own, ...shared]) {
    const text = textOf(listener, name);
    if (text) return { channel: text, each: list ? partsOf(text, list) : [text], words: `to ${name}` };
  }
  const words = shared.map(({ name }) => `${name} is not ${listener.told}`).join("; ");
  return { channel: null, each: [listener.slug], words };
}

function partsOf(text: string, list: "comma" | "whitespace"): string[] {
  return text.split(list === "comma" ? /\s*,\s*/ : /\s+/).filter(Boolean);
}

function textOf({ fields }: Listener, name: string): string {
  const value = fields[name] ?? "";
  return isReference(value) ? `(secret ${value.secret})` : String(value);
}

type ColumnOf<Role> = Extract<RouteColumn, { readonly role: Role }> & {
  readonly name: string;
  readonly default: Scalar | undefined;
  readonly list: "comma" | "whitespace" | undefined;
};

const columnsByRole = new Map<string, readonly ColumnOf<RouteColumn["role"]>[]>();

/** The columns of a slug that play a role, those of deprecated parameters last; worked out once, for fleets ask often. */
function columnsOf<Role extends RouteColumn["role"]>({ slug }: Listener, role: Role): readonly ColumnOf<Role>[] {
  const key = `${role} ${slug}`;
  const columns = columnsByRole.get(key) ?? findColumns(slug, role);
  columnsByRole.set(key, columns);
  return columns as readonly ColumnOf<Role>[];
}

function findColumns(slug: string, role: RouteColumn["role"]): readonly ColumnOf<RouteColumn["role"]>[] {
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])];
  return parameters
    .sort((a, b) => Number(a.deprecated !== undefined) - Number(b.deprecated !== undefined))
    .flatMap(({ name, route, list, default: byDefault }) =>
      route?.role === role ? [{ ...route, name, list, default: byDefault }] : [],
    );
}

/** A value in one spelling; undefined where none is told, or where it is a secret. */
function told({ slug, fields }: Listener, name: string): Scalar | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "" || isReference(value)) return undefined;
  return normaliseParameter(parameter(slug, name), value);
}
