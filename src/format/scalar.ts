import { Scalar } from "yaml";

/** Characters that YAML text cannot hold as they are, or that look like a line's end. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/u;

/** A scalar that YAML text can hold, once {@link asciiEscapes} has gone over it. */
export function scalarOf(value: string | number | boolean | null): Scalar {
  const node = new Scalar(value);
  if (typeof value === "string" && unprintable.test(value)) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Only strings in double quotes hold such characters: see {@link scalarOf}. */
export function asciiEscapes(text: string): string {
  const each = new RegExp(unprintable, "gu");
  return text.replace(each, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
