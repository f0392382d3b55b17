export type Group<Item> = readonly [Item, ...Item[]];

/** Groups items by key in order of first occurrence. Items without a key are left out. */
export function grouped<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, Group<Item>> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Like {@link grouped}, but of a part of each item. */
export function groupedAs<Item, Key, Value>(
  items: Iterable<Item>,
  entryOf: (item: Item) => readonly [key: Key | undefined, value: Value],
): ReadonlyMap<Key, Group<Value>> {
  const groups = grouped(Array.from(items, entryOf), ([key]) => key);
  return new Map(
    Array.from(groups, ([key, [[, first], ...rest]]) => [key, [first, ...rest.map(([, value]) => value)]]),
  );
}
