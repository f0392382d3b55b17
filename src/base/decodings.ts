import { memoized } from "./memoize.ts";

/** A decoded text. For each of its UTF-16 units, the start and end of its source in the original text. */
export interface Decoding {
  readonly text: string;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** A kind of escape sequence: its pattern and its decoder. */
interface Escape {
  readonly pattern: RegExp;
  readonly meaning: (written: string) => string;
}

const escapes: readonly Escape[] = [
  { pattern: /\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-3][0-7]{2}|.)/gis, meaning: backslashed },
  { pattern: /%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi, meaning: percentEncoded },
  {
    pattern: /\+|%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi,
    meaning: (written) => (written === "+" ? " " : percentEncoded(written)),
  },
  { pattern: /&(?:#\d{1,7};?|#x[0-9a-f]{1,6};?|[a-z]{2,6};)/gi, meaning: entity },
];

const controls: ReadonlyMap<string, string> = new Map([..."bfnrt"].map((letter, i) => [letter, "\b\f\n\r\t"[i] ?? ""]));

function backslashed(written: string): string {
  const [, hex, octal] = /^\\(?:[ux]\{?([0-9a-f]+)\}?|([0-7]{3}))$/i.exec(written) ?? [];
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16), written);
  if (octal !== undefined) return characterOf(Number.parseInt(octal, 8), written);
  return controls.get(written.slice(1)) ?? written.slice(1);
}

/** UTF-8, else Latin-1. */
function percentEncoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

function entity(written: string): string {
  const [, hex, digits] = /^&#(?:x([^;]+)|(\d+));?$/i.exec(written) ?? [];
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16), written);
  if (digits !== undefined) return characterOf(Number(digits), written);
  return entities.get(written.slice(1, -1).toLowerCase()) ?? written;
}

function characterOf(code: number, written: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : written;
}

/** Levels of nested escapes: markup in JSON, JSON in JSON, a form in a URL. */
const deepest = 2;

/** A text and its distinct decodings, with escapes of JSON, URLs, forms and markup decoded. */
export function decodingsOf(text: string): readonly Decoding[] {
  const plain = undecoded(text);
  if (!mayHoldEscape.test(text)) return [plain];
  const all = new Map([[text, plain]]);
  for (let depth = 0; depth < deepest; depth++) {
    for (const reading of [...all.values()]) {
      for (const each of escapes) {
        const next = unescaped(reading, each);
        if (!all.has(next.text)) all.set(next.text, next);
      }
    }
  }
  return [...all.values()];
}

/** Every escape contains one of these; most texts do not. */
const mayHoldEscape = /[\\%+&]/;

/** The text itself. */
export function undecoded(text: string): Decoding {
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  for (let unit = 0; unit < text.length; unit++) {
    from[unit] = unit;
    to[unit] = unit + 1;
  }
  return { text, from, to };
}

function unescaped(reading: Decoding, { pattern, meaning }: Escape): Decoding {
  const { text } = reading;
  const writer = writerFrom(reading, text.length);
  let done = 0;
  for (const { 0: written, index } of text.matchAll(pattern)) {
    writer.copy(done, index);
    done = index + written.length;
    writer.put(meaning(written), index, done);
  }
  if (done === 0) return reading;
  writer.copy(done, text.length);
  return writer.reading();
}

interface Writer {
  readonly copy: (start: number, end: number) => void;
  /** Writes a text that decodes the units from `start` to `end` of the source. */
  readonly put: (text: string, start: number, end: number) => void;
  readonly reading: () => Decoding;
}

function writerFrom(source: Decoding, most: number): Writer {
  const parts: string[] = [];
  const from = new Int32Array(most);
  const to = new Int32Array(most);
  let size = 0;
  return {
    copy(start, end) {
      if (start === end) return;
      parts.push(source.text.slice(start, end));
      from.set(source.from.subarray(start, end), size);
      to.set(source.to.subarray(start, end), size);
      size += end - start;
    },
    put(text, start, end) {
      parts.push(text);
      from.fill(source.from[start] ?? 0, size, size + text.length);
      to.fill(source.to[end - 1] ?? 0, size, size + text.length);
      size += text.length;
    },
    reading: () => ({ text: parts.join(""), from: from.subarray(0, size), to: to.subarray(0, size) }),
  };
}

/** A reading without differences in case and width, and without invisible characters and white space. */
export function folded(reading: Decoding): Decoding {
  const { text } = reading;
  if (isOrdinary.test(text)) return { ...reading, text: text.toLowerCase() };
  const writer = writerFrom(reading, text.length * longestFold);
  let done = 0;
  for (const { 0: found, index } of text.matchAll(unusual)) {
    writer.copy(done, index);
    done = index + found.length;
    const meant = found.length === 1 ? foldedUnit(found) : foldedText(found);
    if (meant !== "") writer.put(meant, index, done);
  }
  writer.copy(done, text.length);
  const { text: copied, ...offsets } = writer.reading();
  return { text: copied.toLowerCase(), ...offsets };
}

/** Characters that folding does not only lowercase. */
const unusual = /[\0-\x20\x7f]+|[^\0-\x7f]/gu;

const isOrdinary = /^[\x21-\x7e]*$/;

/** UTF-16 units to which one character may fold. */
const longestFold = 3;

const isPlain = /^[\0-\x7f]*$/;

/** The text alone of {@link folded}. */
export function foldedText(text: string): string {
  const visible = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{DI}\s]+/gu, "");
  if (isPlain.test(visible)) return visible.toLowerCase();
  return Array.from(visible, foldedCharacter).join("");
}

/** Decoded bytes repeat the same few characters. */
const foldedUnit = memoized(foldedText);

function foldedCharacter(each: string): string {
  const compatible = levelled(each.normalize("NFKC"));
  return compatible.length <= longestFold ? compatible : levelled(each);
}

function levelled(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/** A part of a folded reading, with a space wherever something was removed. */
export function spaced({ text, from, to }: Decoding, start: number, end: number): string {
  let result = "";
  for (let unit = start; unit < end; unit++) {
    const isGap = unit > start && (from[unit] ?? 0) > (to[unit - 1] ?? 0);
    result += isGap ? ` ${text.charAt(unit)}` : text.charAt(unit);
  }
  return result;
}
