import pLimit from "p-limit";

/** Bounds the queue, which would otherwise hold every project of a large fleet. */
const mostQueued = 2048;

/**
 * Runs `work` over all of `inputs` with at most `workers` at a time, in order of input; the results are in that order
 * too. Where the number changes, it is asked for whenever one ends. The first rejection ends it.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  workers: number | (() => number),
  work: (input: Input, index: number) => Promise<Result>,
): Promise<Result[]> {
  const most = () => Math.max(1, typeof workers === "number" ? workers : workers());
  const limit = pLimit({ concurrency: most(), rejectOnClear: false });
  const run = async (input: Input, index: number): Promise<Result> => {
    const result = await work(input, index);
    const now = most();
    if (now !== limit.concurrency) limit.concurrency = now;
    return result;
  };
  const results: Result[] = [];
  try {
    for (let from = 0; from < inputs.length; from += mostQueued) {
      const part = inputs.slice(from, from + mostQueued);
      results.push(...(await Promise.all(part.map((input, index) => limit(run, input, from + index)))));
    }
    return results;
  } finally {
    limit.clearQueue();
  }
}

/** Writes items in batches, one at a time. */
export interface BatchWriter<Item> {
  /** Resolves when the item is written. Items that arrive during a write share the next one; after an error all are rejected. */
  readonly add: (item: Item) => Promise<void>;
  /** Resolves when no write is left, whether they succeeded or not. */
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
