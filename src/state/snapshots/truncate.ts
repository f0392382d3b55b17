import type { Fields, Value } from "../../model/types.ts";
import { inlineText, isReference } from "../../model/values.ts";

/** Characters of a value that snapshots keep. */
const maxLength = 500;

/** Truncates long values; returns the same object if there are none. */
export function truncateFields<Given extends Fields | null>(fields: Given): Given {
  if (!fields || !Object.values(fields).some(isLong)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, truncateValue(value)])) as Given;
}

function isLong(value: Value): boolean {
  return !isReference(value) && inlineText(value).length > maxLength;
}

/** A long list or mapping is kept as the beginning of its JSON. */
function truncateValue(value: Value): Value {
  return isReference(value) || !isLong(value) ? value : truncateText(inlineText(value));
}

/** Truncates a long text, with an ellipsis. */
export function truncateText(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
