import type { FastForwarded } from "../git/fast-forward.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Request } from "../reconcile/request.ts";
import type { Lease } from "../state/lease.ts";
import type { Holder } from "../state/lease-store.ts";
import type { WorkspaceState } from "../state/state.ts";
import type { ApplyMode } from "../state/watch-memory.ts";
import type { CheckEnd } from "./check.ts";
import type { Clock, WakeSignal } from "./clock.ts";
import type { Schedule } from "./schedule.ts";

/** What a watcher is to do. */
export interface WatchOptions {
  /** How each check is made: folder, environment, limits, and the signal that ends the watcher. */
  readonly request: Request;
  readonly schedule: Schedule;
  readonly apply: ApplyMode;
  /** Checks in a row that must see drift before people are told. */
  readonly grace: number;
  /** Ends after so many checks; left out: never. */
  readonly checks?: number | undefined;
  /** Brings the checkout up to date; left out: it stays as it is. */
  readonly follow?: Follow | undefined;
  readonly clock: Clock;
  readonly status: WatchStatus;
  readonly host: WatchHost;
}

interface Follow {
  /** Milliseconds between two polls of the remote. */
  readonly every: number;
  /** Within seconds, however slow the remote is. */
  readonly forward: () => Promise<FastForwarded>;
  /** Whether the way from one commit to another changed a file of the workspace. */
  readonly touches: (from: string, to: string) => Promise<boolean>;
}

/** Whom a watcher tells what it does. */
interface WatchHost {
  readonly say: (sentence: string) => void;
  readonly warn: (sentence: string) => void;
  readonly checked: (end: CheckEnd) => void;
  /** Runs a check, and its apply, as a trace where traces go anywhere. */
  readonly traced: (check: () => Promise<CheckEnd>) => Promise<CheckEnd>;
}

/** How a watcher fares, for those who ask it, and how they wake it. */
export interface WatchStatus {
  /** Who watches instead; undefined while this one does. */
  standby: Holder | undefined;
  /** When the next check is overdue, in milliseconds since 1970; undefined before the first one is planned. */
  late: number | undefined;
  /** When a push that concerns the workspace is to be checked, and the commit that it brought where it said so. */
  push: { readonly at: number; readonly commit?: string } | undefined;
  /** The last commit that was checked without an error; undefined while this process is not the one that checks. */
  checked: () => string | undefined;
  /** Wakes the watcher where it waits. */
  wake: () => void;
}

export function newStatus(): WatchStatus {
  return { standby: undefined, late: undefined, push: undefined, checked: () => undefined, wake: () => {} };
}

/** A watcher whose turn it is. */
export interface Leadership {
  readonly options: WatchOptions;
  readonly bell: WakeSignal;
  readonly state: WorkspaceState;
  readonly lease: Lease;
  /** The settings of the workspace; where they are broken, those of before. */
  readonly settings: () => Workspace;
}
