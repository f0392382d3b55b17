import { Scalar } from "yaml";

/** Characters that must be escaped in YAML, and Unicode line separators. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/u;

/** A scalar that can be written to YAML, after {@link asciiEscapes}. */
export function scalarOf(value: string | number | boolean | null): Scalar {
  const node = new Scalar(value);
  if (typeof value === "string" && unprintable.test(value)) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Escapes unprintable characters, which only occur in double-quoted strings ({@link scalarOf}). */
export function asciiEscapes(text: string): string {
  const each = new RegExp(unprintable, "gu");
  return text.replace(each, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
