import type { Patch } from "./build.ts";

/** A bug that is planted on purpose, to see that the simulation finds it. */
export interface Mutation {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** Seeds within which it is found. */
  readonly within: number;
}

/** The seeds that each needs are those of `npm run simulate -- --bugs`. */
export const mutations: readonly Mutation[] = [
  {
    name: "no intent",
    patches: [
      {
        file: "fleet/intents.ts",
        from: "await fleet.claim(token, change.address, sender, grace)",
        to: "({ mine: true })",
      },
    ],
    within: 300,
  },
  {
    name: "looked up before the write has landed",
    patches: [
      {
        file: "client/settle.ts",
        from: "(isOwnWord(failure) || !failure.uncertain)",
        to: "true",
      },
    ],
    within: 300,
  },
  {
    name: "the lease is not checked",
    patches: [{ file: "client/session.ts", from: "this.#options.mayWrite?.()", to: "undefined" }],
    within: 300,
  },
  {
    name: "a limiter of each process",
    patches: [{ file: "fleet/bench.ts", from: "limit: rateLimit, rates,", to: "limit: rateLimit," }],
    within: 300,
  },
  {
    name: "a chunk is given twice",
    patches: [
      {
        file: "fleet/crew.ts",
        from: "this.#given.set(part, { index, chunk, text, looked: performance.now() });",
        to: `for (const each of [part, part + "b"]) this.#given.set(each, { index, chunk, text, looked: performance.now() });
    if (!this.#alone) await this.#tried(() => this.#queue.add(new Map([[this.#jobOf(part + "b"), text.replace(part, part + "b")]])));`,
      },
    ],
    within: 300,
  },
  {
    name: "what an earlier run left in flight is not waited for",
    patches: [{ file: "apply/looked-up.ts", from: "!addresses.has(change.address)", to: "true" }],
    within: 2000,
  },
  {
    name: "a run waits for chunks that its workers dropped",
    patches: [{ file: "fleet/crew.ts", from: "this.#dropped.has(part) || ", to: "" }],
    within: 2000,
  },
  {
    name: "a wave begins although the one before it failed",
    patches: [
      {
        file: "apply/waves.ts",
        from: "const why = halted ?? options.stopped();",
        to: "const why = options.stopped();",
      },
    ],
    within: 300,
  },
  {
    name: "a worker that cannot join again ends with an internal error",
    patches: [{ file: "fleet/bench.ts", from: "membership.catch(() => undefined)", to: "membership" }],
    within: 300,
  },
];
