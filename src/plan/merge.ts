import { UserError } from "../base/exit.ts";
import { canonical } from "../base/json.ts";
import { printable } from "../base/printable.ts";
import { reportedLine } from "../model/problem-line.ts";
import { scopeText } from "./heading.ts";
import { addOverrides } from "./overrides.ts";
import { inheritedIn, type Plan, type PlanScope, planDigest, type Summary } from "./plan.ts";

export interface NamedPlan {
  readonly name: string;
  readonly plan: Plan;
}

/**
 * Merges the plans of shards into the plan of the whole run: independent of their order, as old as the oldest, without
 * repeated messages. @throws UserError for plans of different runs: other manifests, another server or version, an
 * address in two of them, or a repeated shard, whose live resources guards would count twice.
 */
export function mergePlans(parts: readonly [NamedPlan, ...NamedPlan[]]): Plan {
  const [first, ...others] = parts;
  for (const other of others) {
    const [what] = headings.find(([, of]) => of(first.plan) !== of(other.plan)) ?? [];
    if (what) throw new UserError(`${first.name} and ${other.name} were not made from ${what}; plan them again`);
  }
  checkDisjoint(parts);
  checkScopes(parts);
  const plans = parts.map(({ plan }) => plan);
  const { format_version, evenkeel_version, server, manifests } = first.plan;
  const sameCommit = plans.every((plan) => plan.manifests.commit === manifests.commit);
  const rest = {
    format_version,
    evenkeel_version,
    server,
    manifests: {
      digest: manifests.digest,
      commit: sameCommit ? manifests.commit : null,
      ...(sameCommit && plans.some((plan) => plan.manifests.uncommitted) && { uncommitted: true as const }),
    },
    ...joinedScope(plans.map(({ scope = {} }) => scope)),
    summary: sum(plans.map(({ summary }) => summary)),
    resource_changes: gatherList(plans, "resource_changes", ({ address }) => address),
    unverified: gatherList(plans, "unverified", ({ address }) => address),
    ...inheritedIn(plans.flatMap(({ inherited = [] }) => inherited)),
    overrides: addOverrides(plans.flatMap(({ overrides = [] }) => overrides)),
    objections: gatherList(plans, "objections", ({ message }) => message),
    problems: gatherList(plans, "problems", reportedLine),
    warnings: gatherList(plans, "warnings", reportedLine),
  };
  const [oldest = first.plan.created_at] = plans.map(({ created_at }) => created_at).sort();
  return { ...rest, digest: planDigest(rest), created_at: oldest };
}

const headings: readonly (readonly [what: string, of: (plan: Plan) => string])[] = [
  ["the same manifests", ({ manifests }) => manifests.digest],
  ["the same server", ({ server }) => server.url],
  ["one revision of --since", ({ scope }) => scope?.since ?? ""],
  ["one version of Evenkeel", ({ evenkeel_version }) => evenkeel_version],
];

function checkDisjoint(parts: readonly NamedPlan[]): void {
  const owners = new Map<string, string>();
  for (const { name, plan } of parts) {
    for (const { address } of plan.resource_changes) {
      const owner = owners.get(address);
      if (owner !== undefined) {
        throw new UserError(`${address} is in ${owner} and in ${name}; give each shard's plan only once`);
      }
      owners.set(address, name);
    }
  }
}

function checkScopes(parts: readonly NamedPlan[]): void {
  parts.forEach((part, index) => {
    const other = parts.slice(0, index).find((earlier) => mayOverlap(earlier.plan.scope, part.plan.scope));
    if (!other) return;
    const [scopes, scope] = [other, part].map(({ plan }) => printable(scopeText(plan.scope)) || "the whole fleet");
    throw new UserError(
      `${other.name} is of ${scopes} and ${part.name} of ${scope}, so projects may be counted twice; give each shard's plan only once`,
    );
  });
}

/** Plans with targets are only compared by address, because the overlap of globs cannot be determined. */
function mayOverlap(one: PlanScope = {}, other: PlanScope = {}): boolean {
  if (canonical(one.targets) !== canonical(other.targets)) return !one.targets || !other.targets;
  if (!one.shards || !other.shards) return true;
  const totals = new Set([...one.shards, ...other.shards].map(parseTotal));
  return totals.size > 1 || one.shards.some((shard) => other.shards?.includes(shard));
}

function parseTotal(shard: string): number {
  return Number(shard.split("/")[1]);
}

/** All shards of a run together cover everything. */
function joinedScope(scopes: readonly PlanScope[]): Pick<Plan, "scope"> {
  const targets = distinct(scopes.flatMap(({ targets }) => targets ?? []));
  const excludes = distinct(scopes.flatMap(({ excludes }) => excludes ?? []));
  const shards = distinct(scopes.flatMap(({ shards }) => shards ?? []));
  const [first] = shards;
  const isSplit = first !== undefined && shards.length < parseTotal(first);
  const scope = {
    ...joinedSince(scopes),
    ...(targets.length > 0 && { targets }),
    ...(excludes.length > 0 && { excludes }),
    ...(isSplit && { shards }),
  };
  return Object.keys(scope).length > 0 ? { scope } : {};
}

/** Adds up the projects of parts with `--since`; unknown if any part's number is. */
function joinedSince(scopes: readonly PlanScope[]): PlanScope | undefined {
  const since = scopes[0]?.since;
  if (since === undefined) return undefined;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const all = scopes.flatMap(({ of }) => of ?? []);
  const projects = sum(scopes.map(({ projects = 0 }) => projects));
  return { since, projects, ...(all.length === scopes.length && { of: sum(all) }) };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

type Lists = { readonly [Key in keyof Plan as Plan[Key] extends readonly unknown[] ? Key : never]: Plan[Key] };

function gatherList<Key extends keyof Lists>(
  plans: readonly Lists[],
  key: Key,
  order: (row: Lists[Key][number]) => string,
): Lists[Key][number][] {
  const rows = plans.flatMap((plan) => plan[key] as readonly Lists[Key][number][]);
  const distinct = [...new Map(rows.map((row) => [canonical(row), row])).entries()];
  const keyed = distinct.map(([text, row]) => ({ row, sorted: `${order(row)}\0${text}` }));
  return keyed.sort((a, b) => (a.sorted < b.sorted ? -1 : 1)).map(({ row }) => row);
}

function sum(summaries: readonly Summary[]): Summary {
  const counts = addCounts(summaries.map(({ outcomes: _, waves: __, ...counts }) => counts));
  const outcomes = summaries.flatMap((summary) => summary.outcomes ?? []);
  return outcomes.length > 0 ? { ...counts, outcomes: addCounts(outcomes) } : counts;
}

function addCounts<Row extends Readonly<Partial<Record<keyof Row, number>>>>(rows: readonly Row[]): Row {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))] as (keyof Row)[];
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((total, row) => total + (row[name] ?? 0), 0)]),
  ) as Row;
}
