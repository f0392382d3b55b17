import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/** Of the order of tests and of what property tests make up. */
const seed = Number(process.env.EVENKEEL_TEST_SEED || Date.now() % 1_000_000);

/** What all tests of the program share. */
export const shared = {
  globalSetup: ["test/build.ts"],
  setupFiles: ["test/support/setup.ts"],
  provide: { seed },
  sequence: { shuffle: { tests: true, files: false }, seed, sequencer: LongestFirst },
  // A process loads the program once, and runs file after file; test/support/setup.ts keeps them apart.
  isolate: false,
  // One more than there are cores: much of what is tested waits.
  maxWorkers: availableParallelism() + 1,
  // A time-out tells a test that hangs, not a machine that is busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 280_000, interval: 5 } },
};

/** Every test of the program; `npm test` leaves out the long ones. */
export default defineConfig({
  test: { ...shared, include: ["test/**/*.test.ts"], exclude: ["test/clients/**"] },
});
