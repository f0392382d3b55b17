import { digestOf } from "../base/json.ts";
import { compareTexts } from "../base/text-format.ts";
import { kindIn } from "../model/owner.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { removes, turnsOff, type Visible } from "../model/removal-changes.ts";
import type {
  Action,
  Call,
  CallAction,
  Cause,
  Change,
  Fields,
  Kind,
  LookUpResults,
  Outcome,
  Place,
  PolicyEffect,
} from "../model/types.ts";
import type { Unverified } from "./diff/diff.ts";
import type { Objection } from "./guards.ts";
import type { OverrideCount } from "./overrides.ts";
import type { Rerouting } from "./routes/audience.ts";

/** The document of `plan --report json` and `--out` (docs/safety.md, schemas/plan.schema.json). Contains no secret. */
export interface Plan {
  readonly format_version: typeof formatVersion;
  readonly evenkeel_version: string;
  readonly created_at: string;
  /** Digest of everything else but `created_at`. */
  readonly digest: string;
  readonly server: { readonly url: string };
  readonly manifests: {
    readonly digest: string;
    readonly commit: string | null;
    /** True if manifests have uncommitted changes. */
    readonly uncommitted?: true;
  };
  /** The limits of the run; omitted if it covered everything. */
  readonly scope?: PlanScope;
  readonly summary: Summary;
  readonly resource_changes: readonly PlannedChange[];
  readonly unverified: readonly Unverified[];
  /** Declared resources that are inherited in sync from a group above, by address; omitted if empty. */
  readonly inherited?: readonly string[];
  /** Entries of policies with a wildcard that are overridden by a different value. Missing in plans of older versions. */
  readonly overrides?: readonly OverrideCount[];
  readonly objections: readonly Objection[];
  readonly problems: readonly ReportedProblem[];
  readonly warnings: readonly ReportedProblem[];
}

export const formatVersion = "1.0";

/** The part of a fleet that a plan covers. */
export interface PlanScope {
  /** `--target`, sorted. */
  readonly targets?: readonly string[];
  /** `--exclude`, sorted. */
  readonly excludes?: readonly string[];
  /** `--shard`, such as `1/8`; several in a merged plan. */
  readonly shards?: readonly string[];
  /** `--since`, as a full commit ID: only projects whose desired state differs from there. */
  readonly since?: string;
  /** Number of these projects. */
  readonly projects?: number;
  /** Number of all selected projects; undefined if unknown. */
  readonly of?: number;
}

export interface Summary extends ActionCounts {
  /** Projects, groups and the instance. */
  readonly projects: number;
  /** Number of groups among them; omitted if 0. */
  readonly groups?: number;
  /** 1 if the instance is among them. */
  readonly instance?: number;
  /** Number of skipped archived projects; omitted if 0. */
  readonly archived?: number;
  readonly changed_projects: number;
  /** Number of live resources that were read: the base of a guard's percentage. */
  readonly live: number;
  /** Changes that make a policy stricter, and laxer. */
  readonly tightened: number;
  readonly loosened: number;
  /** Changes after which a receiver gets fewer events. */
  readonly lost_notifications: number;
  readonly unmanaged: number;
  readonly unverified: number;
  /** The sum of `projects` of the plan's overrides. Missing in plans of older versions. */
  readonly overridden?: number;
  readonly reads: number;
  readonly writes: number;
  readonly outcomes?: Readonly<Record<Outcome["status"], number>>;
  /** The waves of an apply, in order; omitted if there are none. */
  readonly waves?: readonly WaveCount[];
}

export interface WaveCount {
  readonly wave: number;
  readonly projects: number;
  readonly changes: number;
  readonly status: "planned" | "applied" | "stopped" | "not started";
  /** The reason why the run ended in this wave. */
  readonly reason?: string;
}

export interface PlannedChange {
  readonly address: string;
  /** Ends in a slash for a group. */
  readonly project: string;
  /** Omitted if unknown. */
  readonly project_id?: number;
  /** The full path reported by the server, if it differs from `project`. */
  readonly project_path?: string;
  /** The word in its address. */
  readonly kind: Kind;
  readonly key: string;
  readonly change: {
    /** A replacement is a deletion and a creation. */
    readonly actions: readonly [CallAction] | typeof replaceActions;
    readonly before: Fields | null;
    readonly after: Fields | null;
    readonly after_sensitive: Readonly<Record<string, true>>;
  };
  readonly live: { readonly updated_at: string | null; readonly digest: string } | null;
  readonly action_reason: string;
  /** Missing in plans of older versions. */
  readonly cause?: Cause;
  /** ISO 8601: when the difference was first seen. Only in drift, if the state knows it. */
  readonly differs_since?: string;
  /** Author and time (ISO 8601) of the change on the server. Only in drift, if the server's audit events contain it. */
  readonly changed_by?: ChangedBy;
  /** Planned only because of `--resend`, so that a saved plan sends it again. */
  readonly resend?: true;
  /** Results of look-ups; an address represents a value known after that resource is written. Omitted without look-ups. */
  readonly looked_up?: LookUpResults | undefined;
  /** The `reason` of the deciding policy; omitted if it gives none. */
  readonly policy_reason?: string;
  /** The effect on a policy; omitted for other kinds and if the strictness is unchanged. */
  readonly policy_effect?: PolicyEffect;
  /** Remarks for reviewers, including `lost_notifications`; omitted if empty. */
  readonly notes?: readonly string[];
  /** Events that a receiver loses and no one else gets; omitted if none are known. */
  readonly lost_notifications?: readonly string[];
  /** Events that move from one receiver to another; omitted if none are known. */
  readonly moved_notifications?: readonly string[];
  readonly source: Place;
  /** The line that sets the value, such as that of a variable or of another policy; omitted if it is `source`. */
  readonly set_at?: Place;
  readonly before_call?: PlannedCall;
  readonly call: PlannedCall;
  /** The second request of a replacement. */
  readonly next_call?: PlannedCall;
  /** Requests for items of its fields, sent last; omitted if there are none. */
  readonly item_calls?: readonly PlannedCall[];
  /** Its wave, from 1; only in an apply with waves. */
  readonly wave?: number;
  readonly outcome?: Outcome;
}

/** The author of a change on the server, and its time in ISO 8601. */
export interface ChangedBy {
  readonly author: string;
  readonly at: string;
}

/** A request of a plan, without its parameters. */
export type PlannedCall = Pick<Call, "method" | "path">;

const replaceActions = ["delete", "create"] as const;

export function listedActions(action: Action): PlannedChange["change"]["actions"] {
  return action === "replace" ? replaceActions : [action];
}

export function actionOf({ change: { actions } }: Pick<PlannedChange, "change">): Action {
  return actions.length > 1 ? "replace" : actions[0];
}

/** Computes the digest of a plan; it differs from the recorded one if the plan was edited. */
export function planDigest(plan: Omit<Plan, "digest" | "created_at"> & Partial<Plan>): string {
  const { digest: _, created_at: __, ...rest } = plan;
  return digestOf(rest);
}

/** The changes of a plan that remove a resource, or people whom it lets in. */
export function removalsOf({ resource_changes }: Pick<Plan, "resource_changes">): readonly PlannedChange[] {
  return resource_changes.filter((planned) => removes(visibleOf(planned)));
}

/** Restores the change of the diff from a planned change. */
export function visibleOf(
  planned: Pick<PlannedChange, "address" | "project" | "kind" | "key" | "change" | "policy_effect">,
) {
  const { address, key, change, policy_effect } = planned;
  const { before, after } = change;
  return {
    address,
    kind: kindIn(planned),
    key,
    action: actionOf(planned),
    before,
    after,
    ...(policy_effect && { policyEffect: policy_effect }),
  };
}

export function inheritedIn(addresses: readonly string[]): Pick<Plan, "inherited"> {
  return addresses.length > 0 ? { inherited: [...new Set(addresses)].sort(compareTexts) } : {};
}

export function writesOf(changes: readonly PlannedChange[]): number {
  return changes.reduce(
    (sum, { change, before_call, item_calls = [] }) =>
      sum + change.actions.length + (before_call ? 1 : 0) + item_calls.length,
    0,
  );
}

/** Counts the effects of changes beyond their actions. */
export function effectsOf(changes: readonly PlannedChange[]) {
  const count = (is: (planned: PlannedChange) => boolean) => changes.filter(is).length;
  return {
    tightened: count(({ policy_effect }) => policy_effect === "tightened"),
    loosened: count(({ policy_effect }) => policy_effect === "loosened"),
    lost_notifications: count(({ lost_notifications = [] }) => lost_notifications.length > 0),
  };
}

export function notificationsIn({ lost, moved }: Rerouting) {
  return {
    ...(lost.length > 0 && { lost_notifications: lost }),
    ...(moved.length > 0 && { moved_notifications: moved }),
  };
}

/** The number of changes per action; replacements only if there are any. */
export type ActionCounts = Readonly<Record<CallAction, number>> & { readonly replace?: number };

export function countsOf(actions: readonly Action[]): ActionCounts {
  const count = (action: Action) => actions.filter((each) => each === action).length;
  const replaced = count("replace");
  return {
    create: count("create"),
    update: count("update"),
    ...(replaced > 0 && { replace: replaced }),
    disable: count("disable"),
    delete: count("delete"),
  };
}

/** The remarks on a change; lost and moved notifications last. */
export function notesOf(
  change: Visible & Pick<Change, "resets">,
  inherited: true | undefined,
  rerouting: Rerouting,
  irreversible?: string,
): readonly string[] {
  return [
    // Among other updates, this one would look harmless.
    ...(change.action === "update" && turnsOff(change)
      ? [`${change.key} is turned off by this update, which counts as a disable for the guards`]
      : []),
    ...(change.action === "replace" ? [replaceNote] : []),
    ...(irreversible === undefined ? [] : [`cannot be undone: ${irreversible}`]),
    ...(change.resets ? [`what no policy declares gets the server's defaults: ${change.resets.join(", ")}`] : []),
    ...(change.action === "update" && inherited ? [inheritedNote] : []),
    ...reroutingNotes(rerouting),
  ];
}

export function reroutingNotes({ lost, moved }: Rerouting): readonly string[] {
  return [...lost, ...moved.map((move) => `notifications move: ${move}`)];
}

const replaceNote =
  "the server cannot change it: it is deleted and created again, which counts as a deletion for the guards";

const inheritedNote =
  "the group's settings apply, and a write changes nothing: disable inheritance for this project on the server first";
