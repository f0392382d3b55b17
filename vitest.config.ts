import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/** Of the order of tests and of what property tests make up. */
const seed = Number(process.env.EVENKEEL_TEST_SEED || Date.now() % 1_000_000);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Other people's clients are installed for these: npm run test:clients.
    exclude: ["test/clients/**"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/support/setup.ts"],
    provide: { seed },
    sequence: { shuffle: { tests: true, files: false }, seed, sequencer: LongestFirst },
    // A process loads the program once, and runs file after file; test/support/setup.ts keeps them apart.
    isolate: false,
    // One more than there are cores: much of what is tested waits.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
