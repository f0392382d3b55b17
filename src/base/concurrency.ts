import pLimit from "p-limit";

/** Bounds the queue, which would otherwise hold every project of a large fleet. */
const mostQueued = 2048;

/** Results are in order. A function is called for the number after each task. The first rejection ends it. */
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
