/** The characters of a scalar as they are written, by how it begins: an escape is one character. */
const styles: Readonly<Record<string, RegExp>> = {
  '"': /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|\r?\n|[\s\S])|[\s\S]/gi,
  "'": /''|[\s\S]/g,
};

const quotes = new Set(Object.keys(styles));

/**
 * Where in a YAML scalar, from its first written character on, a character of its value stands; what comes after all
 * of them stands behind the last. YAML folds and indents white space and keeps everything else, so only that is counted.
 */
export function offsetWithin(scalar: string, value: string, offset: number): number {
  const [first = ""] = scalar;
  if (first === "*") return 0;
  const start = quotes.has(first) ? 1 : /^[|>]/.test(first) ? scalar.indexOf("\n") + 1 : 0;
  let left = value.slice(0, offset).replace(/\s/g, "").length;
  let end = start;
  const isEnd = value.slice(offset).trim() === "";
  for (const { 0: written, index } of scalar.slice(start).matchAll(styles[first] ?? /[\s\S]/g)) {
    if (left === 0 && isEnd) return end;
    if (isBlank(written)) continue;
    if (left-- === 0) return start + index;
    end = start + index + written.length;
  }
  return end;
}

function isBlank(written: string): boolean {
  return /^(?:\s|\\[nrt\s])$/.test(written) || /^\\\r?\n$/.test(written);
}
