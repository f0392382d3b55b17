import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";

/** The text of a scalar key; empty for any other node. */
export function nameOf(key: unknown): string {
  if (!isScalar(key)) return "";
  // A merge key that is tagged as one is a symbol.
  return typeof key.value === "symbol" ? (key.value.description ?? "") : String(key.value);
}

/** The value of a string scalar. */
export function stringOf(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === "string" ? value.value : undefined;
}

/** The value of a mapping's own key. */
export function valueAt(map: unknown, name: string): Node | null | undefined {
  return pairAt(map, name)?.value as Node | null | undefined;
}

/** The last of duplicate keys wins. */
function pairAt(map: unknown, name: string): Pair | undefined {
  return isMap(map) ? map.items.findLast(({ key }) => nameOf(key) === name) : undefined;
}

/** Resolves an alias: the nearest node before it with its anchor. */
export function anchorsIn(contents: Node | null): (alias: Alias) => Node | undefined {
  const anchors = new Map<string, Node[]>();
  collect(contents);
  return ({ source, range }) => {
    const nodes = anchors.get(source) ?? [];
    return nodes.length < 2 ? nodes[0] : nodes.findLast((node) => startOf(node) <= (range?.[0] ?? Infinity));
  };

  function collect(node: unknown): void {
    if (isAlias(node) || node === null || typeof node !== "object") return;
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor)
      anchors.set(node.anchor, [...(anchors.get(node.anchor) ?? []), node]);
    if (isMap(node)) for (const { key, value } of node.items) for (const part of [key, value]) collect(part);
    if (isSeq(node)) for (const item of node.items) collect(item);
  }
}

function startOf({ range }: Node): number {
  return range?.[0] ?? 0;
}
