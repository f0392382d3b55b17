/** Requests in flight at most where a workspace states no number: `concurrency: auto` (contract 12). */
export const mostInFlight = 128;
