import { digestOf } from "../base/json.ts";
import { compareTexts, thousands } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindIn } from "../model/owner.ts";
import { policyEffectOf } from "../model/policy-effect.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { turnsOff, type Visible } from "../model/removal-changes.ts";
import { isMove } from "../model/repository-kinds.ts";
import type {
  Action,
  Call,
  CallAction,
  Cause,
  Change,
  Fields,
  Kind,
  Outcome,
  Place,
  PolicyEffect,
} from "../model/types.ts";
import type { Unverified } from "./diff/diff.ts";
import type { Objection } from "./guards.ts";
import type { Rerouting } from "./routes/audience.ts";

/** What `plan --report json` prints and `--out` saves (docs/safety.md; `schemas/plan.schema.json`). Holds no secret. */
export interface Plan {
  readonly format_version: typeof formatVersion;
  readonly evenkeel_version: string;
  readonly created_at: string;
  /** Of everything else but `created_at`. */
  readonly digest: string;
  readonly server: { readonly url: string };
  readonly manifests: {
    readonly digest: string;
    readonly commit: string | null;
    /** The manifests are not all as the commit has them. */
    readonly uncommitted?: true;
  };
  /** What the run was limited to; omitted if it covered everything. */
  readonly scope?: PlanScope;
  readonly summary: Summary;
  readonly resource_changes: readonly PlannedChange[];
  readonly unverified: readonly Unverified[];
  /** Declared resources that are as declared because a group above has them so, by address; omitted if there are none. */
  readonly inherited?: readonly string[];
  readonly objections: readonly Objection[];
  readonly problems: readonly ReportedProblem[];
  readonly warnings: readonly ReportedProblem[];
}

export const formatVersion = "1.0";

/** The part of a fleet that a plan is about. */
export interface PlanScope {
  /** `--target`, sorted. */
  readonly targets?: readonly string[];
  /** `--shard`, such as `1/8`; several where plans were merged. */
  readonly shards?: readonly string[];
  /** `--since`, as a full commit ID: only projects whose desired state differs from there. */
  readonly since?: string;
  /** How many of them there are. */
  readonly projects?: number;
  /** How many policies select in all; left out where nobody knows. */
  readonly of?: number;
}

export interface Summary extends ActionCounts {
  /** Projects and groups. */
  readonly projects: number;
  /** How many of them are groups; omitted if none is. */
  readonly groups?: number;
  readonly changed_projects: number;
  /** Live resources that were read: the base of a guard's percentage. */
  readonly live: number;
  /** Changes that make a policy stricter, and laxer. */
  readonly tightened: number;
  readonly loosened: number;
  /** Changes after which a receiver gets fewer events. */
  readonly lost_notifications: number;
  readonly unmanaged: number;
  readonly unverified: number;
  readonly reads: number;
  readonly writes: number;
  readonly outcomes?: Readonly<Record<Outcome["status"], number>>;
  /** The waves of an apply, in order; omitted if there are none. */
  readonly waves?: readonly WaveCount[];
}

/** One wave of an apply, counted. */
export interface WaveCount {
  readonly wave: number;
  readonly projects: number;
  readonly changes: number;
  readonly status: "planned" | "applied" | "stopped" | "not started";
  /** Why the run ended in this wave. */
  readonly reason?: string;
}

export interface PlannedChange {
  readonly address: string;
  /** Of a group, with a slash at the end. */
  readonly project: string;
  /** Left out where it is not known. */
  readonly project_id?: number;
  /** The full path as the server says it, where `project` is not that. */
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
  /** Left out in plans of older versions. */
  readonly cause?: Cause;
  /** ISO 8601: since when it is known to differ. Only of drift, and where the state tells it. */
  readonly differs_since?: string;
  /** It is planned only because `--resend` asks for it, so that a saved plan asks for it again. */
  readonly resend?: true;
  /** The `reason` of the policy that decides; left out where it gives none. */
  readonly policy_reason?: string;
  /** What it does to a policy; left out where it is none, or stays as strict as it was. */
  readonly policy_effect?: PolicyEffect;
  /** What a reviewer should know of it, lost_notifications among them. Left out where there is nothing. */
  readonly notes?: readonly string[];
  /** Who will no longer receive which events, and no one else instead. Left out where none are known to be lost. */
  readonly lost_notifications?: readonly string[];
  /** From whom to whom events move. Left out where none are known to. */
  readonly moved_notifications?: readonly string[];
  readonly source: Place;
  /** The line that sets the value, such as that of a variable or of another policy; left out where that is `source`. */
  readonly set_at?: Place;
  readonly call: PlannedCall;
  /** The second request of a replacement. */
  readonly next_call?: PlannedCall;
  /** The wave that it belongs to, from 1; only of an apply in waves. */
  readonly wave?: number;
  readonly outcome?: Outcome;
}

/** A request of a plan, without its parameters. */
export type PlannedCall = Pick<Call, "method" | "path">;

const replaceActions = ["delete", "create"] as const;

/** An action as plans list it. */
export function listedActions(action: Action): PlannedChange["change"]["actions"] {
  return action === "replace" ? replaceActions : [action];
}

/** The action of a planned change. */
export function actionOf({ change: { actions } }: Pick<PlannedChange, "change">): Action {
  return actions.length > 1 ? "replace" : actions[0];
}

/** The digest that a plan should carry; it differs from the one it does carry where somebody has edited it. */
export function planDigest(plan: Omit<Plan, "digest" | "created_at"> & Partial<Plan>): string {
  const { digest: _, created_at: __, ...rest } = plan;
  return digestOf(rest);
}

/** The plan with all that its changes show taken anew from the changes themselves, whatever it says. */
export function recounted(plan: Plan, catalogue: Catalogue): Plan {
  const changes = plan.resource_changes.map(
    ({ policy_effect: said, lost_notifications: _, moved_notifications: __, ...planned }) => {
      const visible = visibleOf(planned);
      // Of a kind that only the workspace of the plan knows, nothing can be worked out; an apply does it there.
      const effect = policyEffectIn(catalogue.kinds.has(visible.kind) ? policyEffectOf(visible, catalogue) : said);
      return { ...planned, ...effect, ...notificationsIn(reroutingIn(planned.notes ?? [], visible)) };
    },
  );
  const actions = changes.map(actionOf);
  const summary = {
    ...plan.summary,
    changed_projects: new Set(changes.flatMap((change) => (isMove(change) ? [] : [change.project]))).size,
    ...countsOf(actions),
    ...effectsOf(changes),
    unverified: plan.unverified.reduce((total, { fields }) => total + fields.length, 0),
    writes: writesOf(changes),
  };
  return { ...plan, summary, resource_changes: changes };
}

/** The changes of a plan that turn something off or delete it. */
export function removalsOf({ resource_changes }: Pick<Plan, "resource_changes">): readonly PlannedChange[] {
  return resource_changes.filter((planned) => turnsOff(visibleOf(planned)));
}

/** What a planned change says of the thing itself, as the diff said it. */
export function visibleOf(planned: PlannedChange) {
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

/** The addresses of inherited resources as a part of a plan, sorted. */
export function inheritedIn(addresses: readonly string[]): Pick<Plan, "inherited"> {
  return addresses.length > 0 ? { inherited: [...new Set(addresses)].sort(compareTexts) } : {};
}

/** How many requests the changes of a plan are. */
export function writesOf(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { change }) => sum + change.actions.length, 0);
}

/** What changes do beyond their actions. */
export function effectsOf(changes: readonly PlannedChange[]) {
  const count = (is: (planned: PlannedChange) => boolean) => changes.filter(is).length;
  return {
    tightened: count(({ policy_effect }) => policy_effect === "tightened"),
    loosened: count(({ policy_effect }) => policy_effect === "loosened"),
    lost_notifications: count(({ lost_notifications = [] }) => lost_notifications.length > 0),
  };
}

/** Lost and moved notifications as a part of what a plan lists. */
export function notificationsIn({
  lost,
  moved,
}: Rerouting): Pick<PlannedChange, "lost_notifications" | "moved_notifications"> {
  return {
    ...(lost.length > 0 && { lost_notifications: lost }),
    ...(moved.length > 0 && { moved_notifications: moved }),
  };
}

/** What a change does to a policy, as a part of what a plan lists. */
export function policyEffectIn(policy_effect: PolicyEffect | undefined): Pick<PlannedChange, "policy_effect"> {
  return policy_effect ? { policy_effect } : {};
}

/** How many changes there are of each action; of replacements, only where there are any. */
type ActionCounts = Readonly<Record<CallAction, number>> & { readonly replace?: number };

/** How many changes there are of each action. */
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

/** How many changes there are in all. */
export function changeCount(counts: ActionCounts): number {
  return inOrder.reduce((sum, action) => sum + (counts[action] ?? 0), 0);
}

const inOrder: readonly Action[] = ["create", "update", "replace", "disable", "delete"];

/** The counts in words: `1 to create`. */
export function actionCountWords(counts: ActionCounts): readonly string[] {
  return inOrder.flatMap((action) => {
    const count = counts[action];
    return count === undefined ? [] : [`${thousands(count)} to ${action}`];
  });
}

/** What a reviewer should know of a change: lost and moved notifications last. */
export function notesOf(
  change: Visible & Pick<Change, "resets">,
  inherited: true | undefined,
  rerouting: Rerouting,
): readonly string[] {
  return [
    ...(change.action === "update" && turnsOff(change) ? [offNote(change)] : []),
    ...(change.action === "replace" ? [replaceNote] : []),
    ...(change.resets ? [`${resetNote}${change.resets.join(", ")}`] : []),
    ...(change.action === "update" && inherited ? [inheritedNote] : []),
    ...reroutingNotes(rerouting),
  ];
}

/** What the notes on a change tell of events that are lost or move. */
function reroutingIn(notes: readonly string[], change: Visible): Rerouting {
  const moved = notes.filter((note) => note.startsWith(moveNote)).map((note) => note.slice(moveNote.length));
  const others = notesOf(change, true, { lost: [], moved });
  return { lost: notes.filter((note) => !others.includes(note) && !note.startsWith(resetNote)), moved };
}

const moveNote = "notifications move: ";

/** Notes on events that are lost, and on those that move. */
export function reroutingNotes({ lost, moved }: Rerouting): readonly string[] {
  return [...lost, ...moved.map((move) => `${moveNote}${move}`)];
}

/** An update among others would look harmless. */
function offNote({ key }: Visible): string {
  return `${key} is turned off by this update, which counts as a disable for the guards`;
}

const replaceNote =
  "the server cannot change it: it is deleted and created again, which counts as a deletion for the guards";

const resetNote = "what no policy declares gets the server's defaults: ";

const inheritedNote =
  "the group's settings apply, and a write changes nothing: disable inheritance for this project on the server first";
