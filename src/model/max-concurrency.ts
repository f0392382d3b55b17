/** The highest number of concurrent requests. In a file of its own, because help loads it without manifests. */
export const maxConcurrency = 128;
