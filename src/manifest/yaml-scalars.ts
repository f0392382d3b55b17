/** What a plain scalar may stand for in the core schema of YAML 1.2. */
export interface PlainScalar {
  readonly tag: "null" | "bool" | "int" | "float";
  /** The possible first characters, checked first because they rule out most strings. */
  readonly begins: string;
  readonly pattern: RegExp;
  readonly construct: (text: string) => unknown;
}

const digits = "0123456789";

/** In the order in which they are tried; everything else is a string. */
export const plainScalars: readonly PlainScalar[] = [
  { tag: "null", begins: "~nN", pattern: /^(?:|~|null|Null|NULL)$/, construct: () => null },
  {
    tag: "bool",
    begins: "tTfF",
    pattern: /^(?:true|True|TRUE|false|False|FALSE)$/,
    construct: (text) => text.toLowerCase() === "true",
  },
  {
    tag: "int",
    begins: `-+${digits}`,
    pattern: /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/,
    construct: (text) => (text.startsWith("0o") ? Number.parseInt(text.slice(2), 8) : Number(text)),
  },
  {
    tag: "float",
    begins: `-+.${digits}`,
    pattern: /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    construct: (text) => {
      if (/nan/i.test(text)) return Number.NaN;
      return /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
    },
  },
];

const begins = new Set(plainScalars.flatMap((each) => [...each.begins]));

/** The value of a plain scalar that is not empty. */
export function valueOfPlain(text: string): unknown {
  const first = text.charAt(0);
  if (!begins.has(first)) return text;
  const found = plainScalars.find((each) => each.begins.includes(first) && each.pattern.test(text));
  return found ? found.construct(text) : text;
}
