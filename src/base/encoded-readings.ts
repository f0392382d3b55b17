import type { Decoding } from "./decodings.ts";

/** An encoding of bytes: what it ignores, its pattern, the bits of a character, and the possible alignments. */
interface Encoding {
  readonly form: "base64" | "hex";
  readonly bare: (reading: Decoding) => Decoding;
  readonly pattern: RegExp;
  readonly bits: number;
  readonly starts: readonly number[];
}

/** A shorter match holds too few bytes for a secret. */
const encodings: readonly Encoding[] = [
  { form: "base64", bare: withoutSpace, pattern: /[A-Za-z0-9+/_-]{7,}/g, bits: 6, starts: [0, 1, 2, 3] },
  {
    form: "hex",
    bare: (reading) => withoutSpace(withPairsJoined(reading)),
    pattern: /[0-9a-f]{10,}/gi,
    bits: 4,
    starts: [0, 1],
  },
];

/**
 * Decodes Base64 and hexadecimal digits in a text at every alignment, ignoring white space and what separates pairs of
 * digits, as in `6f:77:6e:65:72` and `0x6f, 0x77`. A byte
 * becomes the character of the same number; a NUL separates two matches.
 */
export function encodedReadings(reading: Decoding): readonly Decoding[] {
  return encodings.flatMap(({ form, bare, pattern, bits, starts }) => {
    const { text, ...places } = bare(reading);
    const stretches = [...text.matchAll(pattern)];
    if (stretches.length === 0) return [];
    return starts.map((start) => {
      const parts = stretches.map(({ 0: stretch, index }) => {
        const bytes = Buffer.from(stretch.slice(start), form).toString("latin1");
        return { bytes: `${bytes}\0`, first: index + start };
      });
      return joined(parts, bits, { text, ...places });
    });
  });
}

interface Part {
  readonly bytes: string;
  /** The unit of the source that has its first bits. */
  readonly first: number;
}

function joined(parts: readonly Part[], bits: number, source: Decoding): Decoding {
  const text = parts.map(({ bytes }) => bytes).join("");
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  let unit = 0;
  for (const { bytes, first } of parts) {
    for (let index = 0; index < bytes.length; index++, unit++) {
      const last = first + Math.floor((index * 8 + 7) / bits);
      from[unit] = source.from[first + Math.floor((index * 8) / bits)] ?? 0;
      to[unit] = source.to[last] ?? source.to.at(-1) ?? 0;
    }
  }
  return { text, from, to };
}

function withoutSpace(reading: Decoding): Decoding {
  const { text } = reading;
  return /\s/.test(text) ? keeping(reading, (unit) => !/\s/.test(text.charAt(unit))) : reading;
}

/** Five bytes reveal a part of a secret. */
const separatedPairs = /(?:(?:0x)?[0-9a-f]{2}[\s:,;.-]{1,3}){4,}(?:0x)?[0-9a-f]{2}/gi;
const betweenPairs = /0x|[^0-9a-f]/gi;

/** A reading without what separates pairs of hexadecimal digits; the same one where nothing does. */
export function withPairsJoined(reading: Decoding): Decoding {
  const between = new Set<number>();
  for (const { 0: stretch, index } of reading.text.matchAll(separatedPairs)) {
    for (const { 0: part, index: at } of stretch.matchAll(betweenPairs))
      for (let unit = 0; unit < part.length; unit++) between.add(index + at + unit);
  }
  return between.size > 0 ? keeping(reading, (unit) => !between.has(unit)) : reading;
}

function keeping({ text, from, to }: Decoding, isKept: (unit: number) => boolean): Decoding {
  const kept = Array.from({ length: text.length }, (_, unit) => unit).filter(isKept);
  return {
    text: kept.map((unit) => text.charAt(unit)).join(""),
    from: Int32Array.from(kept, (unit) => from[unit] ?? 0),
    to: Int32Array.from(kept, (unit) => to[unit] ?? 0),
  };
}
