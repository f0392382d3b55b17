/** The wanted name, with a number appended if it is taken: `name-2`. */
export function freeName(wanted: string, isTaken: (name: string) => boolean, separator = "-"): string {
  let name = wanted;
  for (let count = 2; isTaken(name); count++) name = `${wanted}${separator}${count}`;
  return name;
}

/** A free name, compared without case, which is taken from then on. */
export function takeName(wanted: string, taken: Set<string>, separator = "-"): string {
  const name = freeName(wanted, (each) => taken.has(each.toLowerCase()), separator);
  taken.add(name.toLowerCase());
  return name;
}
