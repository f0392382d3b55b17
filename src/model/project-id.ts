/** True for an ID, not a path. Servers interpret digits alone as an ID. */
export function isId(text: string): boolean {
  return /^\d+$/.test(text);
}

/**
 * The ID in a text of digits. NaN, which matches no project, above the largest safe integer, because rounding would select
 * another project; {@link idFault} reports it.
 */
export function idIn(digits: string): number {
  return isExact(digits) ? Number(digits) : Number.NaN;
}

/** Completes "expected …" for an invalid ID; undefined for a valid one, or for a text that is not an ID. */
export function idFault(written: string | number): string | undefined {
  const text = String(written);
  const isNumber = typeof written === "number" || isId(text);
  return isNumber && !isExact(text)
    ? `a project ID from 1 to ${Number.MAX_SAFE_INTEGER}, without leading zeros`
    : undefined;
}

function isExact(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}
