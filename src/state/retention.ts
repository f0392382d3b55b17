const day = 24 * 3600 * 1000;

/** Milliseconds for which things are kept; applies and their journals are kept until the user removes them. */
export const kept = {
  /** Summaries of runs that only read, {@link mostLooks} of them at most. */
  looks: 90 * day,
  /** Saved plans and their signatures. */
  plans: 30 * day,
  /** Unused rates: an expired one is the same as a new one. */
  rates: day,
} as const;

/** 90 days of a check every five minutes. */
export const mostLooks = 26_000;

/** Commands whose summaries are removed after a while. */
export const looks = ["plan", "drift", "watch"] as const;
