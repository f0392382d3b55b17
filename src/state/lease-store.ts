/** Who wants the lease of a workspace. */
export interface Claim {
  readonly run: string;
  readonly who: string;
  readonly host: string;
  readonly pid: number;
  /** URL of the CI job. */
  readonly job?: string | undefined;
}

/** Proves to a state that a run holds the lease. `fence` grows with each holder. */
export interface LeaseToken {
  readonly run: string;
  readonly fence: number;
}

/** Who holds the lease of a workspace. Times are ISO 8601; without a deadline it is held until it is given back. */
export interface Holder extends Claim, LeaseToken {
  readonly since: string;
  readonly deadline?: string | undefined;
}

/** One lease of a workspace, which one run at a time may hold (docs/state.md). */
export interface Leases {
  /** Takes it for this many milliseconds if it is free or has expired; otherwise returns its holder. */
  readonly take: (claim: Claim, milliseconds: number) => Promise<LeaseToken | { readonly heldBy: Holder }>;
  /** Holds it for so many milliseconds from now; false where it has expired or is another's by now. */
  readonly renew: (token: LeaseToken, milliseconds: number) => Promise<boolean>;
  /** Milliseconds for which it is still held from now on; 0 where it is not. */
  readonly remaining: (token: LeaseToken) => Promise<number>;
  readonly giveBack: (token: LeaseToken) => Promise<void>;
  readonly holder: () => Promise<Holder | undefined>;
  /** Takes it away from a run; false where that run does not hold it. */
  readonly release: (run: string) => Promise<boolean>;
}
