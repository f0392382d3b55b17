import { createHash } from "node:crypto";
import { compareTexts } from "../base/text-format.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { fullPathOf } from "../model/identity.ts";
import { irreversibleOf } from "../model/kinds.ts";
import { kindWord } from "../model/owner.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Call, Change, Place, Problem, Project } from "../model/types.ts";
import { referencesWithin } from "../model/values.ts";
import type { Difference } from "./diff/diff.ts";
import type { Objection } from "./guards.ts";
import { countOwners } from "./heading.ts";
import { addOverrides } from "./overrides.ts";
import {
  actionOf,
  countsOf,
  effectsOf,
  formatVersion,
  inheritedIn,
  listedActions,
  notesOf,
  notificationsIn,
  type Plan,
  type PlannedCall,
  type PlannedChange,
  type PlanScope,
  planDigest,
  type Summary,
  writesOf,
} from "./plan.ts";
import { bareCallsOf, itemRequestsOf } from "./requests.ts";
import { changeRerouting } from "./routes/listeners.ts";

export interface PlanInput {
  readonly version: string;
  readonly createdAt: string;
  readonly url: string;
  readonly manifests: Plan["manifests"];
  readonly scope?: PlanScope;
  readonly differences: readonly Difference[];
  /** Projects with their IDs and paths, as far as known. */
  readonly projects?: readonly Project[];
  readonly archived?: number;
  /** The line that sets the value of a change, if that is not the line of its resource. */
  readonly settingLine?: (change: Change) => Place | undefined;
  /** Storage moves, which belong to no project. */
  readonly moves?: readonly Change[];
  readonly objections: readonly Objection[];
  readonly problems: readonly Problem[];
  readonly reads: number;
  /** The catalogue; default: the specification's own names. */
  readonly catalogue?: Catalogue;
}

/** Builds the plan document: sorted, and equal for equal input except for `created_at`. */
export function planOf(input: PlanInput): Plan {
  const changes = [...input.differences.flatMap((difference) => difference.changes), ...(input.moves ?? [])];
  const { catalogue = catalogueOf() } = input;
  const changed = new Set(changes.map(({ project }) => project));
  const projects = new Map(input.projects?.filter(({ name }) => changed.has(name)).map((each) => [each.name, each]));
  const planned = changes
    .map((change) => {
      const line = input.settingLine?.(change);
      return { ...plannedChange(change, catalogue, projects.get(change.project)), ...(line && { set_at: line }) };
    })
    .sort(byAddress);
  const overrides = addOverrides(input.differences.flatMap(({ overrides: counts = [] }) => counts));
  const rest = {
    format_version: formatVersion,
    evenkeel_version: input.version,
    server: { url: input.url },
    manifests: input.manifests,
    ...(input.scope && { scope: input.scope }),
    summary: {
      ...summarize(input, planned),
      overridden: overrides.reduce((sum, { projects: count }) => sum + count, 0),
    },
    resource_changes: planned,
    unverified: input.differences.flatMap((difference) => difference.unverified).sort(byAddress),
    ...inheritedIn(input.differences.flatMap(({ inherited = [] }) => inherited)),
    overrides,
    objections: input.objections,
    ...bySeverity(input.problems),
  } as const;
  return { ...rest, digest: planDigest(rest), created_at: input.createdAt };
}

function summarize(input: PlanInput, changes: readonly PlannedChange[]): Summary {
  const sum = (of: (difference: Difference) => number) => input.differences.reduce((total, d) => total + of(d), 0);
  return {
    ...countOwners(input.differences.map(({ project }) => project)),
    ...(input.archived && { archived: input.archived }),
    changed_projects: input.differences.filter((difference) => difference.changes.length > 0).length,
    live: sum((difference) => difference.live),
    ...countsOf(changes.map(actionOf)),
    ...effectsOf(changes),
    unmanaged: sum((difference) => difference.unmanaged),
    unverified: sum((difference) => difference.unverified.reduce((n, { fields }) => n + fields.length, 0)),
    reads: input.reads,
    writes: writesOf(changes),
  };
}

export function plannedChange(change: Change, catalogue: Catalogue, named?: Project): PlannedChange {
  const { address, project, kind, key, action, before, after, live, liveDigest } = change;
  const [call, next] = bareCallsOf(change, catalogue);
  const items = itemRequestsOf(change, catalogue);
  const secret = Object.entries(after ?? {}).filter(([, value]) => referencesWithin(value).length > 0);
  const rerouting = changeRerouting(change, catalogue);
  const notes = notesOf(change, live?.inherited, rerouting, irreversibleOf(catalogue, change));
  const path = named && fullPathOf(named);
  return {
    address,
    project,
    ...(named?.id !== undefined && { project_id: named.id }),
    ...(path !== undefined && path !== named?.name && { project_path: path }),
    kind: kindWord(kind),
    key,
    change: {
      actions: listedActions(action),
      before,
      after,
      after_sensitive: Object.fromEntries(secret.map(([name]) => [name, true as const])),
    },
    live: live && liveDigest ? { updated_at: live.updatedAt ?? null, digest: liveDigest } : null,
    action_reason: change.policyEffect ? `${change.reason}, ${change.policyEffect}` : change.reason,
    cause: change.cause,
    ...(change.resend && { resend: true }),
    ...(Object.keys(change.lookedUp ?? {}).length > 0 && { looked_up: change.lookedUp }),
    ...(change.origin.reason !== undefined && { policy_reason: change.origin.reason }),
    ...(change.policyEffect && { policy_effect: change.policyEffect }),
    ...(notes.length > 0 && { notes }),
    ...notificationsIn(rerouting),
    source: change.origin.place(),
    ...(call.before && { before_call: plannedCall(call.before) }),
    call: plannedCall(call),
    ...(next && { next_call: plannedCall(next) }),
    ...(items.length > 0 && { item_calls: items.map((each) => plannedCall(each.call)) }),
  };
}

function plannedCall({ method, path }: Call): PlannedCall {
  return { method, path };
}

function byAddress(a: { readonly address: string }, b: { readonly address: string }): number {
  return compareTexts(a.address, b.address);
}

/** One of several parts of a fleet, from 1. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** Assigns projects by a hash of their name, so that a project stays in its shard when others are added or removed. */
export function shardOf({ index, total }: Shard): (project: string) => boolean {
  return (project) => {
    const hash = createHash("sha256").update(project.toLowerCase()).digest();
    return (hash.readUInt32BE(0) % total) + 1 === index;
  };
}
