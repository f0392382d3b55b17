import { FAILSAFE_SCHEMA, loadAll, Type, YAMLException } from "js-yaml";
import { readPlainYaml } from "./plain-yaml.ts";
import { spelled, withPlainValues } from "./respelled.ts";
import { type PlainScalar, plainScalars } from "./yaml-scalars.ts";

/** The documents of a text in YAML 1.2 with the core schema, and whether it is plain, or its first error (line from 0). */
export type Yaml =
  | { readonly values: readonly unknown[]; readonly isPlain?: boolean }
  | { readonly reason: string; readonly duplicate: boolean; readonly line: number; readonly column: number };

function typeOfPlain({ tag, begins, pattern, construct }: PlainScalar): Type {
  const resolve = (text: unknown) =>
    typeof text === "string" ? begins.includes(text.charAt(0)) && pattern.test(text) : text === null && tag === "null";
  return new Type(`tag:yaml.org,2002:${tag}`, {
    kind: "scalar",
    resolve,
    construct: (text: string | null) => spelled(construct(text ?? ""), text),
  });
}

// js-yaml's own core schema reads 0b11 and -0x1f as numbers and -.5 as a string, which YAML 1.2 does not.
export const core = FAILSAFE_SCHEMA.extend({ implicit: plainScalars.map(typeOfPlain) });

/** Never throws. With `lenient`, the last of duplicate keys takes effect. */
export function parseYaml(text: string, { lenient = false } = {}): Yaml {
  const plain = readPlainYaml(text);
  if (plain) return { values: [plain.root], isPlain: true };
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
  [/^missed comma between flow/, "missing comma, or a ] or } that an earlier line lacks"],
  [/^end of the stream or a document separator/, "unexpected text; check the indentation"],
];

/** The parser's messages may quote the text, which may be a secret, so known reasons are replaced with fixed messages. */
function sentenceOf(reason: string): string {
  const [, sentence] = sentences.find(([pattern]) => pattern.test(reason)) ?? [];
  return sentence ?? reason.replace(/"[^"]*"|<[^>]*>/g, "…").slice(0, 100);
}
