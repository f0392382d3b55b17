/**
 * A plain scalar whose value does not have its spelling: 1.10, 0x10, ~. As a key it is what is written, because the branch 1.10
 * is another one than 1.1.
 */
export class Respelled {
  readonly value: unknown;
  readonly #text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.#text = text;
  }

  /** The parser asks keys for their text. */
  toString(): string {
    return this.#text;
  }

  /** The parser does not ask plain objects for their text. */
  get [Symbol.toStringTag](): string {
    return "Respelled";
  }
}

/** A scalar's value, with its spelling where that is another. */
export function spelled(value: unknown, text: string | null): unknown {
  return text === null || text === "" || String(value) === text ? value : new Respelled(value, text);
}

/** Cheaper than a walk through every value of every manifest. */
const mayBeRespelled =
  /(?:^|[\s,[{:])(?:~|[-+]?\.[\da-zA-Z]|[-+]\d|0[\dxo]|\d+[.eE]|\d{16}|True|TRUE|False|FALSE|Null|NULL)/;

/** The documents of a text with plain values in place of {@link Respelled} ones. */
export function withPlainValues(text: string, documents: readonly unknown[]): readonly unknown[] {
  if (!mayBeRespelled.test(text)) return documents;
  const seen = new Set<unknown>();
  return documents.map((document) => plain(document, seen));
}

/** Changes lists and mappings in place, because aliases share them. */
function plain(value: unknown, seen: Set<unknown>): unknown {
  if (value instanceof Respelled) return value.value;
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  for (const [name, each] of Object.entries(value)) {
    const next = plain(each, seen);
    if (next !== each) Object.defineProperty(value, name, { ...writable, value: next });
  }
  return value;
}

/** Defined and not assigned, because a key may be `__proto__`. */
const writable = { enumerable: true, configurable: true, writable: true };
