import equal from "fast-deep-equal";
import { grouped, groupedAs } from "../base/grouped.ts";
import type { Desired, Project } from "../model/types.ts";
import { lineOfField, type PolicyEntry } from "./entries.ts";
import { entryIn, type Ruling, rulingFor } from "./layers.ts";
import type { Policy } from "./policies.ts";
import type { Path } from "./positions.ts";
import { decideEntry, missingIn } from "./precedence.ts";
import { isWide } from "./projects.ts";
import { literalOf, overrules } from "./selection.ts";
import { covers, mayMeet, type Selector } from "./selector.ts";

/** An entry of a policy, or one field of a singleton, that can go. */
export interface PrunableEntry {
  readonly policy: Policy;
  readonly entry: PolicyEntry;
  readonly field?: string;
  readonly path: Path;
  readonly wide: PolicyEntry;
}

export interface PruneScope {
  readonly policies: readonly Policy[];
  readonly projects: readonly Project[];
  readonly wide: readonly Policy[];
  /** Also remove entries that differ, so that the wide policy holds. */
  readonly yields: boolean;
}

interface Declaration {
  readonly policy: Policy;
  readonly entry: PolicyEntry;
}

interface Candidate extends Declaration {
  readonly field: string | undefined;
  readonly wide: Policy;
  readonly wideEntry: PolicyEntry;
}

interface ProjectState {
  readonly ruling: Ruling;
  readonly fill: (entry: PolicyEntry) => Desired;
}

interface Pruning {
  readonly yields: boolean;
  readonly declaring: ReadonlyMap<string, readonly Declaration[]>;
  readonly states: ReadonlyMap<Policy, readonly ProjectState[]>;
  /** The rest of each entry that something was removed from; undefined without any. */
  readonly rests: Map<PolicyEntry, PolicyEntry | undefined>;
}

/**
 * Entries that can go, because a wider policy declares the same: without them every project that their policy selects has
 * the same value. Judged one after the other, the most specific policy first, so that of two equal entries one stays.
 */
export function prunableEntries({ policies, projects, wide, yields }: PruneScope): readonly PrunableEntry[] {
  const declarations = policies.flatMap((policy) => policy.entries.map((entry): Declaration => ({ policy, entry })));
  const states = projects.flatMap((project) => {
    const ruling = rulingFor(policies, project);
    const state: ProjectState = { ruling, fill: entryIn(ruling, project) };
    return ruling.layers.map(({ policy }) => ({ policy, state }));
  });
  const pruning: Pruning = {
    yields,
    declaring: grouped(declarations, ({ entry }) => entry.desired.identity),
    states: groupedAs(states, ({ policy, state }) => [policy, state]),
    rests: new Map(),
  };
  const ordered = declarations
    .filter(({ policy: { where } }) => where === undefined)
    .sort((a, b) => rank(b.policy) - rank(a.policy));
  const found: PrunableEntry[] = [];
  // What goes may have kept something else from going.
  for (let before = -1; before < found.length; ) {
    before = found.length;
    for (const declaration of ordered) found.push(...pruneEntry(pruning, declaration, wide));
  }
  return found;
}

function rank({ projects }: Policy): number {
  return Math.max(...projects.map(literalOf));
}

function pruneEntry(pruning: Pruning, { policy, entry }: Declaration, wide: readonly Policy[]): PrunableEntry[] {
  const { identity, key, presence, fields } = entry.desired;
  // Entries that were removed before no longer compete.
  const rivals = (pruning.declaring.get(identity) ?? []).flatMap((each): readonly Declaration[] => {
    const current = each.policy === policy ? undefined : currentEntry(pruning, each.entry);
    return current ? [{ policy: each.policy, entry: current }] : [];
  });
  const parts = key === "" && presence === "present" ? Object.keys(fields) : [undefined];
  return parts.flatMap((field): PrunableEntry[] => {
    const own = currentEntry(pruning, entry);
    if (!own || !hasField(own, field)) return [];
    const candidates = wide.flatMap((each): readonly Candidate[] => {
      const wideEntry = rivals.find((other) => other.policy === each)?.entry;
      return wideEntry && hasField(wideEntry, field) ? [{ policy, entry, field, wide: each, wideEntry }] : [];
    });
    const found = candidates.find((candidate) => canGo(pruning, candidate, rivals));
    if (!found) return [];
    pruning.rests.set(entry, entryWithout(own, field));
    const path = field === undefined ? entry.path : lineOfField(own, field).path;
    return [{ policy, entry: own, path, wide: found.wideEntry, ...(field !== undefined && { field }) }];
  });
}

function currentEntry({ rests }: Pruning, entry: PolicyEntry): PolicyEntry | undefined {
  return rests.has(entry) ? rests.get(entry) : entry;
}

function hasField({ desired }: PolicyEntry, field: string | undefined): boolean {
  return field === undefined || field in desired.fields;
}

function entryWithout(entry: PolicyEntry, field: string | undefined): PolicyEntry | undefined {
  return field === undefined ? undefined : entry.without(field);
}

function canGo(pruning: Pruning, candidate: Candidate, rivals: readonly Declaration[]): boolean {
  const { policy, wide } = candidate;
  if (policy.enforce && !wide.enforce) return false;
  // Whether a policy with `where` selects a project may not be known.
  if (rivals.some((rival) => rival.policy.where)) return false;
  if (policy.includesArchived && !wide.includesArchived) return false;
  if (wide.until !== undefined && (policy.until === undefined || policy.until > wide.until)) return false;
  const globs = policy.projects.filter(({ form }) => form === "glob");
  if (globs.length > 0 && !pruning.yields) {
    if (!declaresSame(candidate) || !rivals.every((rival) => overriddenAnyway(candidate, rival))) return false;
  }
  if (!globs.every((glob) => coversWholly(wide, policy, glob))) return false;
  const states = pruning.states.get(policy) ?? [];
  if (globs.length === 0 && states.length === 0) return false;
  return states.every((state) => holdsWithout(pruning, candidate, state));
}

/** True if a project has the same value without the entry; with `--yield`, if the wide policy selects it. */
function holdsWithout(pruning: Pruning, candidate: Candidate, state: ProjectState): boolean {
  const { entry, wide, wideEntry } = candidate;
  if (!state.ruling.layers.some(({ policy }) => policy === wide)) return false;
  if (pruning.yields) return true;
  if (!isSame(state.fill(entry), state.fill(wideEntry), candidate)) return false;
  const [before, after] = [effectiveValue(pruning, candidate, state), effectiveValue(pruning, candidate, state, true)];
  return before !== undefined && after !== undefined && equal(before, after);
}

/** The resource in effect, also without the entry; undefined with a problem. */
function effectiveValue(
  pruning: Pruning,
  { entry, field }: Candidate,
  { ruling, fill }: ProjectState,
  isWithout = false,
): Pick<Desired, "presence" | "fields"> | undefined {
  const { candidates = [] } = ruling.contests.entries.get(entry.desired.identity) ?? {};
  const current = candidates.flatMap(({ layer, item: declared }) => {
    const now = currentEntry(pruning, declared);
    const item = now && isWithout && declared === entry ? entryWithout(now, field) : now;
    return item ? [{ layer, item }] : [];
  });
  const [first, ...others] = current;
  const decided = first && decideEntry([first, ...others]);
  if (!decided || decided.problems.length + missingIn(decided).length > 0) return undefined;
  const { presence, fields } = fill(decided.winner);
  return { presence, fields };
}

function coversWholly(wide: Policy, policy: Policy, glob: Selector): boolean {
  const isExcepted = (selector: Selector) => policy.except.some((each) => covers(each, selector));
  return (
    wide.projects.some((each) => covers(each, glob)) &&
    wide.except.every((each) => !mayMeet(each, glob) || isExcepted(each))
  );
}

function declaresSame(candidate: Candidate): boolean {
  const { entry, wideEntry } = candidate;
  return !wideEntry.written?.inherits && isSame(entry.desired, wideEntry.desired, candidate);
}

function isSame(own: Desired, wide: Desired, { entry, field }: Candidate): boolean {
  if (own.presence !== wide.presence) return false;
  const all = entry.written?.inherits ? own.fields : { ...own.fields, ...wide.fields };
  const names = field === undefined ? Object.keys(all) : [field];
  return names.every((name) => equal(own.fields[name], wide.fields[name]));
}

/** True if another declaration never competes with this one, or overrides it or is overridden in any case. */
function overriddenAnyway(candidate: Candidate, { policy: other, entry: otherEntry }: Declaration): boolean {
  const { policy, wide, field } = candidate;
  if (other === wide) return true;
  if (!hasField(otherEntry, field) && otherEntry.desired.presence === "present") return true;
  if (hasField(otherEntry, field) && declaresSame({ ...candidate, wideEntry: otherEntry })) return true;
  return policy.projects.every((glob) =>
    other.projects.every((each) => {
      if (!mayMeet(each, glob)) return true;
      const [own, rival] = [
        { policy, literal: literalOf(glob) },
        { policy: other, literal: literalOf(each) },
      ];
      const covering = wide.projects.filter((selector) => covers(selector, glob));
      const widest = { policy: wide, literal: Math.max(...covering.map(literalOf)) };
      return overrules(rival, own) || overrules(widest, rival);
    }),
  );
}

export function widePolicies(policies: readonly Policy[]): readonly Policy[] {
  return policies.filter((policy) => isWide(policy) && policy.where === undefined);
}
