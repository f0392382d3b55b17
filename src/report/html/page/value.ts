import { isReference } from "../../../model/normalise.ts";
import type { SecretReference, Value } from "../../../model/types.ts";
import { element } from "./dom.ts";
import { visible } from "./words.ts";

/** The two sides of a field's change. */
export type Side = "before" | "after";

/** A value as people read it; quoted only where it could be taken for something else. */
export function written(value: Value): string {
  if (isReference(value)) return `secret ${visible(value.secret)}`;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = value.trim() === value && !/^(?:|true|false|null|-?\d[\d.eE+-]*|".*"|\(.*\))$/s.test(value);
  return visible(isPlain ? value : JSON.stringify(value));
}

/** One side of a field's change; the part in which it differs from the other side is marked. */
export function valueNode(value: Value | undefined, other: Value | undefined, side: Side): HTMLElement {
  if (value === undefined) return element("span", "absent", side === "before" ? "not reported" : "unset");
  if (isReference(value)) return secretNode(value);
  const text = written(value);
  const isComparable = other !== undefined && !isReference(other);
  const code = element("code", "value", ...(isComparable ? marked(text, written(other)) : [text]));
  if (text.length > 400) code.tabIndex = 0;
  return code;
}

function secretNode({ secret, version }: SecretReference): HTMLElement {
  const bump = version === undefined ? "" : `, version ${version}`;
  return element("span", "", element("span", "tag", "secret"), " ", element("code", "value", visible(secret) + bump));
}

/** A text with a mark where it differs from another, if they have enough in common for that to help. */
function marked(text: string, other: string): readonly (Node | string)[] {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let tail = 0;
  while (tail < shorter - start && text.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const end = text.length - tail;
  const isHelpful = start + tail >= 4 && (start + tail) * 3 >= shorter && start < end;
  if (!isHelpful || splitsPair(text, start) || splitsPair(text, end)) return [text];
  return [text.slice(0, start), element("mark", "", text.slice(start, end)), text.slice(end)];
}

/** Whether a cut would go through the two halves of one character. */
function splitsPair(text: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(at));
}
