/** `3 projects`, `1 project`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first few names, and how many more there are: `a, b, c and 4 more`. */
export function firstFew(names: readonly string[], most = 3): string {
  const few = names.slice(0, most).join(", ");
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}

/** Where a text stands, or would stand, in a sorted list. */
export function placeAmong(text: string, sorted: readonly string[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares texts by their UTF-16 units, for sorting: negative, zero or positive. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
