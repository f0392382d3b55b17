import type { Patch } from "./build.ts";

/** A bug that is planted on purpose, to see that the simulation finds it. */
export interface Mutation {
  readonly name: string;
  /** Seeds within which it is found. */
  readonly within: number;
  readonly patch: Patch;
}

const bugs: readonly (readonly [name: string, within: number, file: string, from: string, to: string])[] = [
  [
    "looked up before the write has landed",
    600,
    "client/client.ts",
    "(isFinalResponse(failure) || !failure.uncertain)",
    "true",
  ],
  ["the lease is not checked", 300, "client/send-attempt.ts", "options.mayWrite?.()", "undefined"],
  ["a limiter of each process", 150, "run/connection.ts", "(kept ?? ratesAt(env))", "ratesAt({})"],
  [
    "what an earlier run left in flight is not waited for",
    2000,
    "run/apply/apply.ts",
    "!addresses.has(change.address)",
    "true",
  ],
  [
    "a wave begins although the one before it failed",
    2000,
    "run/apply/waves.ts",
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
