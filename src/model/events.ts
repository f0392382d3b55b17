import type { BranchKind } from "./branch-kinds.ts";

/** How a pipeline ended. */
export type PipelineStatus = "success" | "failed";

/** A kind of event (docs/api.md#events). Its parameter is the kind with `_events` behind it. */
export interface EventKind {
  /** Several of them, in words. */
  readonly many: string;
  /** Whether it happens on a branch, so that a limit to branches applies. */
  readonly onBranch?: boolean;
  /** How it may end, where that makes a difference. */
  readonly statuses?: readonly PipelineStatus[];
}

/**
 * What a parameter decides about who is notified of an event (`x-route` in the schema). `unset` is what servers take it for
 * on an integration on which it was never set.
 *
 * - `flag`: turns an event on. `switch`: further turns on what these events lead to.
 * - `limit`: only events that end so. `branches`: only branches of these kinds, by value. `branch-names`: only these.
 * - `channel`: where an event goes; without an event, where those without a channel of their own go.
 * - `recipients`: whom every event goes to.
 */
export type RouteColumn =
  | { readonly role: "flag"; readonly event: string; readonly unset: boolean }
  | { readonly role: "switch"; readonly events: readonly string[]; readonly unset: boolean }
  | { readonly role: "limit"; readonly event: string; readonly to: PipelineStatus; readonly unset: boolean }
  | { readonly role: "branches"; readonly reach: Readonly<Record<string, readonly BranchKind[]>> }
  | { readonly role: "branch-names" }
  | { readonly role: "channel"; readonly event?: string }
  | { readonly role: "recipients" };
