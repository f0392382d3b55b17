import { FAILSAFE_SCHEMA, loadAll, Type, YAMLException } from "js-yaml";

/** The documents of a text in YAML 1.2 with the core schema, or its first error (line and column from 0). */
export type Yaml =
  | { readonly values: readonly unknown[] }
  | { readonly reason: string; readonly duplicate: boolean; readonly line: number; readonly column: number };

/**
 * Never throws. With `lenient`, the last of duplicate keys takes effect; with `merge`, `<<` is the key that merges; with
 * `words`, `yes`, `on`, `no` and `off` are booleans, as in YAML 1.1.
 */
export function parseYaml(text: string, { lenient = false, merge = false, words = false } = {}): Yaml {
  try {
    const values: unknown[] = [];
    const more = [...(merge ? [mergeKey] : []), ...(words ? [booleanWord] : [])];
    const schema = more.length > 0 ? coreSchema.extend({ implicit: more }) : coreSchema;
    loadAll(text, (value) => values.push(value), { schema, json: lenient });
    return { values: words || mayBeRespelled.test(text) ? withPlainValues(values) : values };
  } catch (error) {
    if (error instanceof RangeError) return { reason: tooDeep, duplicate: false, line: 0, column: 0 };
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    return { reason: toMessage(error.reason), duplicate: error.reason === duplicated, line, column };
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
function toMessage(reason: string): string {
  const [, sentence] = sentences.find(([pattern]) => pattern.test(reason)) ?? [];
  return sentence ?? reason.replace(/"[^"]*"|<[^>]*>/g, "…").slice(0, 100);
}

interface PlainScalar {
  /** Its possible first characters, checked first because they rule out most strings. */
  readonly begins: string;
  readonly pattern: RegExp;
  readonly construct: (text: string) => unknown;
}

const digits = "0123456789";

const plainScalars: Readonly<Record<"null" | "bool" | "int" | "float", PlainScalar>> = {
  null: { begins: "~nN", pattern: /^(?:|~|null|Null|NULL)$/, construct: () => null },
  bool: {
    begins: "tTfF",
    pattern: /^(?:true|True|TRUE|false|False|FALSE)$/,
    construct: (text) => text.toLowerCase() === "true",
  },
  int: {
    begins: `-+${digits}`,
    pattern: /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/,
    construct: (text) => (text.startsWith("0o") ? Number.parseInt(text.slice(2), 8) : Number(text)),
  },
  float: {
    begins: `-+.${digits}`,
    pattern: /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    construct: (text) => {
      if (/nan/i.test(text)) return Number.NaN;
      return /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
    },
  },
};

/** js-yaml's own core schema reads 0b11 and -0x1f as numbers and -.5 as a string, which YAML 1.2 does not. */
export const coreSchema = FAILSAFE_SCHEMA.extend({
  implicit: Object.entries(plainScalars).map(([tag, { begins, pattern, construct }]) => {
    const resolve = (text: unknown) =>
      typeof text === "string"
        ? begins.includes(text.charAt(0)) && pattern.test(text)
        : text === null && tag === "null";
    return new Type(`tag:yaml.org,2002:${tag}`, {
      kind: "scalar",
      resolve,
      construct: (text: string | null) => keepSpelling(construct(text ?? ""), text),
    });
  }),
});

const mergeKey = new Type("tag:yaml.org,2002:merge", { kind: "scalar", resolve: (text: unknown) => text === "<<" });

const booleanWord = new Type("tag:evenkeel,word", {
  kind: "scalar",
  resolve: (text: unknown) => typeof text === "string" && /^(?:yes|on|no|off)$/i.test(text),
  construct: (text: string) => keepSpelling(/^(?:yes|on)$/i.test(text), text),
});

function keepSpelling(value: unknown, text: string | null): unknown {
  return text === null || text === "" || String(value) === text ? value : new Respelled(value, text);
}

/** A plain scalar such as 1.10, 0x10 or ~. As a key it is the text as written, because the branch 1.10 is not the branch 1.1. */
export class Respelled {
  readonly value: unknown;
  readonly #text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.#text = text;
  }

  /** js-yaml converts keys to strings. */
  toString(): string {
    return this.#text;
  }

  /** js-yaml rejects keys that are plain objects, which it recognises by this tag. */
  get [Symbol.toStringTag](): string {
    return "Respelled";
  }
}

/** Texts that may contain a {@link Respelled} scalar: cheaper than visiting every value of every manifest. */
const mayBeRespelled =
  /(?:^|[\s,[{:])(?:~|[-+]?\.[\da-zA-Z]|[-+]\d|0[\dxo]|\d+[.eE]|\d{16}|True|TRUE|False|FALSE|Null|NULL)/;

function withPlainValues(documents: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return documents.map((document) => replaceRespelled(document, seen));
}

/** Changes lists and mappings in place, because aliases share them. */
function replaceRespelled(value: unknown, seen: Set<unknown>): unknown {
  if (value instanceof Respelled) return value.value;
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  for (const [name, each] of Object.entries(value)) {
    const next = replaceRespelled(each, seen);
    if (next !== each) Object.defineProperty(value, name, { ...writable, value: next });
  }
  return value;
}

/** Defined instead of assigned, because a key may be `__proto__`. */
const writable = { enumerable: true, configurable: true, writable: true };
