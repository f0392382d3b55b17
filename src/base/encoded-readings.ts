import type { Decoding } from "./decodings.ts";

/** An encoding of bytes: its pattern, the bits of a character, and the possible alignments. */
interface Encoding {
  readonly form: "base64" | "hex";
  readonly pattern: RegExp;
  readonly bits: number;
  readonly starts: readonly number[];
}

/** A shorter match holds too few bytes for a secret. */
const encodings: readonly Encoding[] = [
  { form: "base64", pattern: /[A-Za-z0-9+/_-]{7,}/g, bits: 6, starts: [0, 1, 2, 3] },
  { form: "hex", pattern: /[0-9a-f]{10,}/gi, bits: 4, starts: [0, 1] },
];

/**
 * Decodes Base64 and hexadecimal digits in a text at every alignment, ignoring white space. A byte
 * becomes the character of the same number; a NUL separates two matches.
 */
export function encodedReadings(reading: Decoding): readonly Decoding[] {
  const { text, ...places } = withoutSpace(reading);
  return encodings.flatMap(({ form, pattern, bits, starts }) => {
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
  const { text, from, to } = reading;
  if (!/\s/.test(text)) return reading;
  const kept = Array.from({ length: text.length }, (_, unit) => unit).filter((unit) => !/\s/.test(text.charAt(unit)));
  return {
    text: kept.map((unit) => text.charAt(unit)).join(""),
    from: Int32Array.from(kept, (unit) => from[unit] ?? 0),
    to: Int32Array.from(kept, (unit) => to[unit] ?? 0),
  };
}
