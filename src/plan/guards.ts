import { grouped } from "../base/grouped.ts";
import { commonForm, counted, firstFew, foldedAlike, joinedByAnd, thousands } from "../base/text-format.ts";
import { addressParts } from "../model/address.ts";
import { kindWord, ownerOfKind, pluralOwner } from "../model/owner.ts";
import { removes, turnsOff, type Visible } from "../model/removal-changes.ts";
import type { Change } from "../model/types.ts";
import type { Difference } from "./diff/diff.ts";

/** A reason not to apply a plan (docs/safety.md). */
export interface Objection {
  readonly guard: "delete-percent" | "protected" | "storage" | "loosening" | "approvals" | "rule";
  readonly message: string;
  readonly addresses: readonly string[];
  readonly name?: string;
  readonly approvals?: { readonly needed: number; readonly given: number };
  /** Waived for this run: it blocks nothing. */
  readonly waived?: true;
}

export interface Guards {
  readonly deletePercent: number;
  readonly deleteMinimum: number;
}

/** Exceptions for this run only. */
export interface Waivers {
  /** `--allow-deletes N`: at most this many resources disabled or deleted. */
  readonly deletes: number;
  /** `--allow-protected ADDRESS`: an address as in objections; case-insensitive. */
  readonly protected: ReadonlySet<string>;
}

export interface GuardRules {
  readonly guards: Guards;
  readonly isProtected: (address: string) => boolean;
}

/** Checks a whole plan before its first write. Returns an empty list if no guard objects. */
export function checkGuards(differences: readonly Difference[], rules: GuardRules): Objection[] {
  const removals = differences.map(({ changes }) => changes.filter(removes));
  return [...checkRemovalShares(differences, removals, rules), ...checkProtected(removals.flat(), rules)];
}

/** The objections that the waivers do not cover, for a plan with this number of removals. */
export function unwaivedObjections(
  objections: readonly Objection[],
  removals: number,
  waivers: Waivers = { deletes: 0, protected: new Set() },
): Objection[] {
  const waived = new Set([...waivers.protected].map(foldProject));
  const isWaived = ({ guard, addresses }: Objection) =>
    guard === "delete-percent"
      ? removals <= waivers.deletes
      : guard === "protected" && addresses.every((address) => waived.has(foldProject(address)));
  return objections.filter((objection) => !isWaived(objection));
}

/** An address with its project, whose case does not matter, in lower case: keys may differ in case alone. */
function foldProject(address: string): string {
  const [project, rest] = addressParts(address);
  return `${project.toLowerCase()}:${rest}`;
}

export function markWaived(objections: readonly Objection[], unwaived: readonly Objection[]): Objection[] {
  return objections.map((objection) => {
    const { waived: _, ...rest } = objection;
    return unwaived.includes(objection) ? rest : { ...rest, waived: true };
  });
}

/** Describes the blocking objections; completes "blocked by …". */
export function blockersOf(objections: readonly Objection[]): string {
  return joinedByAnd([...new Set(objections.map(({ guard }) => guardWords[guard].blocker))]);
}

/** Names of each guard: after "blocked by", and in the first line of a report. */
const guardWords: Readonly<Record<Objection["guard"], { readonly blocker: string; readonly setting: string }>> = {
  "delete-percent": { blocker: "a guard", setting: "deletePercent" },
  protected: { blocker: "a guard", setting: "protected" },
  storage: { blocker: "a guard", setting: "the storage guard" },
  loosening: { blocker: "--fail-on-loosening", setting: "--fail-on-loosening" },
  approvals: { blocker: "missing approvals", setting: "" },
  rule: { blocker: "a rule", setting: "a rule" },
};

/** The resources that a project, the fleet, or the fleet of one kind, would lose, and how many are live there. */
export interface RemovalShare {
  readonly scope: string;
  readonly removals: readonly Pick<Change, "address">[];
  readonly live: number;
}

/** Objects if too large a share would be disabled or deleted. */
export function checkRemovalShare({ scope, removals, live }: RemovalShare, guards: Guards): Objection[] {
  const count = removals.length;
  if (!isMany(count, guards) || count * 100 <= live * guards.deletePercent) return [];
  const share = live === 0 ? "" : ` (${Math.round((count / live) * 100)} %)`;
  const message =
    `${thousands(count)} of ${thousands(live)} live resources of ${scope}${share} would be disabled or deleted; ` +
    `guards.deletePercent allows ${guards.deletePercent} % once ${guards.deleteMinimum} or more are planned`;
  return [{ guard: "delete-percent", message, addresses: removals.map((change) => change.address) }];
}

/** True if the number of removals is large enough for their share to count. */
export function isMany(removals: number, { deleteMinimum }: Guards): boolean {
  return removals >= Math.max(1, deleteMinimum);
}

export const theFleet = "the fleet";

function checkRemovalShares(
  differences: readonly Difference[],
  removals: Change[][],
  { guards }: GuardRules,
): Objection[] {
  const live = differences.reduce((sum, difference) => sum + difference.live, 0);
  const fleet: RemovalShare = { scope: theFleet, removals: removals.flat(), live };
  const projects = differences.map(
    ({ project, live }, i): RemovalShare => ({ scope: project, removals: removals[i] ?? [], live }),
  );
  const kinds = sharesByKind(removals.flat(), differences);
  const shares = projects.length > 1 ? [fleet, ...kinds, ...projects] : [fleet, ...kinds];
  return shares.flatMap((share) => checkRemovalShare(share, guards));
}

/** Removals per kind over the fleet, so that many labels do not outweigh a few protected branches. */
function sharesByKind(removals: readonly Change[], differences: readonly Difference[]): readonly RemovalShare[] {
  const live: Record<string, number> = {};
  for (const { liveByKind = {} } of differences)
    for (const [kind, count] of Object.entries(liveByKind)) live[kind] = (live[kind] ?? 0) + count;
  if (Object.keys(live).length < 2) return [];
  return Array.from(
    grouped(removals, ({ kind }) => kind),
    ([kind, those]) => {
      const owner = ownerOfKind(kind);
      const of = owner === "project" ? "" : ` of ${pluralOwner(owner)}`;
      return { scope: `kind ${kindWord(kind)}${of}`, removals: those, live: live[kind] ?? 0 };
    },
  );
}

export function checkProtected(
  changes: readonly (Visible & Pick<Change, "address">)[],
  { isProtected }: GuardRules,
): Objection[] {
  return changes
    .filter((change) => removes(change) && isProtected(change.address))
    .map((change) => {
      const { address, action } = change;
      const lost = turnsOff(change) ? "be turned off" : "lose those who are let in beside its level";
      const message = `${address} is protected and would ${action === "update" ? lost : `be ${action}d`}`;
      return { guard: "protected", message, addresses: [address] };
    });
}

/** The objection of `--fail-on-loosening`: one for all changes that loosen a policy. */
export function checkLoosening(changes: readonly Pick<Change, "address" | "policyEffect">[]): Objection[] {
  const addresses = changes.filter(({ policyEffect }) => policyEffect === "loosened").map(({ address }) => address);
  if (addresses.length === 0) return [];
  const loosen = addresses.length === 1 ? "loosens" : "loosen";
  const what = `${counted(addresses.length, "change")} ${loosen} a policy (${firstFew(addresses, 1)})`;
  return [{ guard: "loosening", message: `--fail-on-loosening failed: ${what}`, addresses }];
}

/**
 * Describes in a few words what prevents the apply: `Blocked by deletePercent`, `Needs 2 approvals, has 1`; empty if
 * nothing does. The first line of every report.
 */
export function blockingText({ objections }: { readonly objections: readonly Objection[] }): string {
  const blocking = objections.filter(({ waived }) => !waived);
  const blockers = blocking.flatMap(({ guard, name }) => {
    if (guard === "approvals") return [];
    return [name !== undefined && plainName.test(name) ? `rule ${name}` : guardWords[guard].setting];
  });
  const blocked = blockers.length > 0 ? [`Blocked by ${joinedByAnd([...new Set(blockers)])}`] : [];
  return [...blocked, ...new Set(blocking.flatMap(describeLack))].join("; ");
}

/** The file of a plan could contain any word. */
const plainName = /^[\w.-]{1,80}$/;

function describeLack({ guard, approvals }: Objection): readonly string[] {
  if (guard !== "approvals") return [];
  if (!approvals) return ["Lacks approvals"];
  const { needed, given } = approvals;
  return [`Needs ${counted(needed, "approval")}, has ${given === 0 ? "none" : given}`];
}

/** Joins objections of equal words that concern several projects. */
export function joinObjections(objections: readonly Objection[]): readonly Objection[] {
  const formOf = ({ guard, name, message, addresses: [first, ...others] }: Objection) => {
    const project = first === undefined || others.length > 0 ? undefined : addressParts(first)[0];
    return JSON.stringify([guard, name, commonForm(message, project)]);
  };
  return foldedAlike(objections, formOf).map(([first, ...others]) => {
    if (others.length === 0) return first;
    const addresses = others.flatMap((each) => each.addresses);
    const also = firstFew(addresses.map((address) => addressParts(address)[0]));
    return { ...first, message: `${first.message}; also in ${also}`, addresses: [...first.addresses, ...addresses] };
  });
}
