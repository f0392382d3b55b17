import { inlineText, isReference } from "../model/values.ts";
import { type EventDetails, flagCondition, flagOf, furtherConditions, notNotified } from "./conditions.ts";
import { columnsOf, type Listener, settingOf } from "./listener.ts";

/** An integration that is notified, where, why, and under which further conditions (docs/reviewing.md). */
export interface Route {
  readonly slug: string;
  /** A channel, or recipients; null if it has neither or it is unknown. */
  readonly channel: string | null;
  readonly reason: string;
}

/** Who is notified of an event, in the order of the listeners. */
export function routesOf(listeners: readonly Listener[], event: EventDetails): Route[] {
  return listeners.flatMap((listener) => routeOf(listener, event) ?? []);
}

/** An integration that may be notified: the server does not report the flag. */
export interface UnknownRoute {
  readonly slug: string;
  readonly flag: string;
}

/** Who may be notified of an event, in the order of the listeners. */
export function unknownRoutesOf(listeners: readonly Listener[], event: EventDetails): UnknownRoute[] {
  return listeners.flatMap((listener) => unknownRouteOf(listener, event) ?? []);
}

function unknownRouteOf(listener: Listener, event: EventDetails): UnknownRoute | undefined {
  const flag = flagOf(listener, event);
  if (!listener.active || listener.source !== "reported" || !flag || flag.unset) return undefined;
  if (settingOf(listener, flag.name) !== undefined) return undefined;
  const isOut = furtherConditions.some((condition) => condition(listener, event) === notNotified);
  return isOut ? undefined : { slug: listener.slug, flag: flag.name };
}

/** How one integration is notified of an event; undefined where it is not. */
function routeOf(listener: Listener, event: EventDetails): Route | undefined {
  const delivery = deliveryOf(listener, event);
  return delivery && { slug: listener.slug, channel: delivery.channel, reason: delivery.reason };
}

/** The channels or recipients of an event, or the slug of an integration without them. */
export function audienceOf(listener: Listener, event: EventDetails): readonly string[] {
  return deliveryOf(listener, event)?.recipients ?? [];
}

/** The destination of an event, and why. */
interface Delivery extends Pick<Route, "channel" | "reason"> {
  /** The separate channels or recipients, or the slug. */
  readonly recipients: readonly string[];
}

function deliveryOf(listener: Listener, event: EventDetails): Delivery | undefined {
  if (!listener.active) return undefined;
  const reasons: string[] = [];
  for (const condition of [flagCondition, ...furtherConditions]) {
    const answer = condition(listener, event);
    if (answer === notNotified) return undefined;
    reasons.push(answer);
  }
  const { words, ...destination } = destinationOf(listener, event);
  return { ...destination, reason: [...reasons, words].filter(Boolean).join("; ") };
}

interface Destination extends Pick<Delivery, "channel" | "recipients"> {
  readonly words: string;
}

function destinationOf(listener: Listener, { event }: EventDetails): Destination {
  const columns = [...columnsOf(listener, "channel"), ...columnsOf(listener, "recipients")];
  const own = columns.filter((column) => "event" in column && column.event === event);
  const shared = columns.filter((column) => !("event" in column));
  for (const { name, list } of [...own, ...shared]) {
    const text = fieldText(listener, name);
    if (text) return { channel: text, recipients: list ? partsOf(text, list) : [text], words: `to ${name}` };
  }
  const words = shared.map(({ name }) => `${name} is not ${listener.source}`).join("; ");
  return { channel: null, recipients: [listener.slug], words };
}

function partsOf(text: string, list: "comma" | "whitespace"): string[] {
  const parts = text.split(list === "comma" ? "," : /\s+/);
  return parts.map((part) => part.trim()).filter(Boolean);
}

function fieldText({ fields }: Listener, name: string): string {
  const value = fields[name] ?? "";
  return isReference(value) ? `(secret ${value.secret})` : inlineText(value);
}
