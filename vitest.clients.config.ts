import { defineConfig } from "vitest/config";

/** Clients that we did not write, against the embedded server: npm run test:clients. */
export default defineConfig({
  test: {
    include: ["test/clients/**/*.test.ts"],
    globalSetup: ["test/clients/setup.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    // Clients are installed first.
    hookTimeout: 300_000,
  },
});
