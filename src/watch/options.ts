import type { FastForwarded } from "../git/fast-forward.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Request } from "../run/request.ts";
import type { Lease } from "../state/lease.ts";
import type { Holder } from "../state/lease-store.ts";
import type { WorkspaceState } from "../state/state.ts";
import type { ApplyMode } from "../state/watch-memory.ts";
import type { CheckEnd } from "./check.ts";
import type { Clock, WakeSignal } from "./clock.ts";
import type { Schedule } from "./schedule.ts";

/** The options of a watcher. */
export interface WatchOptions {
  /** How each check is made: folder, environment, limits, and the signal that ends the watcher. */
  readonly request: Request;
  readonly schedule: Schedule;
  readonly apply: ApplyMode;
  /** Consecutive checks that must find drift before a notification is sent. */
  readonly grace: number;
  /** Ends after this many checks; unlimited if omitted. */
  readonly checks?: number | undefined;
  /** Fast-forwards the checkout; omitted: it is left unchanged. */
  readonly follow?: Follow | undefined;
  readonly clock: Clock;
  readonly status: WatchStatus;
  readonly host: WatchHost;
}

interface Follow {
  /** Milliseconds between two polls of the remote. */
  readonly every: number;
  /** Resolves within seconds, even if the remote is slow. */
  readonly forward: () => Promise<FastForwarded>;
  /** Whether a file of the workspace differs between two commits. */
  readonly touches: (from: string, to: string) => boolean;
}

/** Where a watcher reports what it does. */
interface WatchHost {
  readonly say: (sentence: string) => void;
  readonly warn: (sentence: string) => void;
  readonly checked: (end: CheckEnd) => void;
}

/** The health of a watcher, and how the HTTP service wakes it. */
export interface WatchStatus {
  /** The leader, while this watcher is on standby. */
  standby: Holder | undefined;
  /** When the next check is overdue, in milliseconds since 1970; undefined before the first one is scheduled. */
  late: number | undefined;
  /** When a push that affects the workspace will be checked, and its commit if the event names one. */
  push: { readonly at: number; readonly commit?: string } | undefined;
  /** The last commit that was checked without an error; undefined on standby. */
  checked: () => string | undefined;
  /** Wakes the watcher. */
  wake: () => void;
}

export function newStatus(): WatchStatus {
  return { standby: undefined, late: undefined, push: undefined, checked: () => undefined, wake: () => {} };
}

/** A watcher that holds the lease. */
export interface Leadership {
  readonly options: WatchOptions;
  readonly wakeSignal: WakeSignal;
  readonly state: WorkspaceState;
  readonly lease: Lease;
  /** The settings of the workspace; where they are broken, those of before. */
  readonly settings: () => Workspace;
}
