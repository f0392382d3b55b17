import type { Machine } from "./machine.ts";
import type { StateServer } from "./state.ts";

interface Job {
  readonly id: string;
  readonly data: unknown;
  /** Who does it, and until when it is believed to. */
  token: string | undefined;
  until: number;
}

/** What a queue keeps, by the name of the queue, and who waits for more of it. */
export class Jobs extends Map<string, Map<string, Job>> {
  readonly #waiting = new Set<() => void>();

  wait(wake: () => void): void {
    this.#waiting.add(wake);
  }

  more(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

interface Given {
  readonly data: unknown;
  readonly opts: { readonly jobId: string };
}

interface TakerOptions {
  readonly lockDuration: number;
  readonly stalledInterval: number;
}

interface Taken {
  readonly data: unknown;
  readonly moveToWait: (token: string) => Promise<void>;
}

/**
 * The package `bullmq`, as far as the program uses it: work is given to one at a time, and to another one when whoever
 * has it has not been heard of for the duration of a lock.
 */
export function queueLibrary(machine: Machine, server: StateServer, jobs: Jobs) {
  const { kernel } = server;
  const all = (name: string) => {
    const own = jobs.get(name) ?? new Map<string, Job>();
    jobs.set(name, own);
    return own;
  };
  const ask = <Answer>(work: () => Answer) => server.ask(machine, work);
  const held = (name: string, id: string, token: string): Job => {
    const job = all(name).get(id);
    if (job?.token !== token) throw new Error(`Missing lock for job ${id}`);
    return job;
  };
  class WaitingError extends Error {}

  class Queue {
    readonly #name: string;
    constructor(name: string) {
      this.#name = name;
    }
    on(): this {
      return this;
    }
    waitUntilReady = () => ask(() => undefined);
    addBulk = (given: readonly Given[]) =>
      ask(() => {
        for (const { data, opts } of given) {
          const own = all(this.#name);
          if (!own.has(opts.jobId)) own.set(opts.jobId, { id: opts.jobId, data, token: undefined, until: 0 });
        }
        jobs.more();
      });
    remove = (id: string) =>
      ask(() => {
        const job = all(this.#name).get(id);
        if (!job || job.token !== undefined) return 0;
        all(this.#name).delete(id);
        return 1;
      });
    getJobCountByTypes = () => ask(() => all(this.#name).size);
    getBackend = () => ({ close: async () => {} });
    close = async () => {};
  }

  class Worker {
    readonly #name: string;
    readonly #work: (job: Taken, token: string) => Promise<void>;
    readonly #options: TakerOptions;
    #isClosing = false;
    #wake: () => void = () => {};

    constructor(name: string, work: (job: Taken, token: string) => Promise<void>, options: TakerOptions) {
      this.#name = name;
      this.#work = work;
      this.#options = options;
    }
    on(): this {
      return this;
    }
    waitUntilReady = () => ask(() => undefined);
    pause = async () => {
      this.#isClosing = true;
    };
    getBackend = () => ({ close: async () => {}, disconnectBlocking: async () => this.#wake() });
    close = async () => this.pause();
    run = async () => {
      while (!this.#isClosing) {
        const token = `${machine.name}:${kernel.random()}`;
        const job = await this.#take(token).catch(() => undefined);
        if (job && this.#isClosing) await ask(() => this.#free(job, token)).catch(() => {});
        else if (job) {
          await this.#do(job, token);
        } else await this.#rest();
      }
    };

    /** What nobody was heard of for is anybody's. */
    #take(token: string): Promise<Job | undefined> {
      return ask(() => {
        for (const job of all(this.#name).values()) {
          if (job.token !== undefined && job.until > kernel.now) continue;
          job.token = token;
          job.until = kernel.now + this.#options.lockDuration;
          return job;
        }
        return undefined;
      });
    }

    #rest(): Promise<void> {
      return new Promise((resolve) => {
        this.#wake = resolve;
        jobs.wait(() => machine.later(kernel.between(1, 20), resolve));
        machine.later(this.#options.stalledInterval, resolve);
      });
    }

    async #do({ id, data }: Job, token: string): Promise<void> {
      let isOver = false;
      const renew = () => {
        if (isOver) return;
        const longer = () => {
          held(this.#name, id, token).until = kernel.now + this.#options.lockDuration;
        };
        ask(longer).catch(() => {});
        machine.later(this.#options.lockDuration / 2, renew);
      };
      machine.later(this.#options.lockDuration / 2, renew);
      const moveToWait = (own: string) => ask(() => this.#free(held(this.#name, id, own), own));
      try {
        await this.#work({ data, moveToWait }, token);
        await this.#end(id, token);
      } catch (error) {
        // What fails is not tried again, unless it was put back.
        if (!(error instanceof WaitingError)) await this.#end(id, token);
      } finally {
        isOver = true;
      }
    }

    async #end(id: string, token: string): Promise<void> {
      await ask(() => held(this.#name, id, token) && all(this.#name).delete(id)).catch(() => {});
    }

    #free(job: Job, token: string): void {
      if (job.token !== token) throw new Error("Missing lock");
      job.token = undefined;
      jobs.more();
    }
  }
  return { __esModule: true, Queue, Worker, WaitingError, createPostgresBackend: {} };
}

/** The package `pg`, as far as a queue in PostgreSQL tries its connection. */
export function connectionLibrary(machine: Machine, server: StateServer) {
  class Client {
    on(): this {
      return this;
    }
    connect = () => server.ask(machine, () => undefined);
    end = async () => {};
  }
  return { __esModule: true, default: { Client }, Client };
}
