export interface AliasFault {
  readonly rule: "alias-cycle" | "alias-bomb";
  readonly message: string;
}

/** More values than this, each alias counted as a copy, is no policy. */
const mostValues = 1_000_000;

/** What is wrong with the aliases of a document: one that contains itself, or so many that copies would not end. */
export function aliasFault(value: unknown): AliasFault | undefined {
  const size = sizeOf(value, new Set(), new Map());
  if (size === undefined) return { rule: "alias-cycle", message: "an alias stands inside its own anchor" };
  if (size <= mostValues) return undefined;
  return { rule: "alias-bomb", message: `its aliases make more than ${mostValues} values of this document` };
}

/** The number of values with each alias copied out; undefined where a value contains itself. */
function sizeOf(value: unknown, around: Set<unknown>, sizes: Map<unknown, number>): number | undefined {
  if (typeof value !== "object" || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  if (around.has(value)) return undefined;
  around.add(value);
  let size = 1;
  for (const child of Object.values(value)) {
    const childSize = sizeOf(child, around, sizes);
    if (childSize === undefined) return undefined;
    size += childSize;
  }
  around.delete(value);
  sizes.set(value, size);
  return size;
}
