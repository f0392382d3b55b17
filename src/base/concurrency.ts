/**
 * Runs `work` over all of `inputs` with at most `workers` at a time, in order of input; the results are in that order
 * too. Inputs are taken one by one, so that ten thousand of them cost no queue. The first rejection ends it.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  workers: number,
  work: (input: Input) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(inputs.length);
  const queue = inputs.entries();
  const worker = async () => {
    for (const [index, input] of queue) results[index] = await work(input);
  };
  await Promise.all(Array.from({ length: Math.min(workers, inputs.length) }, worker));
  return results;
}
