/** Requests in flight at most where a workspace states no number: `concurrency: auto` (docs/fleets.md). */
export const maxConcurrency = 128;
