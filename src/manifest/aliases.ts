export interface AliasFault {
  readonly rule: "alias-cycle" | "alias-bomb";
  readonly message: string;
}

/** With each alias copied out, a document of more values, or nested more deeply, is no policy. */
const most = { size: 1_000_000, depth: 1000 };

interface Measure {
  readonly size: number;
  readonly depth: number;
}

/** What is wrong with the aliases of a document: one that contains itself, or so many that copies would not end. */
export function aliasFault(value: unknown): AliasFault | undefined {
  const found = measure(value, new Set(), new Map());
  if (found === "cycle") return { rule: "alias-cycle", message: "an alias refers to the anchor that contains it" };
  if (found.size <= most.size && found.depth <= most.depth) return undefined;
  return { rule: "alias-bomb", message: `aliases expand this document to more than ${most.size} values` };
}

function measure(value: unknown, around: Set<unknown>, known: Map<unknown, Measure>): Measure | "cycle" {
  if (typeof value !== "object" || value === null) return { size: 1, depth: 1 };
  const before = known.get(value);
  if (before) return before;
  if (around.has(value)) return "cycle";
  if (around.size > most.depth) return { size: Number.POSITIVE_INFINITY, depth: around.size };
  around.add(value);
  let size = 1;
  let depth = 1;
  for (const child of Object.values(value)) {
    const inner = measure(child, around, known);
    if (inner === "cycle") return inner;
    size += inner.size;
    depth = Math.max(depth, inner.depth + 1);
  }
  around.delete(value);
  known.set(value, { size, depth });
  return { size, depth };
}
