import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { byName, compareTexts } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { bareName, describeOwner } from "../model/owner.ts";
import type {
  Desired,
  DesiredProject,
  Kind,
  Origin,
  Problem,
  Project,
  SecretReference,
  Value,
} from "../model/types.ts";
import { isList, isReference, isScalar } from "../model/values.ts";
import { lineOfField, type PolicyEntry } from "./entries.ts";
import { endedIn } from "./expiry.ts";
import type { Policy, Variable } from "./policies.ts";
import { type Contest, entryContests, missingIn, variableContests } from "./precedence.ts";
import { type ManifestLocation, problemAt } from "./problem.ts";
import { checkInterpolated, keyProblems } from "./resource-fields.ts";
import { isPlainPath, referenceFault } from "./secret-reference.ts";
import { compareLayers, type Layer, matchingLayers, overrules } from "./selection.ts";
import { isTemplate } from "./template.ts";
import { type StandIn, VariableScope } from "./variable-scope.ts";

export interface Merged {
  readonly desired: DesiredProject;
  readonly problems: readonly Problem[];
}

/**
 * Merges all policies for one project: the most specific layer takes effect, entry by entry (docs/manifests.md).
 * Expired policies have no effect; the result lists resources that changed because they expired.
 */
export function desiredOf(policies: readonly Policy[], project: Project, expired: readonly Policy[] = []): Merged {
  const layers = matchingLayers(policies, project);
  const merged = merge(sharedRuling(policies, layers), project);
  const ended = expired.length > 0 ? matchingLayers(expired, project) : [];
  if (ended.length === 0) return merged;
  const before = merge(rulingOf([...layers, ...ended].sort(compareLayers)), project).desired;
  return { ...merged, desired: { ...merged.desired, expired: endedIn(before, merged.desired, ended) } };
}

/** The ruling of these layers, cached: a fleet has many projects, and few different lists of layers. */
function sharedRuling(policies: readonly Policy[], layers: readonly Layer[]): Ruling {
  const rulings = rulingsOf(policies);
  const key = layers.map(({ policy, literal }) => `${numberOf(policy)}:${literal}`).join();
  const ruling = rulings.get(key) ?? rulingOf(layers);
  rulings.set(key, ruling);
  return ruling;
}

const rulingsOf = memoized((_: readonly Policy[]) => new Map<string, Ruling>(), new WeakMap());

let policiesSeen = 0;
const numberOf = memoized((_: Policy) => ++policiesSeen, new WeakMap());

const nowhere = () => false;

/** The part of the merged state that does not depend on the project. */
export interface Ruling extends Pick<DesiredProject, "kinds" | "exclusive"> {
  readonly layers: readonly Layer[];
  readonly vars: ReadonlyMap<string, Variable>;
  readonly winners: ReadonlyMap<string, PolicyEntry>;
  /** Variables and resources that several layers declare. */
  readonly contests: {
    readonly vars: readonly Contest<Variable>[];
    readonly entries: ReadonlyMap<string, Contest<PolicyEntry>>;
  };
  readonly resources: readonly Desired[];
  /** Resources that still need interpolation, with their index. */
  readonly open: readonly (readonly [index: number, entry: PolicyEntry])[];
  readonly ties: readonly Problem[];
  /** Fields that entries need and none of these layers has; another layer may have them. */
  readonly missing: readonly Problem[];
  readonly hasOpenKeys: boolean;
}

export function rulingFor(policies: readonly Policy[], project: Project): Ruling {
  return sharedRuling(policies, matchingLayers(policies, project));
}

export function rulingOf(layers: readonly Layer[]): Ruling {
  const vars = variableContests(layers);
  const entries = entryContests(layers);
  const winners = entries.map(({ winner }) => winner);
  const sorted = winners.toSorted((a, b) => byKindAndKey(a.desired, b.desired));
  const open: [number, PolicyEntry][] = [];
  for (const [index, entry] of sorted.entries())
    if (entry.templates.length > 0 || isTemplate(entry.desired.key)) open.push([index, entry]);
  return {
    ...collectManaged(layers),
    layers,
    vars: new Map(vars.map(({ winner }) => [winner.name, winner])),
    winners: new Map(winners.map((entry) => [entry.desired.identity, entry])),
    contests: {
      vars: vars.filter(isContested),
      entries: new Map(entries.filter(isContested).map((each) => [each.winner.desired.identity, each])),
    },
    resources: sorted.map(({ desired }) => desired),
    open,
    ties: [...vars, ...entries].flatMap(({ problems }) => problems),
    missing: entries.flatMap(missingIn),
    hasOpenKeys: open.some(([, { desired }]) => isTemplate(desired.key)),
  };
}

function isContested({ candidates }: Contest<unknown>): boolean {
  return candidates.length > 1;
}

/**
 * Interpolates a ruling for one project. `elsewhere`: true for a variable that unknown layers may define; values that
 * use it are not checked. `placeholderFor`: placeholders for unknown facts of the project.
 */
export function merge(
  ruling: Ruling,
  project: Project,
  elsewhere: (variable: string) => boolean = nowhere,
  placeholderFor?: StandIn,
): Merged {
  const { kinds, exclusive } = ruling;
  const scope = new VariableScope(project, ruling.vars, elsewhere, placeholderFor);
  const faults: Problem[] = [];
  const resources = [...ruling.resources];
  for (const [index, entry] of ruling.open) {
    const { desired, problems } = fill(entry, scope);
    for (const problem of problems) faults.push(problem);
    resources[index] = desired;
  }
  const missing = elsewhere === nowhere ? ruling.missing : [];
  const decided = ruling.hasOpenKeys ? decideKeys(resources, ruling.layers) : { resources, problems: none };
  const problems = [...ruling.ties, ...missing, ...scope.problems(), ...faults, ...decided.problems];
  return {
    desired: { project, resources: decided.resources, kinds, exclusive },
    problems: problems.map((problem) => ({ ...problem, project: project.name })),
  };
}

/** Decides between entries that have the same key once its variables have values. */
function decideKeys(resources: readonly Desired[], layers: readonly Layer[]) {
  const byPolicy = new Map(layers.map((layer) => [layer.policy.name, layer]));
  const isOverruled = (own: Desired, other: Desired) => {
    const [layer, rival] = [own, other].map(({ origin }) => byPolicy.get(origin.policy ?? ""));
    return layer !== undefined && rival !== undefined && overrules(rival, layer);
  };
  const groups = [...grouped(resources, ({ identity }) => identity).values()].map((group) =>
    group.filter((own) => !group.some((other) => isOverruled(own, other))),
  );
  return {
    resources: groups.flatMap(([first]) => first ?? []).sort(byKindAndKey),
    problems: groups.flatMap(([first, ...others]) =>
      others.map(({ kind, key, origin }): Problem => {
        const { file, line, column } = first?.origin.place() ?? origin.place();
        const message = `${resourceName(kind, key)} is declared here and at ${file}:${line}:${column}, once variables have their values`;
        return { severity: "error", rule: "duplicate-resource", message, place: origin.place() };
      }),
    ),
  };
}

/** The entry in effect for a resource of a project, whose key may have interpolations in the manifest. */
export function entryInEffect({ winners, vars }: Ruling, project: Project, identity: string): PolicyEntry | undefined {
  const plain = winners.get(identity);
  if (plain) return plain;
  const scope = new VariableScope(project, vars, nowhere);
  return [...winners.values()].find(
    (entry) => isTemplate(entry.desired.key) && withKey(entry, scope).desired.identity === identity,
  );
}

/** Merges layers without interpolation, for unknown projects: `${…}` stays as written. */
export function mergeAsWritten(layers: readonly Layer[], name: string): DesiredProject {
  const { resources, kinds, exclusive } = rulingOf(layers);
  return { project: { name }, resources, kinds, exclusive };
}

function byKindAndKey(a: Desired, b: Desired): number {
  return compareTexts(a.kind, b.kind) || compareTexts(a.key, b.key);
}

function collectManaged(layers: readonly Layer[]): Pick<DesiredProject, "kinds" | "exclusive"> {
  const [first] = layers;
  if (first && layers.length === 1) return { kinds: first.policy.kinds, exclusive: first.policy.exclusive };
  const policies = layers.map(({ policy }) => policy).toSorted(byName);
  const exclusive = new Map<Kind, Origin>();
  for (const [kind, origin] of policies.flatMap((policy) => [...policy.exclusive])) {
    if (!exclusive.has(kind)) exclusive.set(kind, origin);
  }
  return { kinds: new Set(policies.flatMap((policy) => [...policy.kinds])), exclusive };
}

export function entryIn({ vars }: Pick<Ruling, "vars">, project: Project): (entry: PolicyEntry) => Desired {
  const scope = new VariableScope(project, vars, nowhere);
  return (entry) => fill(entry, scope).desired;
}

/**
 * Interpolates the fields of an entry and checks their types. Fields without a value are omitted, but the entry is kept,
 * because otherwise its resource would count as not listed.
 */
function fill(entry: PolicyEntry, scope: VariableScope): Pick<Merged, "problems"> & { readonly desired: Desired } {
  const named = isTemplate(entry.desired.key) ? withKey(entry, scope) : { desired: entry.desired, problems: none };
  const { desired } = named;
  const { written, templates } = entry;
  if (!written || templates.length === 0) return named;
  const fields: Record<string, Value> = { ...desired.fields };
  const problems: Problem[] = [...named.problems];
  for (const name of templates) {
    const value = fillValue(desired.fields[name] ?? null, lineOfField(entry, name), scope, problems);
    if (value !== undefined) fields[name] = value;
    else delete fields[name];
  }
  const { setBy } = entry;
  const checked = checkInterpolated(written, templates, fields, (name) => setBy?.get(name)?.written ?? written);
  return { desired: { ...desired, fields: checked.fields }, problems: [...problems, ...checked.problems] };
}

const none: readonly Problem[] = [];

/** Interpolates the key of an entry, and checks it. Without a value it stays as it is written. */
function withKey(entry: PolicyEntry, scope: VariableScope) {
  const { desired, written, document, path } = entry;
  const resolved = scope.interpolate(desired.key, { document, path });
  if (typeof resolved === "string") return { desired, problems: none };
  const { keys, ...named } = entry.keyed(String(resolved.value));
  const own = written ? keyProblems({ ...written, keys }) : none;
  const empty = problemAt("wrong-value", "the key has no text once its variables have values", {
    document,
    path,
    of: "key",
  });
  return { desired: { ...desired, ...named }, problems: named.key === "" ? [empty] : own };
}

/** Adds to `problems`. */
function fillValue(
  value: Value,
  location: ManifestLocation,
  scope: VariableScope,
  problems: Problem[],
): Value | undefined {
  const below = (part: string | number) => ({ ...location, path: [...location.path, part] });
  if (isReference(value)) return fillReference(value, below("secret"), scope, problems);
  if (isTemplate(value)) {
    const resolved = scope.interpolate(value, location);
    return typeof resolved === "string" ? undefined : resolved.value;
  }
  if (isScalar(value)) return value;
  const parts = Object.entries(value).map(([name, each]) => {
    return [name, fillValue(each, below(isList(value) ? Number(name) : name), scope, problems)] as const;
  });
  if (parts.some(([, each]) => each === undefined)) return undefined;
  return (isList(value) ? parts.map(([, each]) => each) : Object.fromEntries(parts)) as Value;
}

/** Only the names of secrets are interpolated, because no variable can contain a secret (docs/secrets.md). */
function fillReference(
  reference: SecretReference,
  location: ManifestLocation,
  scope: VariableScope,
  problems: Problem[],
): Value | undefined {
  if (!isTemplate(reference.secret)) return reference;
  const { project } = scope;
  const resolved = scope.interpolate(reference.secret, location);
  if (typeof resolved === "string") return undefined;
  const secret = String(resolved.value);
  const fault =
    project.path === undefined || isPlainPath(bareName(project.path))
      ? referenceFault(secret)
      : `the path of ${describeOwner(project.path)} cannot stand in a secret reference: only letters, digits, _, - and . can`;
  if (fault === undefined) return { ...reference, secret };
  problems.push(problemAt("secret-reference", fault, location));
  return undefined;
}
