import { callLater } from "./timer.ts";

/** Whatever can be in flight, and be too late. */
export interface Deadline {
  /** By the clock of `performance.now()`. */
  readonly deadline: number;
  timeUp(): void;
}

/** What is in flight, the earliest deadline first. */
export interface Deadlines<Each extends Deadline> extends Iterable<Each> {
  /** Milliseconds that each may take. */
  readonly timeout: number;
  add(flight: Each): void;
  delete(flight: Each): void;
}

/**
 * Calls `timeUp` on each flight that is still there at its deadline. All may take equally long, so they end in the order
 * in which they began, and one timer does for all of them: a timer each would cost a tenth of a request.
 */
export function createDeadlines<Each extends Deadline>(timeout: number): Deadlines<Each> {
  const flights = new Set<Each>();
  let watching = false;

  const watch = (milliseconds: number): void => {
    watching = true;
    callLater(milliseconds, sweep);
  };

  const sweep = (): void => {
    watching = false;
    for (const flight of flights) {
      const left = flight.deadline - performance.now();
      if (left > 0) {
        watch(Math.ceil(left));
        return;
      }
      flight.timeUp();
    }
  };

  return {
    timeout,
    add(flight) {
      flights.add(flight);
      if (!watching) watch(timeout);
    },
    delete: (flight) => void flights.delete(flight),
    [Symbol.iterator]: () => flights.values(),
  };
}
