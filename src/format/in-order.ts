import { isAlias, isNode, type Pair, visit } from "yaml";
import type { Order } from "./order.ts";

/** A key with its value. */
interface Keyed {
  readonly key: string;
  readonly pair: Pair;
}

/** The anchors that a key and its value define and refer to. */
interface Anchors {
  readonly defined: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
}

/**
 * Sorts keys as far as anchors allow: an anchor stays before its aliases, and before another one of its name.
 * The sort is stable.
 */
export function inOrder<Each extends Keyed>(blocks: readonly Each[], order: Order): readonly Each[] {
  const left = blocks.toSorted((a, b) => order.compare(a.key, b.key));
  const anchors = new Map(blocks.map((block) => [block, anchorsIn(block.pair)]));
  if ([...anchors.values()].every(({ defined }) => defined.size === 0)) return left;
  const place = new Map(blocks.map((block, index) => [block, index]));
  const waitsFor = (block: Each, other: Each) =>
    (place.get(other) ?? 0) < (place.get(block) ?? 0) && areTied(anchors.get(other), anchors.get(block));
  const sorted: Each[] = [];
  while (left.length > 0) {
    const next = left.findIndex((block) => !left.some((other) => waitsFor(block, other)));
    sorted.push(...left.splice(next, 1));
  }
  return sorted;
}

function areTied(before: Anchors | undefined, behind: Anchors | undefined): boolean {
  if (!before || !behind) return false;
  const names = [...before.defined];
  return (
    names.some((name) => behind.defined.has(name) || behind.named.has(name)) ||
    [...before.named].some((name) => behind.defined.has(name))
  );
}

function anchorsIn({ key, value }: Pair): Anchors {
  const defined = new Set<string>();
  const named = new Set<string>();
  for (const node of [key, value]) {
    if (!isNode(node)) continue;
    visit(node, {
      Node: (_, each) => {
        if (isAlias(each)) named.add(each.source);
        else if (each.anchor) defined.add(each.anchor);
      },
    });
  }
  return { defined, named };
}
