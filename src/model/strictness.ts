import { memoized } from "../base/memoize.ts";
import { typesOf } from "./field-meaning.ts";
import {
  alternativesIn,
  type FieldSchema,
  type FieldType,
  holdsWithin,
  type ResourceKind,
  type Strictness,
} from "./resource-kind.ts";
import type { Plain, Scalar } from "./types.ts";
import { inlineText, isAlike, isList, isMapping } from "./values.ts";

interface Shift {
  readonly looser: boolean;
  readonly stricter: boolean;
}

type Known = Readonly<Record<string, Plain | undefined>>;

/** How the strictness of a resource changes, by the fields that both sides have, themselves or as an alternative. */
export function compareStrictness({ fields }: ResourceKind, before: Known, after: Known): Shift {
  const shifts = strictGroups(fields).map((group): Shift => {
    const same = group.find((name) => before[name] !== undefined && after[name] !== undefined);
    const [one, other] = [before, after].map((side) => same ?? group.find((name) => side[name] !== undefined));
    if (one === undefined || other === undefined) return still;
    return shiftOfField(fields.properties[one] ?? {}, before[one] ?? null, after[other] ?? null);
  });
  return joinShifts(shifts);
}

const still: Shift = { looser: false, stricter: false };

function joinShifts(shifts: readonly Shift[]): Shift {
  return { looser: shifts.some(({ looser }) => looser), stricter: shifts.some(({ stricter }) => stricter) };
}

/** Names of fields with a strictness, those that exclude each other together, the most detailed first. */
export const strictGroups = memoized((fields: ResourceKind["fields"]): readonly (readonly string[])[] => {
  const groups = alternativesIn(fields).map((names) => names.toReversed());
  const grouped = new Set(groups.flat());
  const single = Object.keys(fields.properties).filter((name) => !grouped.has(name));
  const isStrict = ([name = ""]: readonly string[]) =>
    holdsWithin(fields.properties[name] ?? {}, (field) => field["x-strict"] !== undefined);
  return [...groups, ...single.map((name) => [name])].filter(isStrict);
}, new WeakMap());

function shiftOfField({ "x-strict": strict, properties = {} }: FieldSchema, was: Plain, is: Plain): Shift {
  if (strict !== undefined) return { looser: isLooser(strict, was, is), stricter: isLooser(strict, is, was) };
  if (!isMapping(was) || !isMapping(is)) return still;
  const inside = Object.entries(properties).map(([name, field]) => {
    const [one, other] = [was[name], is[name]];
    return one === undefined || other === undefined ? still : shiftOfField(field, one, other);
  });
  return joinShifts(inside);
}

function isLooser(strict: Strictness, was: Plain, is: Plain): boolean {
  if (strict === "access") return listEntries(is).some((each) => !isCovered(each, listEntries(was)));
  if (strict === "allowed") return listEntries(was).length > 0 && isWider(listEntries(was), listEntries(is));
  if (strict === "more" && isList(was)) return listEntries(was).some((each) => !isCovered(each, listEntries(is)));
  if (strict === "scope") return listEntries(is).length > 0 && isWider(listEntries(is), listEntries(was));
  return rank(strict, is) < rank(strict, was);
}

/** True if `other` has entries that `few` lacks. An empty list stands for everything. */
function isWider(few: readonly Plain[], other: readonly Plain[]): boolean {
  return other.length === 0 || other.some((each) => !few.some((one) => isAlike(one, each)));
}

/** Entries of a list, of texts with commas, or of a single role. */
function listEntries(value: Plain): readonly Plain[] {
  if (isList(value)) return value;
  if (typeof value === "string") return value.split(/[\s,]+/).filter((each) => each !== "");
  return value === null ? [] : [value];
}

/** A role covers higher ones, and no one (0) needs nothing. */
function isCovered(entry: Plain, entries: readonly Plain[]): boolean {
  const level = levelOf(entry);
  if (level === 0) return true;
  return entries.some((each) => {
    const other = levelOf(each) ?? 0;
    return isAlike(each, entry) || (level !== undefined && other > 0 && other <= level);
  });
}

function levelOf(entry: Plain): number | undefined {
  const level = isMapping(entry) ? entry.access_level : entry;
  return typeof level === "number" ? level : undefined;
}

/** Higher for stricter values; NaN for a value that cannot be judged. */
function rank(strict: Exclude<Strictness, "access" | "allowed" | "scope">, value: Plain): number {
  if (typeof strict === "boolean") return typeof value === "boolean" ? Number(value === strict) : Number.NaN;
  if (strict === "set") return value === null || value === "" ? 0 : 1;
  if (strict === "sooner")
    return value === null || value === "" ? Number.NEGATIVE_INFINITY : -Date.parse(String(value));
  if (typeof strict !== "string") return strict.includes(value) ? strict.indexOf(value) : Number.NaN;
  if (strict === "limit" && (value === null || value === 0)) return Number.NEGATIVE_INFINITY;
  if (typeof value !== "number") return Number.NaN;
  return strict === "more" ? value : -value;
}

const numbers: readonly FieldType[] = ["integer", "number"];
const fittingTypes: Readonly<Record<string, readonly FieldType[]>> = {
  ...{ true: ["boolean"], false: ["boolean"], more: [...numbers, "array"], less: numbers, limit: numbers },
  ...{ sooner: ["string"], access: ["integer", "array"], allowed: ["string", "array"], scope: ["array"] },
};

/** Explains an `x-strict` with which no change of the field has an effect; undefined if it is valid. */
export function strictnessFault({ "x-strict": strict, ...field }: FieldSchema): string | undefined {
  if (strict === undefined) return undefined;
  if (typeof strict === "object") {
    const { enum: allowed } = field;
    const stray = allowed && strict.find((each) => !allowed.includes(each as Scalar));
    return stray === undefined ? undefined : `the field has no value ${inlineText(stray)}`;
  }
  const fitting = fittingTypes[String(strict)] ?? [];
  const isFit = fitting.length === 0 || typesOf(field).some((type) => fitting.includes(type));
  return isFit ? undefined : `${strict} is about fields of type ${fitting.join(" or ")}`;
}
