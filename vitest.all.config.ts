import { defineConfig } from "vitest/config";
import { shared } from "./vitest.config.ts";

/**
 * `npm run test:all`: what `npm test` leaves out. Long tests (`*.long.test.ts`) run as the others do; clients that we did
 * not write run one after another, and are installed first.
 */
export default defineConfig({
  test: {
    sequence: shared.sequence,
    projects: [
      {
        test: {
          ...shared,
          name: "long",
          include: ["test/**/*.long.test.ts"],
          sequence: { ...shared.sequence, groupOrder: 0 },
        },
      },
      {
        test: {
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          globalSetup: ["test/clients/setup.ts"],
          maxWorkers: 1,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
