import type { Place } from "../../../model/types.ts";

/** An HCL expression that can be evaluated without Terraform. */
export type HclExpression =
  | { readonly form: "value"; readonly value: string | number | boolean | null }
  | { readonly form: "template"; readonly parts: readonly HclExpression[] }
  | { readonly form: "list"; readonly items: readonly HclExpression[] }
  | { readonly form: "mapping"; readonly pairs: readonly (readonly [key: HclExpression, value: HclExpression])[] }
  | { readonly form: "path"; readonly steps: readonly (string | HclExpression)[]; readonly text: string }
  /** `isSpread`: the last input is a list of inputs. */
  | {
      readonly form: "call";
      readonly name: string;
      readonly inputs: readonly HclExpression[];
      readonly isSpread: boolean;
    }
  | {
      readonly form: "condition";
      readonly of: HclExpression;
      readonly results: readonly [then: HclExpression, otherwise: HclExpression];
    }
  | { readonly form: "operation"; readonly operator: string; readonly sides: readonly HclExpression[] }
  /** `bound` are its names, of the value or of the key and the value; `results` a value, or a key and a value. */
  | {
      readonly form: "for";
      readonly bound: readonly string[];
      readonly of: HclExpression;
      readonly results: readonly HclExpression[];
      readonly condition?: HclExpression;
    }
  /** An unsupported expression, described without its content. */
  | { readonly form: "other"; readonly words: string };

export interface HclAttribute {
  readonly value: HclExpression;
  readonly place: Place;
}

/** `resource "type" "name" { … }`, or a whole file, which has neither type nor labels. */
export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, HclAttribute>;
  readonly blocks: readonly HclBlock[];
  readonly place: Place;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** The value of a quoted HCL string; undefined where an escape is invalid. */
export function unescaped(text: string): string | undefined {
  let isFaulty = false;
  const plain = text.replace(
    /\\(u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S])|([$%])\2\{/g,
    (whole, name?: string, mark?: string) => {
      if (mark !== undefined) return `${mark}{`;
      const known = name === undefined ? undefined : (escapes[name] ?? codePoint(name));
      isFaulty ||= known === undefined;
      return known ?? whole;
    },
  );
  return isFaulty ? undefined : plain;
}

function codePoint(name: string): string | undefined {
  const code = name.length > 1 ? Number.parseInt(name.slice(1), 16) : Number.NaN;
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The value of a heredoc without interpolation; `<<-` removes common indentation. */
export function heredocText(source: string): string {
  const lines = source.split(/\r?\n/).slice(1, -1);
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = source.startsWith("<<-") ? Math.min(...depths, Number.MAX_SAFE_INTEGER) : 0;
  return lines.map((line) => `${line.slice(indent)}\n`.replace(/([$%])\1\{/g, "$1{")).join("");
}
