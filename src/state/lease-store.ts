import { UserError } from "../base/exit.ts";

/** A request for the lease of a workspace. */
export interface Claim {
  readonly run: string;
  readonly who: string;
  readonly host: string;
  readonly pid: number;
  /** URL of the CI job. */
  readonly job?: string | undefined;
}

/** Proves that a run holds the lease. `fence` increases with each holder. */
export interface LeaseToken {
  readonly run: string;
  readonly fence: number;
}

/** The holder of a lease. Times are ISO 8601. Without a deadline, the lease does not expire. */
export interface Holder extends Claim, LeaseToken {
  readonly since: string;
  readonly deadline?: string | undefined;
}

/** A lease of a workspace, which one run at a time can hold (docs/state.md). */
export interface Leases {
  /** Acquires it for this many milliseconds if it is free or expired; otherwise returns its holder. */
  readonly take: (claim: Claim, milliseconds: number) => Promise<LeaseToken | { readonly heldBy: Holder }>;
  /** Extends it to this many milliseconds from now; false if it was lost. */
  readonly renew: (token: LeaseToken, milliseconds: number) => Promise<boolean>;
  /** Milliseconds until it expires; 0 if it is not held. */
  readonly remaining: (token: LeaseToken) => Promise<number>;
  readonly giveBack: (token: LeaseToken) => Promise<void>;
  readonly holder: () => Promise<Holder | undefined>;
  /** Releases the lease of a run; false if that run does not hold it. */
  readonly release: (run: string) => Promise<boolean>;
}

/** Thrown if the lease of a run has expired or was taken over: nothing more is stored for that run. */
export class LeaseLostError extends UserError {
  constructor(run: string) {
    super(`run ${run} lost its lease: it was not renewed in time, or was released`);
    this.name = "LeaseLostError";
  }
}
