/** Whether a text is an ID and no path: servers take digits alone for one. */
export function isId(text: string): boolean {
  return /^\d+$/.test(text);
}

/**
 * The ID that digits mean. Beyond the largest whole number that JSON and JavaScript hold exactly it would be another
 * project's, so it is NaN there, which no project has; {@link idFault} tells people of it.
 */
export function idIn(digits: string): number {
  return isExact(digits) ? Number(digits) : Number.NaN;
}

/** What is wrong with an ID, in words that complete "expected …"; undefined where nothing is, or where it is none. */
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
