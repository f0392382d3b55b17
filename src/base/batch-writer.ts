/** Writes items in batches, one at a time. */
export interface BatchWriter<Item> {
  /** Resolves when the item is written. Items that arrive during a write share the next one; after an error all are rejected. */
  readonly add: (item: Item) => Promise<void>;
  /** Resolves when no write is pending, successful or not. */
  readonly idle: () => Promise<void>;
}

/** Calls `write` with the items of a batch, in the order in which they were added. */
export function batchWriter<Item>(write: (items: readonly Item[]) => Promise<void>): BatchWriter<Item> {
  let waiting: Item[] = [];
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    await current;
    const items = waiting;
    waiting = [];
    next = undefined;
    current = write(items);
    await current;
  };
  return {
    add: (item) => {
      waiting.push(item);
      next ??= flush();
      return next;
    },
    idle: async () => {
      await next?.catch(() => {});
      await current.catch(() => {});
    },
  };
}
