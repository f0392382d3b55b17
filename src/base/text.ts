/** `3 projects`, `1 project`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first few names, and how many more there are: `a, b, c and 4 more`. */
export function firstFew(names: readonly string[], most = 3): string {
  const few = names.slice(0, most).join(", ");
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}
