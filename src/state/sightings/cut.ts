import { isReference } from "../../model/normalise.ts";
import type { Fields, Value } from "../../model/types.ts";

/** Characters of a value that are kept of what was seen. */
const longest = 500;

/** Fields whose long values are cut; the same object where there is none. */
export function truncateFields<Given extends Fields | null>(fields: Given): Given {
  if (!fields) return fields;
  for (const name in fields) if (isLong(fields[name] ?? null)) return withoutLong(fields) as Given;
  return fields;
}

function withoutLong(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutValue(value)]));
}

function isLong(value: Value): boolean {
  return typeof value === "string" && value.length > longest;
}

function cutValue(value: Value): Value {
  return isReference(value) || typeof value !== "string" ? value : cutText(value);
}

/** The beginning of a long text, with a sign that it is one. */
export function cutText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
