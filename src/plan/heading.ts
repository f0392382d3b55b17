import { counted, firstFew, joinedByAnd, shellWord, thousands } from "../base/text-format.ts";
import { type Owner, ownerOfName, owners } from "../model/owner.ts";
import type { Action } from "../model/types.ts";
import type { ActionCounts, Plan, PlanScope, Summary } from "./plan.ts";

/** Describes the scope of a plan: `shard 1/8, --target payments/*`; empty for everything. */
export function scopeText({ targets = [], excludes = [], shards = [], since, projects, of }: PlanScope = {}): string {
  const counts =
    projects === undefined
      ? ""
      : ` (${of === undefined ? "" : `${thousands(projects)} of `}${counted(of ?? projects, "project")})`;
  const words = [
    ...(since === undefined ? [] : [`--since ${since.slice(0, 12)}${counts}`]),
    ...shards.map((shard) => `shard ${shard}`),
    ...targets.map((glob) => `--target ${glob}`),
    ...excludes.map((glob) => `--exclude ${glob}`),
  ];
  return words.join(", ");
}

/** `a1b2c3d4e5f6, with uncommitted changes`; empty if no commit is known. */
export function commitText({ commit, uncommitted }: Plan["manifests"], digits = 12): string {
  return commit === null ? "" : `${commit.slice(0, digits)}${uncommitted ? ", with uncommitted changes" : ""}`;
}

/** Shortens an ISO time to the minute; returns other texts unchanged. */
export function minuteText(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*Z$/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
}

/** One line for each wave: `wave 1 of 3: payments/api (2 changes), applied`. */
export function waveLines({ summary, resource_changes: changes }: Plan): readonly string[] {
  const waves = summary.waves ?? [];
  return waves.map(({ wave, projects, changes: count, status, reason }) => {
    const names = [...new Set(changes.filter((change) => change.wave === wave).map(({ project }) => project))];
    // A merged plan may contain the number of projects without all names.
    const total = names.length === projects ? namesCounted(names) : counted(projects, "project");
    const who = projects > mostNamed ? total : firstFew(names.map(shellWord), mostNamed);
    const end = status === "planned" ? "" : `, ${status}${reason === undefined ? "" : `: ${reason}`}`;
    return `wave ${wave} of ${waves.length}: ${who} (${counted(count, "change")})${end}`;
  });
}

const mostNamed = 3;

type OwnerCounts = Pick<Summary, "projects" | "groups" | "instance">;

/** `214 projects`, `3 groups`, `217 projects and groups (214 and 3)`, or `2 groups and instance (1 and 1)`. */
export function ownersCounted({ projects, groups = 0, instance = 0 }: OwnerCounts): string {
  const counts = { project: projects - groups - instance, group: groups, instance };
  const present = owners.filter((owner) => counts[owner] > 0);
  const [only = "project", ...others] = present;
  if (others.length === 0) return counted(counts[only], only);
  const words = present.map((owner) => (owner === "instance" ? owner : `${owner}s`));
  return `${thousands(projects)} ${joinedByAnd(words)} (${joinedByAnd(present.map((owner) => thousands(counts[owner])))})`;
}

export function countOwners(names: readonly string[]): OwnerCounts {
  const count = (owner: Owner) => names.filter((name) => ownerOfName(name) === owner).length;
  const [groups, instance] = [count("group"), count("instance")];
  return { projects: names.length, ...(groups > 0 && { groups }), ...(instance > 0 && { instance }) };
}

/** `7 archived projects skipped`; empty if there are none. */
export function archivedText({ archived = 0 }: Pick<Summary, "archived">): string {
  return archived > 0 ? `${counted(archived, "archived project")} skipped` : "";
}

export function namesCounted(names: readonly string[]): string {
  return ownersCounted(countOwners(names));
}

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
