/**
 * Runs `work` over all of `inputs` with at most `workers` at a time, in order of input; the results are in that order
 * too. Where the number changes, it is asked for whenever one ends. The first rejection ends it.
 */
export function inParallel<Input, Result>(
  inputs: readonly Input[],
  workers: number | (() => number),
  work: (input: Input, index: number) => Promise<Result>,
): Promise<Result[]> {
  const most = typeof workers === "number" ? () => workers : workers;
  const results = new Array<Result>(inputs.length);
  return new Promise((resolve, reject) => {
    let next = 0;
    let active = 0;
    const start = (index: number): void => {
      active++;
      const ended = (result: Result): void => {
        results[index] = result;
        active--;
        startMore();
      };
      work(inputs[index] as Input, index)
        .then(ended)
        .catch(fail);
    };
    const startMore = (): void => {
      while (next < inputs.length && active < Math.max(1, most())) start(next++);
      if (active === 0) resolve(results);
    };
    const fail = (error: unknown): void => {
      next = inputs.length;
      reject(error);
    };
    startMore();
  });
}
