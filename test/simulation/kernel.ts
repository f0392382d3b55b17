/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export type Chance = () => number;

function chanceOf(seed: number): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Something that happens at a time of the simulated clock. */
interface Due {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

export interface Told {
  readonly at: number;
  readonly actor: string;
  readonly event: string;
}

/**
 * The simulated time: events one after another, each followed by all that the program does without waiting for anything.
 * Times are milliseconds.
 */
export class Kernel {
  now = 0;
  /** Counts events, which a run that hangs in one moment would never end. */
  events = 0;
  readonly random: Chance;
  readonly trace: Told[] | undefined;
  readonly #due: Due[] = [];
  #order = 0;

  constructor(seed: number, isTraced: boolean) {
    this.random = chanceOf(seed);
    this.trace = isTraced ? [] : undefined;
  }

  tell(actor: string, event: string): void {
    this.trace?.push({ at: this.now, actor, event });
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** Whether something of this probability is so. */
  is(share: number): boolean {
    return this.random() < share;
  }

  pick<Each>(all: readonly Each[]): Each {
    return all[Math.floor(this.random() * all.length)] as Each;
  }

  after(milliseconds: number, work: () => void): void {
    push(this.#due, { at: this.now + milliseconds, order: this.#order++, work });
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Resolves when `isOver`, and rejects with what an event throws. @throws where nothing is left to happen. */
  play(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (isOver()) return resolve();
          const next = pop(this.#due);
          if (!next) throw new Error("nothing is left to happen");
          this.now = next.at;
          this.events++;
          next.work();
        } catch (error) {
          return reject(error);
        }
        setImmediate(step);
        return undefined;
      };
      setImmediate(step);
    });
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Due[], due: Due): void {
  let index = heap.push(due) - 1;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const other = heap[above] as Due;
    if (!isBefore(due, other)) break;
    heap[index] = other;
    index = above;
  }
  heap[index] = due;
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const below = right < heap.length && isBefore(heap[right] as Due, heap[left] as Due) ? right : left;
    const other = heap[below] as Due;
    if (!isBefore(other, last)) break;
    heap[index] = other;
    index = below;
  }
  heap[index] = last;
  return first;
}
