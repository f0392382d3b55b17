/** Maximum number of concurrent requests for `concurrency: auto`, the default (docs/fleets.md). */
export const maxConcurrency = 128;
