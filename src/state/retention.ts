const day = 24 * 3600 * 1000;

/** Milliseconds for which records are kept; applies and their journals are kept until the user deletes them. */
export const kept = {
  /** Summaries of {@link readCommands}, up to {@link maxReadRuns}. */
  readRuns: 90 * day,
  /** Saved plans and their signatures. */
  plans: 30 * day,
  /** Unused rates. */
  rates: day,
} as const;

/** 90 days of a check every five minutes. */
export const maxReadRuns = 26_000;

/** Commands that only read; their summaries expire. */
export const readCommands = ["plan", "drift", "watch"] as const;
