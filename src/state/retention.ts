const day = 24 * 3600 * 1000;

/** Milliseconds for which things are kept; an apply and its journal stay until somebody removes them. */
export const kept = {
  /** Summaries of runs that only looked; of those no more than {@link mostLooks}. */
  looks: 90 * day,
  /** Saved plans and their signatures. */
  plans: 30 * day,
  /** Rates that nobody asks for: one whose time is over says nothing that a new one would not. */
  rates: day,
} as const;

/** As many as 90 days of a look every five minutes. */
export const mostLooks = 26_000;

/** Commands whose summaries are removed after a while. */
export const looks = ["plan", "drift", "watch"] as const;
