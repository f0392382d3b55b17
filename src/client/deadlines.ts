import { callLater } from "./timer.ts";

/** A request that is cut off at its deadline. */
export interface Deadline {
  /** By the clock of `performance.now()`. */
  readonly deadline: number;
  timeUp(): void;
}

/** The requests under way, the earliest deadline first. */
export interface Deadlines<Each extends Deadline> extends Iterable<Each> {
  /** Milliseconds that each may take. */
  readonly timeout: number;
  add(request: Each): void;
  delete(request: Each): void;
  /** Nothing comes any more: its timer, which holds all that it knows, is let go. */
  close(): void;
}

/**
 * Calls `timeUp` on each request that is still there at its deadline. All may take equally long, so they end in the order
 * in which they began, and one timer does for all of them: a timer each would cost a tenth of a request.
 */
export function createDeadlines<Each extends Deadline>(timeout: number): Deadlines<Each> {
  // A Set would leave tables behind whenever it is filled anew, which keep alive what was in them, answers and all.
  const pending: Each[] = [];
  let watching = false;
  let cancel = () => {};

  const watch = (milliseconds: number): void => {
    watching = true;
    cancel = callLater(milliseconds, sweep);
  };

  const sweep = (): void => {
    watching = false;
    for (const request of [...pending]) {
      const left = request.deadline - performance.now();
      if (left > 0) {
        watch(Math.ceil(left));
        return;
      }
      request.timeUp();
    }
  };

  return {
    timeout,
    add(request) {
      pending.push(request);
      if (!watching) watch(timeout);
    },
    delete: (request) => void pending.splice(pending.indexOf(request), 1),
    close: () => cancel(),
    [Symbol.iterator]: () => [...pending].values(),
  };
}
