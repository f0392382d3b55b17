/** The items of one key, of which there is at least one. */
export type Group<Item> = readonly [Item, ...Item[]];

/** Groups items by key in order of first occurrence. Items without a key are left out. */
export function grouped<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, Group<Item>> {
  return groupedAs(items, keyOf, (item) => item);
}

export function groupedAs<Item, Key, Value>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | undefined,
  partOf: (item: Item) => Value,
): ReadonlyMap<Key, Group<Value>> {
  const groups = new Map<Key, [Value, ...Value[]]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(partOf(item));
    else groups.set(key, [partOf(item)]);
  }
  return groups;
}
