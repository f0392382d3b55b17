import { createRequire } from "node:module";
import type { buildConnector, Pool } from "undici";

/** What requests need of undici. */
export interface HttpLibrary {
  readonly Pool: typeof Pool;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads what requests need of undici. Its index also loads fetch, mocks and caches, which takes three times as long as these
 * parts; a version that keeps them elsewhere is loaded as a whole.
 */
export function httpLibrary(load: (name: string) => unknown = createRequire(import.meta.url)): HttpLibrary {
  try {
    const parts = { Pool: load("undici/lib/dispatcher/pool.js"), buildConnector: load("undici/lib/core/connect.js") };
    return parts as HttpLibrary;
  } catch {
    return load("undici") as HttpLibrary;
  }
}
