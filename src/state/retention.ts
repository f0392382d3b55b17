const day = 24 * 3600 * 1000;

/** Milliseconds for which things are kept; an apply and its journal stay until somebody removes them. */
export const kept = {
  /** Summaries of runs that only looked. */
  looks: 90 * day,
  /** Saved plans and their signatures. */
  plans: 30 * day,
} as const;

/** Commands whose summaries are removed after a while. */
export const looks = ["plan", "drift"] as const;
