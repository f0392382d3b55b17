import { decodingsOf } from "./decodings.ts";

/** Levels of nested encodings. */
const deepest = 3;

/**
 * A value and all of its decodings, with escapes, Base64 and hexadecimal digits nested in any order, as far
 * as they decode to text. Binary results are dropped, which bounds the cost.
 */
export function nestedReadings(value: string): ReadonlySet<string> {
  const all = new Set<string>();
  let layer = [value];
  for (let depth = 0; depth <= deepest && layer.length > 0; depth++) {
    const fresh = new Set(
      layer.flatMap((each) => decodingsOf(each).map(({ text }) => text)).filter((text) => !all.has(text)),
    );
    for (const text of fresh) all.add(text);
    layer = depth < deepest ? [...fresh].flatMap(decodedStretches) : [];
  }
  return all;
}

function decodedStretches(text: string): readonly string[] {
  const joined = text.replace(/\s+/g, "");
  const bytes = [
    ...(joined.match(base64) ?? []).flatMap((stretch) =>
      [0, 1, 2, 3].map((start) => bytesOf(stretch, start, "base64")),
    ),
    ...(text.match(hex) ?? []).map((stretch) => bytesOf(stretch.replace(betweenDigits, ""), 0, "hex")),
  ];
  return [...new Set(bytes.flatMap((each) => textIn(each) ?? []))];
}

const base64 = /[A-Za-z0-9+/_-]{8,}/g;
/** Pairs of digits may be separated, as in `6f:77:6e`, `6f 77` and `0x6f, 0x77`. */
const hex = /(?:(?:0x)?[0-9a-f]{2}[\s:,;.-]{0,3}){4,}/gi;
const betweenDigits = /0x|[^0-9a-f]/gi;

function bytesOf(stretch: string, start: number, form: "base64" | "hex"): Buffer {
  return Buffer.from(stretch.slice(start), form);
}

/** Also decodes UTF-16, where every second byte is NUL. */
function textIn(bytes: Buffer): string | undefined {
  const text = bytes.toString().replaceAll("\0", "");
  const printed = text.match(/[\t\r\n -~]/g)?.length ?? 0;
  return text.length >= leastText && printed >= text.length * leastPrinted ? text : undefined;
}

const leastText = 4;
/** A third of random bytes is printable. */
const leastPrinted = 0.75;
