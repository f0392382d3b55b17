import equal from "fast-deep-equal";
import { groupedAs } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import type { Desired, Project } from "../model/types.ts";
import { lineOfField, type PolicyEntry, withoutField } from "./entries.ts";
import { entryIn } from "./layers.ts";
import { isWide } from "./overrides.ts";
import type { Policy } from "./policies.ts";
import type { Path } from "./positions.ts";
import { decidingEntries, decidingVariables } from "./precedence.ts";
import { type Layer, literalOf, matchingLayers, overrules } from "./selection.ts";
import { covers, type GlobSelector, mayMeet, type Selector } from "./selector.ts";

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

/**
 * Entries that can go, because a wider policy declares the same: without them every project that their policy selects has
 * the same value. Judged one after the other, the most specific policy first, so that of two equal entries one stays.
 */
export function prunableEntries(scope: PruneScope): readonly PrunableEntry[] {
  const pruning = new Pruning(scope);
  const bySpecificity = scope.policies.filter(({ where }) => where === undefined).toSorted((a, b) => rank(b) - rank(a));
  const found: PrunableEntry[] = [];
  // What goes may have kept something else from going.
  for (let before = -1; before < found.length; ) {
    before = found.length;
    for (const policy of bySpecificity) found.push(...pruning.prune(policy));
  }
  return found;
}

function rank({ projects }: Policy): number {
  return Math.max(...projects.map(literalOf));
}

interface Candidate {
  readonly policy: Policy;
  readonly entry: PolicyEntry;
  readonly field: string | undefined;
  readonly wide: Policy;
  readonly wideEntry: PolicyEntry;
}

interface ProjectState {
  readonly project: Project;
  readonly layers: readonly Layer[];
  readonly fill: (entry: PolicyEntry) => Desired;
}

class Pruning {
  readonly #scope: PruneScope;
  readonly #left: Map<Policy, Map<string, PolicyEntry>>;
  readonly #declaring: ReadonlyMap<string, readonly Policy[]>;
  /** Identities that a policy with `where` declares: whether it selects a project may not be known. */
  readonly #conditional: ReadonlySet<string>;
  readonly #projects: ReadonlyMap<Policy, readonly ProjectState[]>;

  constructor(scope: PruneScope) {
    this.#scope = scope;
    this.#left = new Map(
      scope.policies.map((policy) => [policy, new Map(policy.entries.map((entry) => [entry.desired.identity, entry]))]),
    );
    this.#declaring = groupedAs(
      scope.policies.flatMap((policy) => policy.entries.map(({ desired }) => ({ policy, desired }))),
      ({ desired }) => desired.identity,
      ({ policy }) => policy,
    );
    const conditional = scope.policies.filter(({ where }) => where !== undefined);
    this.#conditional = new Set(conditional.flatMap(({ entries }) => entries.map(({ desired }) => desired.identity)));
    const states = scope.projects.map((project): ProjectState => {
      const layers = matchingLayers(scope.policies, project);
      const fill = memoized(() => entryIn({ vars: decidingVariables(layers).winners }, project));
      return { project, layers, fill: (entry) => fill(undefined)(entry) };
    });
    this.#projects = groupedAs(
      states.flatMap((state) => state.layers.map(({ policy }) => ({ policy, state }))),
      ({ policy }) => policy,
      ({ state }) => state,
    );
  }

  prune(policy: Policy): readonly PrunableEntry[] {
    return policy.entries.flatMap((declared) => {
      const entry = this.#left.get(policy)?.get(declared.desired.identity);
      if (!entry) return [];
      const { key, fields, presence } = entry.desired;
      const isByField = key === "" && presence === "present";
      const fieldNames = isByField ? Object.keys(fields) : [undefined];
      return fieldNames.flatMap((field) => this.#pruneEntry(policy, entry, field));
    });
  }

  #pruneEntry(policy: Policy, entry: PolicyEntry, field: string | undefined): readonly PrunableEntry[] {
    const { identity } = entry.desired;
    const candidates = this.#scope.wide.flatMap((wide): readonly Candidate[] => {
      const wideEntry = this.#left.get(wide)?.get(identity);
      if (wide === policy || !wideEntry || (field !== undefined && !(field in wideEntry.desired.fields))) return [];
      return [{ policy, entry, field, wide, wideEntry }];
    });
    const found = candidates.find((candidate) => this.#canGo(candidate));
    if (!found) return [];
    const rest = this.#without(policy, identity, field);
    if (rest) this.#left.get(policy)?.set(identity, rest);
    else this.#left.get(policy)?.delete(identity);
    const path = field === undefined ? entry.path : lineOfField(entry, field).path;
    return [{ policy, entry, path, wide: found.wideEntry, ...(field !== undefined && { field }) }];
  }

  #canGo(candidate: Candidate): boolean {
    const { policy, entry, field, wide } = candidate;
    const { yields } = this.#scope;
    if (policy.enforce && !wide.enforce) return false;
    const others = this.#declaring.get(entry.desired.identity) ?? [];
    if (this.#conditional.has(entry.desired.identity)) return false;
    if (policy.includesArchived && !wide.includesArchived) return false;
    if (wide.until !== undefined && (policy.until === undefined || policy.until > wide.until)) return false;
    const globs = policy.projects.filter((each): each is GlobSelector => each.form === "glob");
    if (globs.length > 0 && !yields) {
      if (!declaresSame(candidate) || !others.every((other) => overriddenAnyway(candidate, other))) return false;
    }
    if (!globs.every((glob) => coversWholly(wide, policy, glob))) return false;
    const states = this.#projects.get(policy) ?? [];
    if (globs.length === 0 && states.length === 0) return false;
    const rest = this.#without(policy, entry.desired.identity, field);
    return states.every((state) => this.#holdsWithout(candidate, rest, state));
  }

  /** Whether a project has the same value without the entry or, to yield, whether the wide policy selects it. */
  #holdsWithout(
    { policy, entry, wide, wideEntry, field }: Candidate,
    rest: PolicyEntry | undefined,
    state: ProjectState,
  ) {
    if (!state.layers.some((layer) => layer.policy === wide)) return false;
    if (this.#scope.yields) return true;
    const { identity } = entry.desired;
    if (!isSame(state.fill(entry), state.fill(wideEntry), { field, inherits: entry.written?.inherits })) return false;
    const before = this.#effective(state, identity);
    const after = this.#effective(state, identity, { policy, rest });
    return before !== undefined && after !== undefined && equal(before, after);
  }

  /** The resource in effect; undefined with a problem. */
  #effective(
    { layers, fill }: ProjectState,
    identity: string,
    change?: { readonly policy: Policy; readonly rest: PolicyEntry | undefined },
  ): Pick<Desired, "presence" | "fields"> | undefined {
    const light = layers.flatMap(({ policy, literal }): readonly Layer[] => {
      const entry = change?.policy === policy ? change.rest : this.#left.get(policy)?.get(identity);
      return entry ? [{ policy: { ...policy, entries: [entry] }, literal }] : [];
    });
    const { winners, problems, missing } = decidingEntries(light);
    const winner = winners.get(identity);
    if (!winner || problems.length + missing.length > 0) return undefined;
    const { presence, fields } = fill(winner);
    return { presence, fields };
  }

  #without(policy: Policy, identity: string, field: string | undefined): PolicyEntry | undefined {
    const entry = this.#left.get(policy)?.get(identity);
    return entry && field !== undefined ? withoutField(entry, field) : undefined;
  }
}

function coversWholly(wide: Policy, policy: Policy, glob: GlobSelector): boolean {
  const isExcepted = (selector: Selector) => policy.except.some((each) => covers(each, selector));
  return (
    wide.projects.some((each) => covers(each, glob)) &&
    wide.except.every((each) => !mayMeet(each, glob) || isExcepted(each))
  );
}

function declaresSame({ entry, wideEntry, field }: Candidate): boolean {
  if (wideEntry.written?.inherits) return false;
  return isSame(entry.desired, wideEntry.desired, { field, inherits: entry.written?.inherits });
}

interface ComparedPart {
  readonly field: string | undefined;
  readonly inherits: boolean | undefined;
}

function isSame(own: Desired, wide: Desired, { field, inherits }: ComparedPart): boolean {
  if (own.presence !== wide.presence) return false;
  const names = field === undefined ? Object.keys(inherits ? own.fields : { ...own.fields, ...wide.fields }) : [field];
  return names.every((name) => equal(own.fields[name], wide.fields[name]));
}

function overriddenAnyway(candidate: Candidate, other: Policy): boolean {
  const { policy, wide } = candidate;
  if (other === policy || other === wide || isSameIn(candidate, other)) return true;
  return policy.projects.every((glob) =>
    other.projects.every((each) => {
      if (glob.form === "glob" && !mayMeet(each, glob)) return true;
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

function isSameIn({ entry, field, ...candidate }: Candidate, other: Policy): boolean {
  const found = other.entries.find(({ desired }) => desired.identity === entry.desired.identity);
  if (!found || (field !== undefined && !(field in found.desired.fields))) return found?.desired.presence === "present";
  return declaresSame({ ...candidate, entry, field, wideEntry: found });
}

export function widePolicies(policies: readonly Policy[]): readonly Policy[] {
  return policies.filter((policy) => isWide(policy) && policy.where === undefined);
}
