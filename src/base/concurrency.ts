import pLimit from "p-limit";

/** Bounds the queue, which would otherwise hold every project of a large fleet. */
const mostQueued = 2048;

/**
 * Runs `work` over all of `inputs` with at most `workers` at a time, in order of input; the results are in that order
 * too. The first rejection ends it.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  workers: number,
  work: (input: Input, index: number) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit({ concurrency: workers, rejectOnClear: false });
  const results: Result[] = [];
  try {
    for (let from = 0; from < inputs.length; from += mostQueued) {
      const part = inputs.slice(from, from + mostQueued);
      results.push(...(await Promise.all(part.map((input, index) => limit(work, input, from + index)))));
    }
    return results;
  } finally {
    limit.clearQueue();
  }
}
