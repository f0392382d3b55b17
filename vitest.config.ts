import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Of the order of tests and of what property tests make up. */
const seed = Number(process.env.EVENKEEL_TEST_SEED || Date.now() % 1_000_000);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Other people's clients are installed for these: npm run test:clients.
    exclude: ["test/clients/**"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    provide: { seed },
    sequence: { shuffle: { tests: true, files: false }, seed },
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
