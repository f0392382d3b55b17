import type { Difference } from "../diff/diff.ts";
import { kinds } from "../model/kinds.ts";
import type { Change } from "../model/types.ts";

/** Why a plan may not be applied (contract 5). */
export interface Objection {
  readonly guard: "delete-percent" | "protected" | "storage";
  readonly message: string;
  readonly addresses: readonly string[];
}

export interface Guards {
  readonly deletePercent: number;
  readonly deleteMinimum: number;
}

/** What a person has allowed for this one run; nothing beyond it. */
export interface Waivers {
  /** `--allow-deletes N`: so many disables and deletes in all. */
  readonly deletes: number;
  /** `--allow-protected ADDRESS`. */
  readonly protected: ReadonlySet<string>;
}

export interface GuardRules {
  readonly guards: Guards;
  readonly isProtected: (address: string) => boolean;
}

/** Judges a whole plan before its first write. Empty: it may be applied by anyone. */
export function judgePlan(differences: readonly Difference[], rules: GuardRules): Objection[] {
  const removals = differences.map(({ changes }) => changes.filter(isRemoval));
  return [...judgeNumbers(differences, removals, rules), ...judgeProtected(removals.flat(), rules)];
}

/** The objections that stand in spite of the waivers, for a plan with so many disables and deletes. */
export function standing(
  objections: readonly Objection[],
  removals: { readonly disable: number; readonly delete: number },
  waivers: Waivers = { deletes: 0, protected: new Set() },
): Objection[] {
  const isWaived: Readonly<Record<Objection["guard"], (objection: Objection) => boolean>> = {
    "delete-percent": () => removals.disable + removals.delete <= waivers.deletes,
    protected: ({ addresses }) => addresses.every((address) => waivers.protected.has(address)),
    storage: () => false,
  };
  return objections.filter((objection) => !isWaived[objection.guard](objection));
}

/** Whether a change turns something off. */
export function isRemoval(change: Pick<Change, "kind" | "action">): boolean {
  return change.action === kinds[change.kind].removal;
}

/** The fleet's part of {@link judgePlan}, for a plan that was joined from parts and never judged as one. */
export function judgeFleet(
  changes: readonly Pick<Change, "address" | "kind" | "action">[],
  live: number,
  { guards }: GuardRules,
): Objection[] {
  const objection = judgeScope("the fleet", changes.filter(isRemoval), live, guards);
  return objection ? [objection] : [];
}

function judgeNumbers(differences: readonly Difference[], removals: Change[][], rules: GuardRules): Objection[] {
  const all = removals.flat();
  const live = differences.reduce((sum, difference) => sum + difference.live, 0);
  const fleet = judgeScope("the fleet", all, live, rules.guards);
  const projects = differences.map(({ project, live }, i) =>
    judgeScope(project, removals[i] ?? [], live, rules.guards),
  );
  const scopes = projects.length > 1 ? [fleet, ...projects] : [fleet];
  return scopes.flatMap((objection) => objection ?? []);
}

function judgeScope(
  scope: string,
  removals: readonly Pick<Change, "address">[],
  live: number,
  guards: Guards,
): Objection | undefined {
  const count = removals.length;
  if (count < Math.max(1, guards.deleteMinimum) || count * 100 <= live * guards.deletePercent) return undefined;
  const share = live === 0 ? "" : ` (${Math.round((count / live) * 100)} %)`;
  const message =
    `${count} of ${live} live integrations and licenses of ${scope}${share} would be disabled or deleted; ` +
    `guards.deletePercent allows ${guards.deletePercent} % from ${guards.deleteMinimum} on`;
  return { guard: "delete-percent", message, addresses: removals.map((change) => change.address) };
}

/** What would turn off a protected thing. */
export function judgeProtected(
  changes: readonly Pick<Change, "address" | "kind" | "action">[],
  { isProtected }: GuardRules,
): Objection[] {
  return changes
    .filter((change) => isRemoval(change) && isProtected(change.address))
    .map(({ address, action }) => ({
      guard: "protected",
      message: `${address} is protected and would be ${action}d`,
      addresses: [address],
    }));
}
