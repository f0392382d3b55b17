/** True if a text is a valid date such as 2027-06-30. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && dayOf(new Date(time)) === text;
}

export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Days from one date to another; negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
