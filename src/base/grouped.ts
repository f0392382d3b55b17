/** Items by key, both in the order in which they first came; what has no key is left out. */
export function grouped<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
