const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `30s`, `2m` or `1h`; undefined if the text is not valid. */
export function durationOf(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}
