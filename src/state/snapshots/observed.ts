import { memoized } from "../../base/memoize.ts";
import { addressParts, resourceName } from "../../model/address.ts";
import { kindWord } from "../../model/owner.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change, Desired, Fields, Place, Project, Value } from "../../model/types.ts";
import { inlineText, isReference } from "../../model/values.ts";
import type { OverrideCount } from "../../plan/overrides.ts";
import type { ProjectSnapshot, SeenDifference, SeenEntry, SeenException } from "./snapshot.ts";

export interface RunObservation {
  readonly run: string;
  readonly at: string;
  readonly commit: string | null;
  readonly server: string;
  /** True if it covered everything that policies select. */
  readonly whole: boolean;
  /** True if the run covered a project: if it was not observed, it is no longer selected. Undefined: unknown. */
  readonly covers?: (project: string) => boolean;
  readonly projects: readonly Project[];
  /** The observation of the project at this index, computed on demand. */
  readonly observe: (index: number) => ProjectObservation;
  readonly locate: Locate;
  readonly exceptions: readonly SeenException[];
  /** Entries of policies with a wildcard that other policies override. */
  readonly overrides?: readonly OverrideCount[];
  readonly authorOf?: (address: string) => SeenDifference["changedBy"];
  readonly hasLedger: boolean;
  /** The cause of a difference that neither a ledger nor an earlier snapshot determines. */
  readonly cause: SeenDifference["cause"];
}

type Locate = (desired: Desired) => Place | undefined;

export interface ProjectObservation {
  readonly project: Project;
  /** Its declared resources, computed on demand. Omitted if they did not change. */
  readonly desired?: () => readonly Desired[];
  /** Remaining differences. Omitted if the project could not be read. */
  readonly changes?: readonly Change[];
  /** True if the run targeted an address, given without its project. */
  readonly includes: (rest: string) => boolean;
  readonly unverified: ProjectSnapshot["unverified"];
  readonly inherited?: readonly string[];
  readonly unmanaged: number;
  readonly problems: readonly string[];
}

/** Entries of at most this many files are located, since each file has to be parsed. */
const maxFiles = 250;

export function locator(): Locate {
  const files = new Set<string>();
  return ({ origin }) => {
    const { file = "" } = origin;
    if (files.size >= maxFiles && !files.has(file)) return undefined;
    files.add(file);
    return origin.place();
  };
}

/** The entries of a project after a run; those that the run did not target are taken from its earlier snapshot. */
export type EntriesAfter = (before: ProjectSnapshot | undefined, observed: ProjectObservation) => readonly SeenEntry[];

export function entriesAt(commit: string | null, locate: Locate): EntriesAfter {
  const entryOf = memoized((desired: Desired): SeenEntry => {
    const { kind, key, origin, presence } = desired;
    const location = locate(desired);
    const { policy = "", file = location?.file ?? "", until, reason } = origin;
    return {
      kind: kindWord(kind),
      key,
      fields: presence === "absent" ? null : truncateFields(desired.fields),
      policy,
      file,
      ...(location && { line: location.line, column: location.column }),
      commit,
      ...(until && { until }),
      ...(reason && { reason: truncateText(reason) }),
    };
  }, new WeakMap());
  return (before, { desired: wanted, changes, includes }) => {
    if (before && (!changes || !wanted)) return before.entries;
    const desired = wanted?.() ?? [];
    if (!before) return desired.filter((each) => includes(entryName(each))).map(entryOf);
    const known = new Map(before.entries.map((entry) => [entryName(entry), entry]));
    return desired.flatMap((each) => {
      const earlier = known.get(entryName(each));
      if (!includes(entryName(each))) return earlier ?? [];
      return earlier && isUnchanged(earlier, entryOf(each)) ? earlier : entryOf(each);
    });
  };
}

function entryName({ kind, key }: Pick<SeenEntry, "kind" | "key">): string {
  return resourceName(kind, key);
}

/** An unchanged entry keeps the commit at which it was first seen. */
function isUnchanged({ commit: _, ...before }: SeenEntry, { commit: __, ...now }: SeenEntry): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}

/** The differences of a project after a run; those that the run did not target or read are taken from its earlier snapshot. */
export function differencesAfter(
  before: ProjectSnapshot | undefined,
  { changes, includes }: ProjectObservation,
  run: RunObservation,
): readonly SeenDifference[] {
  const known = before?.differences ?? [];
  if (!changes) return known;
  const untargeted = known.filter(({ rest }) => !includes(rest));
  const now = changes.map((change) => toDifference(change, before, run));
  return [...untargeted, ...now].sort((a, b) => (a.rest < b.rest ? -1 : 1));
}

function toDifference(change: Change, before: ProjectSnapshot | undefined, run: RunObservation): SeenDifference {
  const [, rest] = addressParts(change.address);
  const earlier = before?.differences.find((each) => each.rest === rest);
  const { origin } = change;
  const names = Object.keys(change.after ?? {});
  const [first] = change.action === "update" ? names : [];
  const { file, line, column } =
    (first !== undefined && origin.fieldPolicy && origin.fieldPlace?.(first)) || origin.place();
  const policy = first === undefined ? undefined : origin.fieldPolicy?.(first);
  return {
    rest,
    action: change.action,
    cause: determineCause(change, before, earlier, run),
    reason: truncateText(change.reason),
    ...(change.policyEffect && { effect: change.policyEffect }),
    since: sinceOf(first === undefined ? [] : names, earlier, run.at),
    ...(policy !== undefined && policy !== origin.policy && { policy }),
    ...authorIn(change, earlier, run),
    before: truncateFields(change.before),
    after: truncateFields(change.after),
    file,
    line,
    column,
  };
}

/** Since when a resource differs: fields that were right in the meantime are new. */
function sinceOf(names: readonly string[], earlier: SeenDifference | undefined, now: string): string {
  if (!earlier) return now;
  const before = { ...earlier.before, ...earlier.after };
  return names.length === 0 || names.some((name) => name in before) ? earlier.since : now;
}

/** The author found by this run, else the recorded author of the same difference. */
function authorIn(
  { address, before }: Change,
  earlier: SeenDifference | undefined,
  { authorOf }: RunObservation,
): Pick<SeenDifference, "changedBy"> {
  const isSame = JSON.stringify(earlier?.before) === JSON.stringify(truncateFields(before));
  const changedBy = authorOf?.(address) ?? (isSame ? earlier?.changedBy : undefined);
  return changedBy ? { changedBy } : {};
}

/** By the ledger; else drift if the manifests declare the same as when the difference was not there yet. */
function determineCause(
  change: Change,
  before: ProjectSnapshot | undefined,
  earlier: SeenDifference | undefined,
  { cause, hasLedger }: RunObservation,
): SeenDifference["cause"] {
  if (hasLedger) return change.cause === "pending" ? "pending" : "drift";
  if (!before) return cause;
  const entry = before.entries.find((each) => each.kind === change.kind && each.key === change.key);
  const declared = isRemoval(change) ? null : truncateFields(change.declared);
  if (JSON.stringify(entry?.fields ?? null) !== JSON.stringify(declared)) return "pending";
  return earlier?.cause ?? "drift";
}

const maxLength = 500;

function truncateFields<Given extends Fields | null>(fields: Given): Given {
  if (!fields || !Object.values(fields).some(isLong)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, truncateValue(value)])) as Given;
}

function isLong(value: Value): boolean {
  return !isReference(value) && inlineText(value).length > maxLength;
}

/** A long list or mapping becomes the beginning of its JSON. */
function truncateValue(value: Value): Value {
  return isReference(value) || !isLong(value) ? value : truncateText(inlineText(value));
}

function truncateText(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
