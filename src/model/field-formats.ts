import { ifPossible } from "../base/exit.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import { type FieldSchema, holdsWithin } from "./resource-kind.ts";

/** Completes "expected …" for a text that servers reject in this field; undefined for any other. */
export function formatFault(field: FieldSchema, text: string): string | undefined {
  if (text === "") return undefined;
  return urlFault(field["x-url"], text) ?? formats[field.format ?? ""]?.(text);
}

export const hasFormats = memoized(
  (field: FieldSchema): boolean =>
    holdsWithin(
      field,
      ({ "x-url": url, "x-items": calls, format }) => Boolean(url ?? calls) || Object.hasOwn(formats, format ?? ""),
    ),
  new WeakMap(),
);

const formats: Readonly<Record<string, (text: string) => string | undefined>> = {
  cron: cronFault,
  "time-zone": timeZoneFault,
};

/** Servers replace parts in braces and after `%`, so only the beginning is certain. */
function urlFault(allowed: FieldSchema["x-url"], text: string): string | undefined {
  if (!allowed) return undefined;
  const schemes = Array.isArray(allowed) ? allowed : ["http", "https"];
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text.trim()) ?? [];
  if (scheme !== undefined && schemes.includes(scheme.toLowerCase())) return undefined;
  return `a URL that begins with ${schemes.map((each) => `${each}://`).join(" or ")}`;
}

/** A field of a cron line: its name, its bounds, and the beginnings of words for its values. */
type CronField = readonly [name: string, first: number, last: number, words: string];

const cronFields: readonly CronField[] = [
  ["minutes", 0, 59, ""],
  ["hours", 0, 24, ""],
  ["days of the month", -31, 31, "l last"],
  ["months", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"],
  ["days of the week", 0, 7, "sun mon tue wed thu fri sat l last"],
];

const seconds: CronField = ["seconds", 0, 59, ""];

/** Servers also accept six fields, with seconds first, and words such as `@daily`. */
function cronFault(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length === 1 && text.startsWith("@")) return undefined;
  const fields = parts.length === cronFields.length + 1 ? [seconds, ...cronFields] : cronFields;
  if (parts.length !== fields.length) {
    return "five fields: minute, hour, day of the month, month and day of the week, such as 30 3 * * 1-5";
  }
  const faulty = fields.find(
    (field, index) => !(parts[index] ?? "").split(",").every((item) => isCronItem(field, item)),
  );
  if (!faulty) return undefined;
  const [name, first, last] = faulty;
  return `${name} from ${Math.max(0, first)} to ${last}, or a list, a range or a step of them`;
}

function isCronItem([, first, last, words]: CronField, item: string): boolean {
  const [, from = "", to] = /^(\*|\?|-?\w+)(?:-(-?\w+))?(?:\/\d+)?(?:[#%]-?\d+(?:\+\d+)?)?$/.exec(item) ?? [];
  const isPart = (part: string) =>
    /^-?\d+$/.test(part)
      ? Number(part) >= first && Number(part) <= last
      : words.split(" ").some((word) => word !== "" && part.toLowerCase().startsWith(word));
  return from === "*" || from === "?" ? to === undefined : isPart(from) && (to === undefined || isPart(to));
}

/** Servers also accept names without a slash, such as `Berlin`. */
function timeZoneFault(text: string): string | undefined {
  if (!text.includes("/") || ifPossible(() => new Intl.DateTimeFormat("en", { timeZone: text }))) return undefined;
  return `a time zone such as Europe/Berlin${didYouMean(text, Intl.supportedValuesOf("timeZone"))}`;
}
