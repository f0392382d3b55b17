import type { Patch } from "./build.ts";

/** A bug that is planted on purpose, to see that the simulation finds it. */
export interface Mutation {
  readonly name: string;
  /** Seeds within which it is found. */
  readonly within: number;
  readonly patch: Patch;
}

const addChunk = "this.#outstanding.set(part, { index, chunk, text, checked: performance.now() });";

const addChunkTwice = `const again = part + "b";
    const twice = key.sign(["work"], JSON.stringify({ version, made, part: again, traceparent, chunk, ...common }));
    ${addChunk}
    this.#outstanding.set(again, { index, chunk, text: twice, checked: performance.now() });
    if (!this.#isAlone) await this.#tried(() => this.#queue.add(new Map([[this.#jobOf(again), twice]])));`;

const bugs: readonly (readonly [name: string, within: number, file: string, from: string, to: string])[] = [
  [
    "no intent",
    150,
    "workers/intents.ts",
    "await store.claim(token, change.address, sender, grace, sending.sealed(change))",
    "({ mine: true })",
  ],
  [
    "looked up before the write has landed",
    600,
    "client/confirm-write.ts",
    "(isOwnWord(failure) || !failure.uncertain)",
    "true",
  ],
  ["the lease is not checked", 300, "client/send-attempt.ts", "options.mayWrite?.()", "undefined"],
  ["a limiter of each process", 150, "workers/worker-connection.ts", "limit: rateLimit, rates,", "limit: rateLimit,"],
  ["a chunk is given twice", 150, "workers/dispatch.ts", addChunk, addChunkTwice],
  [
    "what an earlier run left in flight is not waited for",
    2000,
    "apply/earlier-writes.ts",
    "!addresses.has(change.address)",
    "true",
  ],
  ["a run waits for chunks that its workers dropped", 2000, "workers/dispatch.ts", "this.#dropped.has(part) || ", ""],
  [
    "a wave begins although the one before it failed",
    600,
    "apply/waves.ts",
    "halted ?? options.stopped()",
    "options.stopped()",
  ],
];

/** The seeds that each needs are those of `npm run simulate -- --bugs`. */
export const mutations = bugs.map(
  ([name, within, file, from, to]): Mutation => ({
    name,
    within,
    patch: { file, from, to },
  }),
);
