import { FAILSAFE_SCHEMA, loadAll, Type, YAMLException } from "js-yaml";
import { spelled, withPlainValues } from "./respelled.ts";

/** The documents of a text in YAML 1.2 with the core schema, or its first error (line from 0). */
export type Yaml =
  | { readonly values: readonly unknown[] }
  | { readonly reason: string; readonly duplicate: boolean; readonly line: number; readonly column: number };

/** `begins`: the possible first characters, checked first because they rule out most plain strings. */
function scalar(tag: string, begins: string, pattern: RegExp, construct: (text: string) => unknown): Type {
  const resolve = (text: unknown) =>
    typeof text === "string" ? begins.includes(text.charAt(0)) && pattern.test(text) : text === null && tag === "null";
  return new Type(`tag:yaml.org,2002:${tag}`, {
    kind: "scalar",
    resolve,
    construct: (text: string | null) => spelled(construct(text ?? ""), text),
  });
}

const digits = "0123456789";

const nothing = scalar("null", "~nN", /^(?:|~|null|Null|NULL)$/, () => null);

const truth = scalar("bool", "tTfF", /^(?:true|True|TRUE|false|False|FALSE)$/, (text) => text.toLowerCase() === "true");

const integer = scalar("int", `-+${digits}`, /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/, (text) =>
  text.startsWith("0o") ? Number.parseInt(text.slice(2), 8) : Number(text),
);

const float = scalar(
  "float",
  `-+.${digits}`,
  /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  (text) => {
    if (/nan/i.test(text)) return Number.NaN;
    return /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
  },
);

// js-yaml's own core schema reads 0b11 and -0x1f as numbers and -.5 as a string, which YAML 1.2 does not.
export const core = FAILSAFE_SCHEMA.extend({ implicit: [nothing, truth, integer, float] });

/** Never throws. With `lenient`, the last of duplicate keys takes effect. */
export function parseYaml(text: string, { lenient = false } = {}): Yaml {
  try {
    const values: unknown[] = [];
    loadAll(text, (value) => values.push(value), { schema: core, json: lenient });
    return { values: withPlainValues(text, values) };
  } catch (error) {
    if (error instanceof RangeError) return { reason: tooDeep, duplicate: false, line: 0, column: 0 };
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    return { reason: sentenceOf(error.reason), duplicate: error.reason === duplicated, line, column };
  }
}

const duplicated = "duplicated mapping key";
const tooDeep = "nested more than 100 levels deep";

const sentences: readonly (readonly [RegExp, string])[] = [
  [/^duplicated mapping key/, "duplicate key"],
  [/^nesting exceeded/, tooDeep],
  [/^unidentified alias/, "unknown anchor; a value that begins with * needs quotes"],
  [/^unknown tag/, "unknown tag; a value that begins with ! needs quotes"],
  [/^bad indentation of a mapping entry/, "wrong indentation, or a value that needs quotes"],
  [/^tab characters/, "tab used for indentation; YAML needs spaces"],
  [/^end of the stream or a document separator/, "unexpected text; check the indentation"],
];

/** The parser's messages may quote the text, which may be a secret, so known reasons are replaced with fixed messages. */
function sentenceOf(reason: string): string {
  const [, sentence] = sentences.find(([pattern]) => pattern.test(reason)) ?? [];
  return sentence ?? reason.replace(/"[^"]*"|<[^>]*>/g, "…").slice(0, 100);
}
