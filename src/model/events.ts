export type PipelineStatus = "success" | "failed";

/** An event type (docs/api.md#events). Its parameter is the type with the suffix `_events`. */
export interface EventKind {
  readonly many: string;
  /** True if it belongs to a branch, so that branch filters apply. */
  readonly onBranch?: boolean;
  readonly statuses?: readonly PipelineStatus[];
}

/**
 * The effect of a parameter on the routing of notifications (`x-route` in the schema). `unset` is the default of servers
 * if the parameter was never set.
 *
 * - `flag`: enables an event. `switch`: additionally enables an action for these events.
 * - `limit`: only events with this result. `branches`: only branches of these kinds, by value. `branch-names`: only these.
 * - `channel`: the channel of an event or, without an event, the default channel.
 * - `recipients`: the recipients of every event.
 */
export type RouteColumn =
  | { readonly role: "flag"; readonly event: string; readonly unset: boolean }
  | { readonly role: "switch"; readonly events: readonly string[]; readonly unset: boolean }
  | { readonly role: "limit"; readonly event: string; readonly to: PipelineStatus; readonly unset: boolean }
  | { readonly role: "branches"; readonly reach: Readonly<Record<string, readonly BranchKind[]>> }
  | { readonly role: "branch-names" }
  | { readonly role: "channel"; readonly event?: string }
  | { readonly role: "recipients" };

/** The kinds of branches that notifications distinguish. A protected default branch is of both kinds. */
export type BranchKind = "default" | "protected" | "other";

export const branchKinds: readonly BranchKind[] = ["default", "protected", "other"];
